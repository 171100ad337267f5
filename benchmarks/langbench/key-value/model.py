"""A transcription of contract.md: the answer to a whole stream of bytes on one connection.

The model is slow, plain and independent of the programs, which are tested against it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from harness.python.harness import MASK_64, fnv1a

MOST_LINE_BYTES = 65536
MOST_WORDS = 1048576
MOST_REQUEST_BYTES = 512_000_000
OK = b"+OK\r\n"
ARITY = {
    b"get": (2, 2),
    b"set": (3, None),
    b"del": (2, None),
    b"exists": (2, None),
    b"ping": (1, 2),
    b"dbsize": (1, 1),
    b"flushall": (1, None),
    b"select": (2, 2),
    b"info": (1, None),
    b"config": (2, None),
    b"command": (1, None),
    b"debug": (2, None),
    b"quit": (1, None),
}


class Malformed(Exception):
    """A protocol error. The text is the one that the contract prescribes."""


class Incomplete(Exception):
    """The bytes end in the middle of a request."""


@dataclass
class Stream:
    """The bytes that a client sends."""

    rest: bytes

    def request(self) -> list[bytes]:
        star = self.rest.startswith(b"*")
        text = self.line(b"too big mbulk count string" if star else b"too big inline request")
        if not star:
            return re.findall(rb"[^ \t]+", text)
        count = number(text[1:])
        if count is None or count > MOST_WORDS:
            raise Malformed(b"invalid multibulk length")
        left = MOST_REQUEST_BYTES
        words = []
        for _ in range(count):
            text = self.line(b"too big bulk count string")
            if text[:1] != b"$":
                first = text[:1] or b" "
                raise Malformed(b"expected '$', got '" + first + b"'")
            length = number(text[1:])
            if length is None or length < 0 or length > left:
                raise Malformed(b"invalid bulk length")
            left -= length
            words.append(self.bytes(length))
            if self.bytes(2) != b"\r\n":
                raise Malformed(b"expected CRLF after bulk")
        return words

    def line(self, too_big: bytes) -> bytes:
        text, end, rest = self.rest.partition(b"\n")
        if len(text) > MOST_LINE_BYTES:
            raise Malformed(too_big)
        if not end:
            raise Incomplete
        self.rest = rest
        return text.removesuffix(b"\r")

    def bytes(self, length: int) -> bytes:
        if len(self.rest) < length:
            raise Incomplete
        taken, self.rest = self.rest[:length], self.rest[length:]
        return taken


def number(text: bytes) -> int | None:
    return int(text) if re.fullmatch(rb"-?[0-9]{1,10}", text) else None


def error(text: bytes) -> bytes:
    return b"-" + re.sub(rb"[\r\n]", b" ", text) + b"\r\n"


def bulk(value: bytes | None) -> bytes:
    return b"$-1\r\n" if value is None else b"$%d\r\n%b\r\n" % (len(value), value)


@dataclass
class Model:
    """The model of the server. A row is a list of its entries, with the oldest first."""

    rows: int
    capacity_bytes: int = 0
    table: list[list[tuple[bytes, bytes]]] = field(init=False)
    commands: int = 0
    hits: int = 0
    misses: int = 0
    sets: int = 0
    evictions: int = 0
    chain_steps: int = 0

    def __post_init__(self) -> None:
        self.table = [[] for _ in range(self.rows)]

    def converse(self, sent: bytes) -> bytes:
        """All bytes that the server answers to a client that sends this and closes its sending
        half."""
        stream = Stream(sent)
        said = b""
        try:
            while stream.rest:
                words = stream.request()
                if words:
                    said += self.answer(words)
                    if words[0].lower() == b"quit":
                        break
        except Malformed as mistake:
            said += error(b"ERR Protocol error: " + mistake.args[0])
        except Incomplete:
            pass
        return said

    def answer(self, words: list[bytes]) -> bytes:
        self.commands += 1
        name, *arguments = words
        name = name.lower()
        if name not in ARITY:
            quoted = b""
            for word in arguments:
                if len(quoted) < 128:
                    quoted += b"'%b' " % word[: 128 - len(quoted)]
            return error(
                b"ERR unknown command '%b', with args beginning with: %b" % (words[0][:128], quoted)
            )
        least, most = ARITY[name]
        if len(words) < least or (most is not None and len(words) > most):
            return self.wrong_number(name)
        answered: bytes = getattr(self, f"answer_{name.decode()}")(arguments)
        return answered

    @staticmethod
    def wrong_number(name: bytes) -> bytes:
        return error(b"ERR wrong number of arguments for '%b' command" % name)

    @staticmethod
    def unknown_subcommand(name: bytes, word: bytes) -> bytes:
        return error(b"ERR unknown subcommand '%b'. Try %b HELP." % (word[:128], name))

    def answer_get(self, arguments: list[bytes]) -> bytes:
        value = self.get(arguments[0])
        self.hits += value is not None
        self.misses += value is None
        return bulk(value)

    def answer_set(self, arguments: list[bytes]) -> bytes:
        key, value, *options = arguments
        if options:
            return error(b"ERR syntax error")
        if 0 < self.capacity_bytes < len(value):
            return error(b"OOM command not allowed when used memory > 'maxmemory'.")
        self.sets += 1
        self.set(key, value)
        return OK

    def answer_del(self, arguments: list[bytes]) -> bytes:
        removed = 0
        for key in arguments:
            row, at = self.find(key)
            if at is not None:
                del row[at]
                removed += 1
        return b":%d\r\n" % removed

    def answer_exists(self, arguments: list[bytes]) -> bytes:
        return b":%d\r\n" % sum(self.get(key) is not None for key in arguments)

    def answer_ping(self, arguments: list[bytes]) -> bytes:
        return bulk(arguments[0]) if arguments else b"+PONG\r\n"

    def answer_dbsize(self, _: list[bytes]) -> bytes:
        return b":%d\r\n" % self.entries()

    def answer_flushall(self, arguments: list[bytes]) -> bytes:
        if arguments:
            return error(b"ERR syntax error")
        self.table = [[] for _ in range(self.rows)]
        return OK

    def answer_select(self, arguments: list[bytes]) -> bytes:
        index = number(arguments[0])
        if index is None:
            return error(b"ERR value is not an integer or out of range")
        return OK if index == 0 else error(b"ERR DB index is out of range")

    def answer_info(self, _: list[bytes]) -> bytes:
        raise NotImplementedError("it names the language")

    def answer_config(self, arguments: list[bytes]) -> bytes:
        subcommand, *names = arguments
        if subcommand.lower() != b"get":
            return self.unknown_subcommand(b"CONFIG", subcommand)
        if not names:
            return self.wrong_number(b"config|get")
        asked = [name.lower() for name in names]
        told = b""
        for name, value in ((b"save", b""), (b"appendonly", b"no")):
            if name in asked or b"*" in asked:
                told += bulk(name) + bulk(value)
        return b"*%d\r\n" % (told.count(b"$")) + told

    def answer_command(self, arguments: list[bytes]) -> bytes:
        if not arguments or arguments[0].lower() == b"docs":
            return b"*0\r\n"
        if arguments[0].lower() != b"count":
            return self.unknown_subcommand(b"COMMAND", arguments[0])
        return b":13\r\n" if len(arguments) == 1 else self.wrong_number(b"command|count")

    def answer_debug(self, arguments: list[bytes]) -> bytes:
        if arguments[0].lower() != b"digest":
            return self.unknown_subcommand(b"DEBUG", arguments[0])
        if len(arguments) > 1:
            return self.wrong_number(b"debug|digest")
        return b"+%016x\r\n" % self.digest()

    def answer_quit(self, _: list[bytes]) -> bytes:
        return OK

    def index(self, key: bytes) -> int:
        return fnv1a(key) % self.rows

    def find(self, key: bytes) -> tuple[list[tuple[bytes, bytes]], int | None]:
        row = self.table[self.index(key)]
        for at, (known, _) in enumerate(row):
            self.chain_steps += 1
            if known == key:
                return row, at
        return row, None

    def get(self, key: bytes) -> bytes | None:
        row, at = self.find(key)
        return None if at is None else row[at][1]

    def set(self, key: bytes, value: bytes) -> None:
        if self.capacity_bytes:
            while self.used_bytes() + len(value) > self.capacity_bytes:
                self.evict(self.index(key))
        row, at = self.find(key)
        if at is None:
            row.append((key, value))
        else:
            row[at] = (key, value)

    def evict(self, start: int) -> None:
        order = [*range(start, self.rows), *range(start)]
        row = next(self.table[index] for index in order if self.table[index])
        del row[0]
        self.evictions += 1

    def used_bytes(self) -> int:
        return sum(len(value) for row in self.table for _, value in row)

    def entries(self) -> int:
        return sum(map(len, self.table))

    def digest(self) -> int:
        entries = (entry for row in self.table for entry in row)
        return sum(fnv1a(key + b"\0" + value) for key, value in entries) & MASK_64

    def counted(self) -> dict[str, int]:
        """The section # Runfair of the answer to INFO."""
        return {
            "sets": self.sets,
            "gets": self.hits + self.misses,
            "hits": self.hits,
            "misses": self.misses,
            "chain_steps": self.chain_steps,
            "entries": self.entries(),
            "evictions": self.evictions,
        }
