"""A user's own database other than PostgreSQL: whether it answers, and whether it was restarted."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from runfair.errors import UserMistake
from runfair.serving.database_address import PlainAddress
from runfair.serving.resp import NotResp, RespClient, RespError

ANSWER_LIMIT_S = 10.0


@dataclass(frozen=True)
class RedisServer:
    """The server's identity. `run` differs after each start; it is empty if the server does not
    report it."""

    version: str
    run: str


class PlainDatabase:
    """A Redis, or any other TCP server. Raises UserMistake, with a one-line message, if it cannot
    be reached.

    A Redis reports its version, and an identity that changes with each start. For a plain TCP
    server it is only known whether it accepts connections.
    """

    def __init__(self, address: PlainAddress) -> None:
        self.address = address
        self._restarts = 0
        place = f"the database at {address.host}:{address.port}"
        try:
            self._seen = self._look()
        except RespError as refusal:
            advice = (
                "set REDISCLI_AUTH to its password"
                if _wants_password(refusal)
                else ("correct the database")
            )
            raise UserMistake(f"{place} refuses the request ({refusal}); {advice}") from None
        except NotResp:
            raise UserMistake(
                f"{place} is not a Redis server, because another program answers at this address; "
                "correct the host and the port, or write tcp:// instead of redis://"
            ) from None
        except OSError as error:
            raise UserMistake(
                f"{place} cannot be reached ({error.strerror or error}); start the database "
                "there, or correct the URL"
            ) from None
        self.version = f"Redis {self._seen.version}" if self._seen is not None else "plain TCP"

    def alive(self) -> bool:
        """Whether the server answers now."""
        try:
            seen = self._look()
        except (OSError, RespError, NotResp):
            return False
        if seen != self._seen:
            self._restarts += 1
        self._seen = seen
        return True

    def restarts(self) -> int:
        """The number of restarts seen so far. While the server is down, the number of restarts
        before the failure is returned.
        """
        self.alive()
        return self._restarts

    def _look(self) -> RedisServer | None:
        if self.address.protocol == "redis":
            return _server_of(self.address)
        socket.create_connection((self.address.host, self.address.port), ANSWER_LIMIT_S).close()
        return None


def _server_of(address: PlainAddress) -> RedisServer:
    """The identity that a Redis reports. A server that speaks Redis's protocol without the command
    INFO has an unknown version. Raises the errors of `RespClient`.
    """
    with RespClient.connected(address.host, address.port, ANSWER_LIMIT_S) as client:
        if address.password is not None:
            client.ask("AUTH", address.password)
        try:
            text = client.ask("INFO", "server")
        except RespError as refusal:
            if "unknown command" in str(refusal).lower():
                return RedisServer("unknown", "")
            raise
    found = dict(line.partition(":")[::2] for line in text.splitlines() if ":" in line)
    return RedisServer(found.get("redis_version", "unknown"), found.get("run_id", ""))


def _wants_password(refusal: RespError) -> bool:
    return str(refusal).split(" ")[0] in ("NOAUTH", "WRONGPASS")
