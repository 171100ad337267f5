"""Queries: the text that a line must contain, and the way in which the index finds it."""

from __future__ import annotations

import re

from langbench.log.python.tokens import (
    MOST_DIGITS,
    NUMBER_PLACEHOLDER,
    TOKEN,
    VARIABLE,
    VARIABLE_PLACEHOLDER,
    number_code,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Iterator, List, Pattern, Set, Tuple

    from langbench.log.python.archive import Archive, LogType, Messages
    from langbench.log.python.counts import Counts

    Candidate = Tuple[LogType, array[int]]

DIGIT = re.compile(rb"[0-9]")
LETTER = re.compile(rb"[A-Za-z]")
PART_OF_NUMBER = re.compile(rb"[0-9.\-]+")
SPECIAL = re.compile(rb"[\\^$.|?+()\[\]{}]")


def matches(text: bytes, pieces: List[bytes]) -> bool:
    """Return whether the text contains all pieces, in order and without overlap."""
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


class Part:
    """An incomplete token of the query that is certainly part of a variable in the dictionary."""

    def __init__(self, text: bytes, *, begins: bool, ends: bool) -> None:
        self.text = text
        self.begins = begins  # the variable begins with this part
        self.ends = ends

    def is_part_of(self, variable: bytes) -> bool:
        if self.begins:
            return variable.startswith(self.text)
        if self.ends:
            return variable.endswith(self.text)
        return self.text in variable


class Condition:
    """A condition: one of a message's variables is of this kind and has one of these values."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: int, values: Set[int]) -> None:
        self.kind = kind
        self.values = values

    def holds(self, kinds: bytes, values: array[int]) -> bool:
        return any(
            kind == self.kind and value in self.values
            for kind, value in zip(kinds, values)  # noqa: B905 - strict came with 3.10
        )


class Query:
    """A query, divided into parts that the index can find."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = [piece for piece in text.encode("ascii").split(b"*") if piece]
        self.fragments: List[bytes] = []
        self.numbers: List[int] = []
        self.variables: List[bytes] = []
        self.parts: List[Part] = []
        for piece in self.pieces:
            self._cut(piece)

    def expression(self) -> Pattern[bytes]:
        """Make the regular expression that finds the query in a line."""
        return re.compile(rb"[^\n]*".join(SPECIAL.sub(rb"\\\g<0>", piece) for piece in self.pieces))

    def _cut(self, piece: bytes) -> None:
        fragment = b""
        done = 0
        for match in TOKEN.finditer(piece):
            start, end = match.span()
            fragment += piece[done:start]
            done = end
            if start > 0 and end < len(piece):
                fragment += self._whole(piece, start, end)
            else:
                self._end(fragment)
                fragment = b""
                self._part(piece, start, end)
        self._end(fragment + piece[done:])

    def _end(self, fragment: bytes) -> None:
        if fragment:
            self.fragments.append(fragment)

    def _whole(self, piece: bytes, start: int, end: int) -> bytes:
        """Record a token between delimiters, and return its representation in a log type."""
        token = piece[start:end]
        variable = VARIABLE.fullmatch(piece, start, end)
        if variable is None:
            return token
        sign, whole, fraction = variable.groups(b"")
        if whole and len(whole) + len(fraction) <= MOST_DIGITS:
            self.numbers.append(number_code(sign, whole, fraction))
            return b"\x12"
        self.variables.append(token)
        return b"\x11"

    def _part(self, piece: bytes, start: int, end: int) -> None:
        token = piece[start:end]
        valued = piece[start - 1 : start] == b"=" and LETTER.search(token)
        if (DIGIT.search(token) or valued) and not PART_OF_NUMBER.fullmatch(token):
            self.parts.append(Part(token, begins=start > 0, ends=end < len(piece)))


class Plan:
    """The properties that a message must have to be a candidate for a query."""

    def __init__(self, query: Query, archive: Archive) -> None:
        counts = archive.counts
        self.pieces = query.pieces
        self.wanted = []
        for log_type in archive.log_types:
            counts.scanned += 1  # tick
            self.wanted.append(matches(log_type.text, query.fragments))
        self.conditions = [Condition(NUMBER_PLACEHOLDER, {code}) for code in query.numbers]
        for text in query.variables:
            known = archive.variable_ids.get(text)
            self.conditions.append(
                Condition(VARIABLE_PLACEHOLDER, set() if known is None else {known})
            )
        for part in query.parts:
            ids = set()
            for number, text in enumerate(archive.variables):
                counts.scanned += 1  # tick
                if part.is_part_of(text):
                    ids.add(number)
            self.conditions.append(Condition(VARIABLE_PLACEHOLDER, ids))

    def candidates(self, archive: Archive, messages: Messages) -> Iterator[Candidate]:
        """The messages whose type matches and whose variables fulfil the conditions."""
        log_types, wanted = archive.log_types, self.wanted
        at = 0
        for number in messages.types:
            log_type = log_types[number]
            end = at + len(log_type.kinds)
            if wanted[number]:
                values = messages.values[at:end]
                if all(condition.holds(log_type.kinds, values) for condition in self.conditions):
                    yield log_type, values
            at = end

    def search(self, archive: Archive, messages: Messages, counts: Counts) -> List[bytes]:
        """Decode the candidates of a file and keep those that match the query."""
        found = []
        for log_type, values in self.candidates(archive, messages):
            counts.candidates += 1  # tick
            line = archive.decode(log_type, values)
            if matches(line, self.pieces):
                counts.matches += 1  # tick
                found.append(line)
        return found
