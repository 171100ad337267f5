"""What each command replies: langbench/key-value/contract.md, "Commands"."""

from .requests import number
from .store import Counts, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List

COMMANDS = 13
MOST_QUOTED = 128


class Session:
    """The commands of one connection, which has counts of its own."""

    def __init__(self, store: Store, sum_of_all: "Callable[[], Counts]") -> None:
        self.store = store
        self.sum_of_all = sum_of_all
        self.counts = Counts()
        self.open = True

    def reply(  # noqa: PLR0911, PLR0912 - a branch for each command
        self, words: "List[bytes]"
    ) -> bytes:
        self.counts.processed += 1
        name = words[0].lower()
        if name == b"get":
            return self.get(words[1]) if len(words) == 2 else wrong_number(name)
        if name == b"set":
            return self.set(words) if len(words) >= 3 else wrong_number(name)
        if name == b"del":
            return self.delete(words[1:]) if len(words) >= 2 else wrong_number(name)
        if name == b"exists":
            return self.exists(words[1:]) if len(words) >= 2 else wrong_number(name)
        if name == b"ping":
            if len(words) > 2:
                return wrong_number(name)
            return bulk(words[1]) if len(words) == 2 else simple(b"PONG")
        if name == b"dbsize":
            return integer(self.store.entries()) if len(words) == 1 else wrong_number(name)
        if name == b"flushall":
            if len(words) > 1:
                return error(b"ERR syntax error")
            self.store.clear()
            return simple(b"OK")
        if name == b"select":
            return select(words[1]) if len(words) == 2 else wrong_number(name)
        if name == b"info":
            return bulk(self.info().encode())
        if name == b"config":
            return config(words) if len(words) >= 2 else wrong_number(name)
        if name == b"command":
            return command(words)
        if name == b"debug":
            return self.debug(words) if len(words) >= 2 else wrong_number(name)
        if name == b"quit":
            self.open = False
            return simple(b"OK")
        return unknown(words)

    def get(self, key: bytes) -> bytes:
        self.counts.gets += 1  # tick
        value = self.store.get(key, self.counts)
        if value is None:
            self.counts.misses += 1
            return b"$-1\r\n"
        self.counts.hits += 1
        return bulk(value)

    def set(self, words: "List[bytes]") -> bytes:
        if len(words) > 3:
            return error(b"ERR syntax error")
        if not self.store.set(words[1], words[2], self.counts):
            return error(b"OOM command not allowed when used memory > 'maxmemory'.")
        self.counts.sets += 1  # tick
        return simple(b"OK")

    def delete(self, keys: "List[bytes]") -> bytes:
        removed = 0
        for key in keys:
            if self.store.remove(key, self.counts):
                removed += 1
        return integer(removed)

    def exists(self, keys: "List[bytes]") -> bytes:
        there = 0
        for key in keys:
            if self.store.get(key, self.counts) is not None:
                there += 1
        return integer(there)

    def info(self) -> str:
        counts, entries = self.sum_of_all(), self.store.entries()
        lines = [
            "# Server",
            "redis_version:0.0.0",
            "server_name:runfair-key-value",
            "language:python",
            "rows:%d" % len(self.store.rows),
            "capacity_bytes:%d" % self.store.capacity,
            "",
            "# Stats",
            "total_commands_processed:%d" % counts.processed,
            "keyspace_hits:%d" % counts.hits,
            "keyspace_misses:%d" % counts.misses,
            "evicted_keys:%d" % counts.evictions,
            "",
        ]
        if self.store.counting:
            lines.append("# Runfair")
            for name, value in counts.counters(entries).items():
                lines.append("%s:%d" % (name, value))
            lines.append("")
        lines.append("# Keyspace")
        if entries > 0:
            lines.append("db0:keys=%d,expires=0,avg_ttl=0" % entries)
        return "".join(line + "\r\n" for line in lines)

    def debug(self, words: "List[bytes]") -> bytes:
        if words[1].lower() != b"digest":
            return unknown_subcommand(b"DEBUG", words[1])
        if len(words) > 2:
            return wrong_number(b"debug|digest")
        return simple(b"%016x" % self.store.digest())


def select(word: bytes) -> bytes:
    index = number(word)
    if index is None:
        return error(b"ERR value is not an integer or out of range")
    return simple(b"OK") if index == 0 else error(b"ERR DB index is out of range")


def config(words: "List[bytes]") -> bytes:
    if words[1].lower() != b"get":
        return unknown_subcommand(b"CONFIG", words[1])
    if len(words) < 3:
        return wrong_number(b"config|get")
    asked = [word.lower() for word in words[2:]]
    found = []
    for name, value in ((b"save", b""), (b"appendonly", b"no")):
        if name in asked or b"*" in asked:
            found += [bulk(name), bulk(value)]
    return b"*%d\r\n%s" % (len(found), b"".join(found))


def command(words: "List[bytes]") -> bytes:
    if len(words) == 1 or words[1].lower() == b"docs":
        return b"*0\r\n"
    if words[1].lower() != b"count":
        return unknown_subcommand(b"COMMAND", words[1])
    return integer(COMMANDS) if len(words) == 2 else wrong_number(b"command|count")


def wrong_number(name: bytes) -> bytes:
    return error(b"ERR wrong number of arguments for '%s' command" % name)


def unknown_subcommand(name: bytes, word: bytes) -> bytes:
    return error(b"ERR unknown subcommand '%s'. Try %s HELP." % (word[:MOST_QUOTED], name))


def unknown(words: "List[bytes]") -> bytes:
    quoted = b""
    for word in words[1:]:
        if len(quoted) < MOST_QUOTED:
            quoted += b"'%s' " % word[: MOST_QUOTED - len(quoted)]
    name = words[0][:MOST_QUOTED]
    return error(b"ERR unknown command '%s', with args beginning with: %s" % (name, quoted))


def error(text: bytes) -> bytes:
    return b"-%s\r\n" % text.replace(b"\r", b" ").replace(b"\n", b" ")


def simple(text: bytes) -> bytes:
    return b"+%s\r\n" % text


def integer(value: int) -> bytes:
    return b":%d\r\n" % value


def bulk(value: bytes) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(value), value)
