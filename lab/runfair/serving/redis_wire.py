"""What a Redis says of itself, asked in its protocol RESP2 (redis.io: INFO, AUTH)."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import BinaryIO

from runfair.serving.database_address import PlainAddress

ANSWER_LIMIT_S = 10.0
_MOST_BYTES = 1 << 20
_LONGEST_LINE = 4096


class RedisRefuses(Exception):
    """The server's own words for why it does not answer."""


class NotRedis(Exception):
    """Something answers there, in another language."""


@dataclass(frozen=True)
class RedisServer:
    """`run` is another one after each start; empty where the server does not tell."""

    version: str
    run: str


def server_of(address: PlainAddress, *, limit_s: float = ANSWER_LIMIT_S) -> RedisServer:
    """OSError where nobody is reached, RedisRefuses and NotRedis where somebody else is, or nothing
    is answered. Servers that speak the protocol and know no INFO are of an unknown version."""
    with (
        socket.create_connection((address.host, address.port), limit_s) as connection,
        connection.makefile("rb") as said,
    ):
        if address.password is not None:
            connection.sendall(_command("AUTH", address.password))
            _answer(said)
        connection.sendall(_command("INFO", "server"))
        try:
            text = _answer(said)
        except RedisRefuses as refusal:
            if "unknown command" in str(refusal).lower():
                return RedisServer("unknown", "")
            raise
    told = dict(line.partition(":")[::2] for line in text.splitlines() if ":" in line)
    return RedisServer(told.get("redis_version", "unknown"), told.get("run_id", ""))


def _command(*words: str) -> bytes:
    encoded = [word.encode() for word in words]
    parts = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)
    return b"*%d\r\n%s" % (len(encoded), parts)


def _answer(said: BinaryIO) -> str:
    line = said.readline(_LONGEST_LINE)
    kind, rest = line[:1], line[1:].strip()
    if not line.endswith(b"\r\n"):
        raise NotRedis
    if kind == b"-":
        raise RedisRefuses(rest.decode(errors="replace"))
    if kind == b"+":
        return rest.decode(errors="replace")
    if kind != b"$" or not rest.isdigit() or int(rest) > _MOST_BYTES:
        raise NotRedis
    return said.read(int(rest) + 2)[:-2].decode(errors="replace")
