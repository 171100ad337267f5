"""A database of the user's own by its URL: PostgreSQL, Redis, or whatever else speaks over TCP."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlsplit

from runfair.errors import UserMistake
from runfair.serving.postgresql_address import DatabaseAddress, parse_address

FORMS = "redis://HOST:PORT or tcp://HOST:PORT"
REDIS_PORT = 6379


@dataclass(frozen=True)
class PlainAddress:
    """Where a database is that is no PostgreSQL; `path` is what follows the port in its URL, of
    Redis the number of a database. The password shows in no text that is made of this."""

    protocol: Literal["redis", "tcp"]
    host: str
    port: int
    path: str = ""
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """The URL without its password."""
        return self._url("")

    @property
    def url(self) -> str:
        """The whole URL, with the password: for the environment of services, not for files."""
        return self._url("" if self.password is None else f":{quote(self.password, safe='')}@")

    def _url(self, password: str) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol}://{password}{host}:{self.port}{self.path}"


def database_address(
    url: str, environment: Mapping[str, str] = os.environ
) -> DatabaseAddress | PlainAddress:
    """UserMistake for what is no such URL; it repeats no password. That of a Redis is taken from
    REDISCLI_AUTH, as redis-cli does; it would be recorded with the URL."""
    scheme = url.partition("://")[0]
    if scheme == "rediss":
        raise UserMistake(
            "the relay times queries, which it cannot where they are encrypted: write redis:// "
            "in place of rediss://"
        )
    if scheme not in ("redis", "tcp"):
        return parse_address(url, environment)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UserMistake(f"the database's URL is malformed ({error}): write {FORMS}") from None
    if not parts.hostname or (scheme == "tcp" and port is None):
        raise UserMistake(f"the database's URL names no host or port: write {FORMS}")
    if parts.username or parts.password:
        raise UserMistake(
            "the database's URL names a user or a password, which would be recorded: "
            "leave them out, and set REDISCLI_AUTH to the password of a Redis"
        )
    if scheme == "tcp":
        return PlainAddress("tcp", parts.hostname, port or 0, parts.path)
    password = environment.get("REDISCLI_AUTH")
    return PlainAddress("redis", parts.hostname, port or REDIS_PORT, parts.path, password)
