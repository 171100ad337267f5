"""The file of a capture: text in any Unicode encoding, read as a stream of lines of bounded length.
The reader also collects notes.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO


@dataclass
class Notes:
    """Collects notes. If a note is repeated, its occurrences are counted, and the place of the
    first is kept."""

    _counts: dict[str, int] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)

    def say(self, note: str) -> None:
        self._counts.setdefault(note, 0)

    def count(self, note: str, place: str = "", number: int = 1) -> None:
        self._counts[note] = self._counts.get(note, 0) + number
        if place:
            self._places.setdefault(note, place)

    @property
    def lines(self) -> list[str]:
        """The notes in order of appearance, such as `requests without a body, left out: 1,200
        (first: line 7)`.
        """
        lines = []
        for note, number in self._counts.items():
            counted = f"{note}: {number:,}" if number else note
            place = self._places.get(note)
            lines.append(f"{counted} (first: {place})" if place else counted)
        return lines


HEAD_BYTES = 1 << 16
LONGEST_LINE = 1 << 24  # characters; no realistic request has a body of 16 MB

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Source:
    """A file, with the encoding and format that its first bytes show."""

    path: Path
    head: bytes
    encoding: str
    notes: Notes = field(default_factory=Notes)

    @classmethod
    def of(cls, path: Path) -> Source:
        """Opens a file and recognises its encoding and format. Raises OSError if the file cannot be
        read."""
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        return cls(path, head, _encoding(head))

    @property
    def start(self) -> str:
        """The first characters of the file. Bytes that are not text become replacement
        characters.
        """
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        return decoder.decode(self.head)

    @property
    def whole_lines(self) -> list[str]:
        """The complete lines in the first bytes. If no line is complete, the beginning of the first
        line.
        """
        lines = self.start.splitlines()
        return lines[:-1] if len(self.head) == HEAD_BYTES and len(lines) > 1 else lines

    def text(self) -> TextIO:
        """The file as text. In UTF-8, invalid bytes are kept as lone surrogates (PEP 383), so that
        they can be sent unchanged. In other encodings invalid bytes are lost.
        """
        narrow = self.encoding.startswith("utf-8")
        return io.TextIOWrapper(
            self.path.open("rb"),
            encoding=self.encoding,
            errors="surrogateescape" if narrow else "replace",
            newline="\n",
        )

    def lines(self) -> Iterator[tuple[int, str]]:
        """The number and text of every line that is not blank."""
        with self.text() as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE and not line.endswith("\n"):
                    self.notes.count(
                        f"lines of more than {LONGEST_LINE:,} characters were left out",
                        f"line {number}",
                    )
                    while (rest := file.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                        pass
                elif line.strip():
                    yield number, line.rstrip("\r\n")

    def objects(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The place and the value of every line that is a JSON object. All other lines are counted
        in a note."""
        for number, line in self.lines():
            value = json_object(line)
            if value is None:
                self.notes.count("lines that are not a JSON object were left out", f"line {number}")
            else:
                yield f"line {number}", value


def json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    # Python's parser also refuses numbers with thousands of digits and very deep nesting.
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def encoded(text: str) -> bytes | None:
    """The bytes that a text represents. None if the text contains a lone surrogate that does not
    represent a byte; JSON can express such surrogates, but UTF-8 cannot.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def _encoding(head: bytes) -> str:
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    # If there is no byte order mark, the positions of NUL bytes show the byte order of UTF-16.
    if len(head) >= 4 and head[0] and not head[1] and head[2] and not head[3]:
        return "utf-16-le"
    if len(head) >= 4 and not head[0] and head[1] and not head[2] and head[3]:
        return "utf-16-be"
    return "utf-8"
