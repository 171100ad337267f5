"""The contract's pseudocode over dicts and lists, in Python 3.6 (log/contract.md)."""

import os
import re

from harness.python.harness import (
    FNV_OFFSET,
    Options,
    UsageError,
    fnv1a,
    main,
    quoted,
    read_input,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Match, Optional, Pattern, Set, Tuple

QUERIES = {
    "hadoop": [
        "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
        " container_1445144423722_0001_01_000007 ",
        "[fetcher#7] ",
        " attempt_*_0001_m_000003_1 is : ",
        "WARN * Slow ReadProcessor * took *77 ms; ack",
        " ip=/10.0.3.7 cmd=open ",
        "ERROR * Giving up * node-07.cluster.example:8020;",
    ],
    "spark": [
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    ],
}

TOKEN = re.compile(rb"[A-Za-z0-9+\-./_\\\x80-\xff\x11\x12]+")
SURELY_VARIABLE = re.compile(rb"[0-9\x11\x12]")
DIGIT = re.compile(rb"[0-9]")
LETTER = re.compile(rb"[A-Za-z]")
NUMBER = re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?")
PLACEHOLDER = re.compile(rb"[\x11\x12]")
MOST_DIGITS = 13
NUMBER_KIND, REFERENCE_KIND = 0x12, 0x11


class Counts:
    def __init__(self) -> None:
        self.lines = 0
        self.tokens = 0
        self.numbers = 0
        self.references = 0
        self.log_types = 0
        self.variables = 0
        self.scanned = 0
        self.candidates = 0
        self.matches = 0


counts = Counts()


class Archive:
    """Dictionaries, and the messages of every file: a type and its values."""

    def __init__(self) -> None:
        self.types: "List[bytes]" = []
        self.type_ids: "Dict[bytes, int]" = {}
        self.variables: "List[bytes]" = []
        self.variable_ids: "Dict[bytes, int]" = {}
        self.files: "List[List[Tuple[int, List[int]]]]" = []

    def type_id(self, text: bytes) -> int:
        if text not in self.type_ids:
            counts.log_types += 1  # tick
            self.type_ids[text] = len(self.types)
            self.types.append(text)
        return self.type_ids[text]

    def variable_id(self, text: bytes) -> int:
        if text not in self.variable_ids:
            counts.variables += 1  # tick
            self.variable_ids[text] = len(self.variables)
            self.variables.append(text)
        return self.variable_ids[text]

    def parse(self, content: bytes) -> None:
        messages = []
        values: "List[int]" = []

        def encode(token: "Match[bytes]") -> bytes:
            counts.tokens += 1  # tick
            text = token.group()
            if not is_variable(token.string, token.start(), text):
                return text
            code = number_code(text)
            if code is not None:
                counts.numbers += 1  # tick
                values.append(code)
                return b"\x12"
            counts.references += 1  # tick
            values.append(self.variable_id(text))
            return b"\x11"

        for line in lines_of(content):
            counts.lines += 1  # tick
            values = []
            text = TOKEN.sub(encode, line)
            messages.append((self.type_id(text), values))
        self.files.append(messages)

    def decode(self, type_id: int, values: "List[int]") -> bytes:
        left = iter(values)

        def text_of(placeholder: "Match[bytes]") -> bytes:
            value = next(left)
            if placeholder.group() == b"\x12":
                return number_text(value)
            return self.variables[value]

        return PLACEHOLDER.sub(text_of, self.types[type_id])


def is_variable(line: bytes, start: int, token: bytes) -> bool:
    if SURELY_VARIABLE.search(token):
        return True
    return start > 0 and line[start - 1 : start] == b"=" and LETTER.search(token) is not None


def number_code(token: bytes) -> "Optional[int]":
    number = NUMBER.fullmatch(token)
    if number is None:
        return None
    sign, whole, fraction = number.groups(b"")
    digits = whole + fraction
    if len(digits) > MOST_DIGITS:
        return None
    return (int(digits) * 16 + len(digits)) * 32 + len(fraction) * 2 + len(sign)


def number_text(code: int) -> bytes:
    count, scale, negative = code // 32 % 16, code // 2 % 16, code % 2
    digits = b"%0*d" % (count, code // 512)
    if scale > 0:
        digits = digits[: count - scale] + b"." + digits[count - scale :]
    return b"-" + digits if negative else digits


def lines_of(content: bytes) -> "List[bytes]":
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def matches(text: bytes, pieces: "List[bytes]") -> bool:
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


class Part:
    """A token of the query that is not whole, but surely part of a variable."""

    def __init__(self, text: bytes, begins: bool, ends: bool) -> None:  # noqa: FBT001
        self.text = text
        self.begins = begins
        self.ends = ends

    def is_part_of(self, variable: bytes) -> bool:
        if self.begins:
            return variable.startswith(self.text)
        if self.ends:
            return variable.endswith(self.text)
        return self.text in variable


class Query:
    def __init__(self, text: str) -> None:
        self.pieces = [piece for piece in text.encode("ascii").split(b"*") if piece]
        self.fragments: "List[bytes]" = []
        self.numbers: "List[int]" = []
        self.variables: "List[bytes]" = []
        self.parts: "List[Part]" = []
        for piece in self.pieces:
            self.cut(piece)

    def cut(self, piece: bytes) -> None:
        fragment = b""
        done = 0
        for token in TOKEN.finditer(piece):
            start, end = token.span()
            fragment += piece[done:start]
            done = end
            if start > 0 and end < len(piece):
                fragment += self.whole(piece, start, token.group())
            else:
                self.add(fragment)
                fragment = b""
                self.part(piece, start, end)
        self.add(fragment + piece[done:])

    def add(self, fragment: bytes) -> None:
        if fragment:
            self.fragments.append(fragment)

    def whole(self, piece: bytes, start: int, token: bytes) -> bytes:
        if not is_variable(piece, start, token):
            return token
        code = number_code(token)
        if code is not None:
            self.numbers.append(code)
            return b"\x12"
        self.variables.append(token)
        return b"\x11"

    def part(self, piece: bytes, start: int, end: int) -> None:
        token = piece[start:end]
        if re.fullmatch(rb"[0-9.\-]+", token):
            return
        behind_equals = piece[start - 1 : start] == b"=" if start > 0 else False
        if DIGIT.search(token) or (behind_equals and LETTER.search(token)):
            self.parts.append(Part(token, start > 0, end < len(piece)))

    def expression(self) -> "Pattern[bytes]":
        special = re.compile(rb"[\\^$.|?+()\[\]{}]")
        return re.compile(rb"[^\n]*".join(special.sub(rb"\\\g<0>", one) for one in self.pieces))


class Plan:
    def __init__(self, query: Query, archive: Archive) -> None:
        self.query = query
        self.archive = archive
        self.wanted = []
        for text in archive.types:
            counts.scanned += 1  # tick
            self.wanted.append(matches(text, query.fragments))
        self.conditions: "List[Tuple[int, Set[int]]]" = []
        for code in query.numbers:
            self.conditions.append((NUMBER_KIND, {code}))
        for text in query.variables:
            known = archive.variable_ids.get(text)
            self.conditions.append((REFERENCE_KIND, set() if known is None else {known}))
        for part in query.parts:
            fulfilling = set()
            for number, text in enumerate(archive.variables):
                counts.scanned += 1  # tick
                if part.is_part_of(text):
                    fulfilling.add(number)
            self.conditions.append((REFERENCE_KIND, fulfilling))

    def search(self, messages: "List[Tuple[int, List[int]]]") -> "List[bytes]":
        found = []
        for type_id, values in messages:
            if self.wanted[type_id] and self.fulfilled(type_id, values):
                counts.candidates += 1  # tick
                line = self.archive.decode(type_id, values)
                if matches(line, self.query.pieces):
                    counts.matches += 1  # tick
                    found.append(line)
        return found

    def fulfilled(self, type_id: int, values: "List[int]") -> bool:
        if not self.conditions:
            return True
        kinds = [one.group()[0] for one in PLACEHOLDER.finditer(self.archive.types[type_id])]
        for wanted, allowed in self.conditions:
            if not any(
                kind == wanted and value in allowed
                for kind, value in zip(kinds, values)  # noqa: B905 - strict came with 3.10
            ):
                return False
        return True


class Log:
    def __init__(self, form: str, queries: "List[Query]", files: "List[str]") -> None:
        self.form = form
        self.queries = queries
        self.files = files


class Answer:
    def __init__(self) -> None:
        self.found: "List[List[bytes]]" = []
        self.archive: "Optional[Archive]" = None


def indexed(log: Log) -> Answer:
    answer = Answer()
    answer.archive = archive = Archive()
    for path in log.files:
        archive.parse(read_input(path))
    for plan in [Plan(query, archive) for query in log.queries]:
        found: "List[bytes]" = []
        for messages in archive.files:
            found.extend(plan.search(messages))
        answer.found.append(found)
    return answer


def regex(log: Log) -> Answer:
    answer = Answer()
    for expression in [query.expression() for query in log.queries]:
        found = []
        for path in log.files:
            for line in lines_of(read_input(path)):
                counts.lines += 1  # tick
                if expression.search(line):
                    counts.matches += 1  # tick
                    found.append(line)
        answer.found.append(found)
    return answer


def load(options: Options) -> Log:
    path = options["queries"]
    texts = read_queries(path) if path else QUERIES[options["workload"]]
    files = log_files(options["input"])
    return Log(options["form"], [Query(text) for text in texts], files)


def log_files(folder: str) -> "List[str]":
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise UsageError(f"input {quoted(folder)} cannot be read: {error.strerror}") from error
    names = [name for name in names if os.path.isfile(os.path.join(folder, name))]
    for name in names:
        if any(ord(character) > 127 for character in name):
            raise UsageError(f"input {quoted(folder)} holds {quoted(name)}: rename it to ASCII")
    if not names:
        raise UsageError(f"input {quoted(folder)} holds no files; give a folder of logs")
    return [os.path.join(folder, name) for name in names]


def read_queries(path: str) -> "List[str]":
    named = f"queries {quoted(path)}"
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise UsageError(f"{named} cannot be read; name a file of queries, one a line") from error
    for number, line in enumerate(lines, 1):
        if any(byte < 0x20 or byte > 0x7E for byte in line):
            raise UsageError(f"line {number} of {named}: a query is printable ASCII")
    queries = [line.decode("ascii") for line in lines if line]
    if not queries:
        raise UsageError(f"{named} holds no queries; write one a line")
    return queries


def prepare(log: Log) -> Log:
    return log


def run(log: Log) -> Answer:
    return indexed(log) if log.form == "indexed" else regex(log)


def digest(answer: Answer) -> int:
    state = FNV_OFFSET
    for found in answer.found:
        state = fnv1a(b"%d\n" % len(found), state)
        for line in found:
            state = fnv1a(line + b"\n", state)
    return state


if __name__ == "__main__":
    main("log", load, prepare, run, digest, counts=counts, tier="plain")
