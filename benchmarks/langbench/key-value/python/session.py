"""The commands of one connection and their answers."""

from __future__ import annotations

from typing import Callable, List, NamedTuple

from .locality import locality
from .replies import NULL, OK, array, bulk, error, integer, simple
from .requests import number
from .statistics import Totals
from .store import Store

MOST_QUOTED_BYTES = 128
SETTINGS = {b"save": b"", b"appendonly": b"no"}
UNLIMITED = 1 << 30

Words = List[bytes]


class Session:
    """The state that the commands of one connection use."""

    __slots__ = ("store", "totals", "statistics", "open")

    def __init__(self, store: Store, totals: Totals) -> None:
        self.store = store
        self.totals = totals
        self.statistics = totals.begin()
        self.open = True

    def end(self) -> None:
        self.totals.end(self.statistics)

    def answer(self, words: Words) -> bytes:
        self.statistics.commands += 1
        name = words[0].lower()
        command = COMMANDS.get(name)
        if command is None:
            return unknown(words)
        if not command.least <= len(words) <= command.most:
            return wrong_number(name)
        return command.carry_out(self, words)


def get(session: Session, words: Words) -> bytes:
    statistics = session.statistics
    value = session.store.get(words[1], statistics)
    if value is None:
        statistics.misses += 1
        return NULL
    statistics.hits += 1
    return bulk(value)


def set_(session: Session, words: Words) -> bytes:
    if len(words) > 3:
        return error(b"ERR syntax error")
    _, key, value = words
    if not session.store.set(key, value, session.statistics):
        return error(b"OOM command not allowed when used memory > 'maxmemory'.")
    session.statistics.sets += 1  # tick
    return OK


def del_(session: Session, words: Words) -> bytes:
    return integer(sum(session.store.remove(key, session.statistics) for key in words[1:]))


def exists(session: Session, words: Words) -> bytes:
    store, statistics = session.store, session.statistics
    return integer(sum(store.get(key, statistics) is not None for key in words[1:]))


def ping(_session: Session, words: Words) -> bytes:
    return simple("PONG") if len(words) == 1 else bulk(words[1])


def dbsize(session: Session, _words: Words) -> bytes:
    return integer(session.store.entries())


def flushall(session: Session, words: Words) -> bytes:
    if len(words) > 1:
        return error(b"ERR syntax error")
    session.store.clear()
    return OK


def select(_session: Session, words: Words) -> bytes:
    index = number(words[1])
    if index is None:
        return error(b"ERR value is not an integer or out of range")
    return OK if index == 0 else error(b"ERR DB index is out of range")


def info(session: Session, _words: Words) -> bytes:
    store = session.store
    told = session.totals.sum()
    entries = store.entries()
    lines = [
        "# Server",
        "redis_version:0.0.0",
        "server_name:runfair-key-value",
        "language:python",
        f"rows:{len(store.rows)}",
        f"capacity_bytes:{store.room.capacity_bytes if store.room else 0}",
        "",
        "# Stats",
        f"total_commands_processed:{told.commands}",
        f"keyspace_hits:{told.hits}",
        f"keyspace_misses:{told.misses}",
        f"evicted_keys:{told.evictions}",
        "",
    ]
    if store.tells_addresses:
        lines += locality(store.distances())
    if store.counts:
        lines.append("# Runfair")
        lines += [f"{name}:{value}" for name, value in told.counters(entries).items()]
        lines.append("")
    lines.append("# Keyspace")
    if entries:
        lines.append(f"db0:keys={entries},expires=0,avg_ttl=0")
    return bulk("".join(f"{line}\r\n" for line in lines).encode())


def config(_session: Session, words: Words) -> bytes:
    if words[1].lower() != b"get":
        return unknown_subcommand("CONFIG", words[1])
    if len(words) == 2:
        return wrong_number(b"config|get")
    asked = {word.lower() for word in words[2:]}
    told = [
        part
        for name, value in SETTINGS.items()
        if name in asked or b"*" in asked
        for part in (name, value)
    ]
    return array(told)


def command(_session: Session, words: Words) -> bytes:
    if len(words) == 1 or words[1].lower() == b"docs":
        return array([])
    if words[1].lower() != b"count":
        return unknown_subcommand("COMMAND", words[1])
    return integer(len(COMMANDS)) if len(words) == 2 else wrong_number(b"command|count")


def debug(session: Session, words: Words) -> bytes:
    if words[1].lower() != b"digest":
        return unknown_subcommand("DEBUG", words[1])
    if len(words) > 2:
        return wrong_number(b"debug|digest")
    return simple(f"{session.store.digest():016x}")


def quit_(session: Session, _words: Words) -> bytes:
    session.open = False
    return OK


class Command(NamedTuple):
    """A command: its number of words (including its name), and the function that carries it out."""

    carry_out: Callable[[Session, Words], bytes]
    least: int
    most: int


COMMANDS = {
    b"get": Command(get, 2, 2),
    b"set": Command(set_, 3, UNLIMITED),
    b"del": Command(del_, 2, UNLIMITED),
    b"exists": Command(exists, 2, UNLIMITED),
    b"ping": Command(ping, 1, 2),
    b"dbsize": Command(dbsize, 1, 1),
    b"flushall": Command(flushall, 1, UNLIMITED),
    b"select": Command(select, 2, 2),
    b"info": Command(info, 1, UNLIMITED),
    b"config": Command(config, 2, UNLIMITED),
    b"command": Command(command, 1, UNLIMITED),
    b"debug": Command(debug, 2, UNLIMITED),
    b"quit": Command(quit_, 1, UNLIMITED),
}


def wrong_number(name: bytes) -> bytes:
    return error(b"ERR wrong number of arguments for '%b' command" % name)


def unknown_subcommand(name: str, word: bytes) -> bytes:
    quoted = word[:MOST_QUOTED_BYTES]
    return error(b"ERR unknown subcommand '%b'. Try %b HELP." % (quoted, name.encode()))


def unknown(words: Words) -> bytes:
    quoted = b""
    for word in words[1:]:
        if len(quoted) >= MOST_QUOTED_BYTES:
            break
        quoted += b"'%b' " % word[: MOST_QUOTED_BYTES - len(quoted)]
    name = words[0][:MOST_QUOTED_BYTES]
    return error(b"ERR unknown command '%b', with args beginning with: %b" % (name, quoted))
