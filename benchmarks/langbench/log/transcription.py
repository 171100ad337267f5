"""A literal transcription of contract.md. The transcription is slow, and can be checked by
reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Folder = dict[str, bytes]  # the files by name
VARIABLE, NUMBER = 17, 18  # the placeholders
COUNTERS = (
    "lines",
    "tokens",
    "numbers",
    "references",
    "log_types",
    "variables",
    "scanned",
    "candidates",
    "matches",
)


def is_digit(byte: int) -> bool:
    return ord("0") <= byte <= ord("9")


def is_letter(byte: int) -> bool:
    return ord("a") <= byte <= ord("z") or ord("A") <= byte <= ord("Z")


def is_token_byte(byte: int) -> bool:
    special = byte in b"+-./_\\" or byte in (VARIABLE, NUMBER) or byte >= 128
    return is_letter(byte) or is_digit(byte) or special


def spans(text: bytes) -> Iterator[tuple[int, int]]:
    """The longest runs of token bytes."""
    begin = None
    for at, byte in enumerate(text):
        if is_token_byte(byte):
            begin = at if begin is None else begin
        elif begin is not None:
            yield begin, at
            begin = None
    if begin is not None:
        yield begin, len(text)


def is_variable(text: bytes, begin: int, end: int) -> bool:
    token = text[begin:end]
    if any(is_digit(byte) or byte in (VARIABLE, NUMBER) for byte in token):
        return True
    return begin > 0 and text[begin - 1] == ord("=") and any(map(is_letter, token))


def number_code(token: bytes) -> int | None:
    minus = token[:1] == b"-"
    whole, point, behind = token[minus:].partition(b".")
    digits = whole + behind
    if whole == b"" or (point and behind == b"") or not all(map(is_digit, digits)):
        return None
    if len(digits) > 13:
        return None
    return (int(digits) * 16 + len(digits)) * 32 + len(behind) * 2 + minus


def lines_of(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def matches(text: bytes, pieces: Sequence[bytes]) -> bool:
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


@dataclass
class Cut:
    pieces: list[bytes]
    fragments: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    variables: list[bytes] = field(default_factory=list)
    parts: list[tuple[bytes, bool, bool]] = field(default_factory=list)  # begins, ends


def cut(query: str) -> Cut:
    made = Cut([piece for piece in query.encode().split(b"*") if piece])
    for piece in made.pieces:
        fragment = b""
        tokens = dict(spans(piece))
        at = 0
        while at < len(piece):
            end = tokens.get(at)
            if end is None:
                fragment += piece[at : at + 1]
                at += 1
                continue
            token = piece[at:end]
            code = number_code(token)
            if at > 0 and end < len(piece):
                if not is_variable(piece, at, end):
                    fragment += token
                elif code is not None:
                    fragment += bytes([NUMBER])
                    made.numbers.append(code)
                else:
                    fragment += bytes([VARIABLE])
                    made.variables.append(token)
            else:
                made.fragments.append(fragment)
                fragment = b""
                surely = any(map(is_digit, token)) or (
                    at > 0 and piece[at - 1 : at] == b"=" and any(map(is_letter, token))
                )
                if surely and not all(is_digit(byte) or byte in b"-." for byte in token):
                    made.parts.append((token, at > 0, end < len(piece)))
            at = end
        made.fragments.append(fragment)
    made.fragments = [fragment for fragment in made.fragments if fragment]
    return made


def is_part_of(part: tuple[bytes, bool, bool], variable: bytes) -> bool:
    text, begins, ends = part
    if begins:
        return variable[: len(text)] == text
    if ends:
        return variable[len(variable) - len(text) :] == text and len(variable) >= len(text)
    return text in variable


@dataclass
class Answer:
    """The answer: the matches of each query, and the counters."""

    matches: list[list[bytes]]
    counters: dict[str, int]

    def digest(self) -> str:
        h = 0xCBF29CE484222325
        for found in self.matches:
            for byte in b"".join(line + b"\n" for line in [b"%d" % len(found), *found]):
                h = (h ^ byte) * 0x100000001B3 & 2**64 - 1
        return f"{h:016x}"


def indexed(folder: Folder, queries: Sequence[str]) -> Answer:
    """The answer by the index, with one worker. Several workers must give the same answer."""
    counters: Counter[str] = Counter()
    types: dict[bytes, int] = {}
    variables: dict[bytes, int] = {}
    messages = []  # of each line: log type, kinds, values, and the line that decoding must give
    for _, content in sorted(folder.items()):
        for line in lines_of(content):
            counters["lines"] += 1
            log_type, done = b"", 0
            values: list[tuple[int, int]] = []
            for begin, end in spans(line):
                counters["tokens"] += 1
                if is_variable(line, begin, end):
                    code = number_code(line[begin:end])
                    if code is not None:
                        counters["numbers"] += 1
                        values.append((NUMBER, code))
                    else:
                        counters["references"] += 1
                        text = line[begin:end]
                        values.append((VARIABLE, variables.setdefault(text, len(variables))))
                    log_type += line[done:begin] + bytes([values[-1][0]])
                    done = end
            log_type += line[done:]
            types.setdefault(log_type, len(types))
            messages.append((log_type, values, line))
    counters["log_types"], counters["variables"] = len(types), len(variables)
    found = []
    for query in queries:
        made = cut(query)
        conditions = [{(NUMBER, code)} for code in made.numbers]
        for text in made.variables:
            conditions.append({(VARIABLE, variables[text])} if text in variables else set())
        for part in made.parts:
            fitting = {(VARIABLE, variables[text]) for text in variables if is_part_of(part, text)}
            conditions.append(fitting)
        counters["scanned"] += len(types) + len(made.parts) * len(variables)
        candidates = [
            line
            for log_type, values, line in messages
            if matches(log_type, made.fragments)
            and all(not condition.isdisjoint(values) for condition in conditions)
        ]
        counters["candidates"] += len(candidates)
        found.append([line for line in candidates if matches(line, made.pieces)])
        counters["matches"] += len(found[-1])
    return Answer(found, {name: counters[name] for name in COUNTERS})


def searched(folder: Folder, queries: Sequence[str]) -> Answer:
    """The answer by a direct search of the original lines, by the meaning of the queries."""
    lines = [line for _, content in sorted(folder.items()) for line in lines_of(content)]
    found = [
        [line for line in lines if matches(line, [p for p in query.encode().split(b"*") if p])]
        for query in queries
    ]
    counters = dict.fromkeys(COUNTERS, 0)
    counters["lines"] = len(lines) * len(queries)
    counters["matches"] = sum(map(len, found))
    return Answer(found, counters)


def expected_of(folder: Folder, queries: Sequence[str]) -> dict[str, Answer]:
    """The expected answer of each form. All forms must have the same matches."""
    expected = {"indexed": indexed(folder, queries), "regex": searched(folder, queries)}
    assert expected["indexed"].matches == expected["regex"].matches
    return expected


def written(path: Path, folder: Folder) -> Path:
    path.mkdir()
    for name, content in folder.items():
        (path / name).write_bytes(content)
    return path


def queries_file(path: Path, queries: Sequence[str]) -> Path:
    path.write_text("".join(f"{query}\n" for query in queries), encoding="ascii")
    return path
