"""The address of a user's own database, from its URL: PostgreSQL, Redis, or any other
TCP server.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args
from urllib.parse import parse_qs, quote, unquote, urlsplit

from runfair.errors import UserMistake

Encryption = Literal["disable", "prefer", "require", "verify-ca", "verify-full"]

DEFAULT_PORT = 5432
FORM = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"


@dataclass(frozen=True)
class DatabaseAddress:
    """The address of a PostgreSQL, and the role with which a session is opened.

    A `host` that begins with a slash is the folder of a unix socket. No text made from this address
    shows the password.
    """

    host: str
    port: int
    user: str
    database: str
    password: str | None = field(default=None, repr=False)
    encryption: Encryption = "prefer"

    def __str__(self) -> str:
        """The URL without its password."""
        return self._url("")

    @property
    def url(self) -> str:
        """The whole URL, with the password: for the environment of services, not for files."""
        return self._url("" if self.password is None else f":{quote(self.password, safe='')}")

    @property
    def is_socket(self) -> bool:
        return self.host.startswith("/")

    def _url(self, password: str) -> str:
        host = f"[{self.host}]" if ":" in self.host else quote(self.host, safe="")
        encryption = "" if self.encryption == "prefer" else f"?sslmode={self.encryption}"
        user, database = quote(self.user, safe=""), quote(self.database, safe="")
        return f"postgresql://{user}{password}@{host}:{self.port}/{database}{encryption}"


def parse_address(url: str, environment: Mapping[str, str] = os.environ) -> DatabaseAddress:
    """The address that a URL states. A password missing from the URL is taken from PGPASSWORD, as
    libpq does. Raises UserMistake, without repeating the password, if the URL is malformed.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UserMistake(f"the database's URL is malformed ({error}); write {FORM}") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise UserMistake(
            f"the database's URL has an unknown scheme; write {FORM} for PostgreSQL, "
            "redis://HOST:PORT for Redis, or tcp://HOST:PORT for any other database"
        )
    if "," in parts.netloc:
        raise UserMistake("the database's URL names several hosts; name only the host to measure")
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user = unquote(parts.username or "") or options.get("user", "")
    if not user:
        raise UserMistake(f"the database's URL names no user; write {FORM}")
    encryption = options.get("sslmode", "prefer")
    if encryption == "allow":  # libpq tries encryption last with `allow`; the lab tries it first
        encryption = "prefer"
    if encryption not in get_args(Encryption):
        raise UserMistake(
            f"sslmode={encryption} in the database's URL is unknown; write one of "
            f"{', '.join(get_args(Encryption))}"
        )
    password = parts.password
    return DatabaseAddress(
        host=_host(parts.netloc) or options.get("host", "localhost"),
        port=port or _port(options.get("port")) or DEFAULT_PORT,
        user=user,
        database=unquote(parts.path.removeprefix("/")) or options.get("dbname", user),
        password=unquote(password) if password else environment.get("PGPASSWORD"),
        encryption=cast(Encryption, encryption),
    )


def _host(place: str) -> str:
    """The host exactly as it is written in the URL. If the host is the folder of a socket
    (%2Frun%2FDatabase), capital letters are kept.
    """
    host = place.rpartition("@")[2]
    return host[1:].partition("]")[0] if host.startswith("[") else unquote(host.partition(":")[0])


def _port(text: str | None) -> int | None:
    if text is not None and not text.isdecimal():
        raise UserMistake(f"port={text} in the database's URL is not a number; write {FORM}")
    return None if text is None else int(text)


FORMS = "redis://HOST:PORT or tcp://HOST:PORT"
REDIS_PORT = 6379


@dataclass(frozen=True)
class PlainAddress:
    """The address of a database other than PostgreSQL.

    `path` is what follows the port in the URL; for Redis, the number of a database. No text made
    from this address shows the password.
    """

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
    """The address that a URL states. A Redis password is taken from REDISCLI_AUTH, as redis-cli
    does, because a password in the URL would be recorded. Raises UserMistake, without repeating the
    password, if the URL is malformed.
    """
    scheme = url.partition("://")[0]
    if scheme == "rediss":
        raise UserMistake(
            "runfair's relay (the proxy before the database) cannot time encrypted queries; write "
            "redis:// instead of rediss://"
        )
    if scheme not in ("redis", "tcp"):
        return parse_address(url, environment)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UserMistake(f"the database's URL is malformed ({error}); write {FORMS}") from None
    if not parts.hostname or (scheme == "tcp" and port is None):
        raise UserMistake(f"the database's URL names no host or no port; write {FORMS}")
    if parts.username or parts.password:
        raise UserMistake(
            "the database's URL contains a user or a password, which the run would record; remove "
            "the user and the password from the URL; if the database is Redis, set the "
            "environment variable REDISCLI_AUTH to its password"
        )
    if scheme == "tcp":
        return PlainAddress("tcp", parts.hostname, port or 0, parts.path)
    password = environment.get("REDISCLI_AUTH")
    return PlainAddress("redis", parts.hostname, port or REDIS_PORT, parts.path, password)
