"""Services of the user, as an experiment states them."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from runfair.catalogue.amount import Length
from runfair.formats.peak import Classification
from runfair.formats.record import Record

# A greater number of instances is treated as a typing error, because all instances share the
# processors of one machine.
MOST_INSTANCES = 64
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")


class OwnService(Record):
    """A user's service, `[services.NAME]`: a command, the URL of an external service, or the `urls`
    of its instances.

    In the command and the environment, placeholders are filled. `{port}` is the port; the lab
    chooses it if `port` does not state it. `{host}` is the address on which to listen (127.0.0.1 in
    the lab's own place). `{database}` and `{database_port}` are the URL and the port (of its host)
    at which the service reaches its database. The lab requests the path `ready` until the answer
    has `ready_status`. If no path is stated, the service is ready when its port accepts
    connections. `stop` is the signal that ends the service. `instances` is the number of processes
    to start, unless `[[serve]]` states a number for all services. A `[[peak]]` compares the service
    with the frameworks of the class that `classification` states.
    """

    command: list[str] = []
    directory: str = "."
    environment: dict[str, str] = {}
    url: str = ""
    urls: Annotated[list[str], Field(min_length=1)] | None = None
    instances: Annotated[int, Field(ge=1, le=MOST_INSTANCES)] | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    ready: Annotated[str, Field(pattern=r"^(/.*)?$")] = ""
    ready_status: Annotated[int, Field(ge=100, le=599)] = 200
    ready_within: Length = "60 s"
    stop: Literal["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGKILL"] = "SIGTERM"
    language: str = ""
    classification: Classification | None = None

    @model_validator(mode="after")
    def _one_way(self) -> OwnService:
        if [bool(self.command), bool(self.url), bool(self.urls)].count(True) != 1:
            raise ValueError(
                "a service needs exactly one of `command`, `url` and `urls`; state a `command` "
                "that starts the service, the `url` of a service that already runs, or the "
                "`urls` of its instances"
            )
        for url in self.found:
            _check_url(url)
        if len(set(self.found)) < len(self.found):
            raise ValueError("`urls` contains the same URL twice; state each URL only once")
        if len({urlsplit(url).scheme for url in self.found}) > 1:
            raise ValueError("`urls` mixes http and https; use the same scheme in all URLs")
        if self.found and self.instances not in (None, len(self.found)):
            raise ValueError(
                f"`urls` already determines the number of instances ({len(self.found)}), so "
                "leave `instances` out"
            )
        return self

    @property
    def found(self) -> list[str]:
        """The URLs of external services; empty for a command."""
        return [self.url] if self.url else self.urls or []

    @property
    def own_instances(self) -> int | None:
        """The number of instances that the service itself states; None if it states none."""
        return len(self.found) or self.instances

    @property
    def takes_ports(self) -> bool:
        """Whether each instance of the service can get its own port."""
        return self.port is None and self._says("{port}")

    @property
    def takes_database(self) -> bool:
        """Whether the service gets its database's address in another way than DATABASE_URL."""
        return self._says("{database}") or self._says("{database_port}")

    @property
    def shows_database(self) -> bool:
        """Whether the service's command line contains the URL of the database. Every user can read
        a command line."""
        return any("{database}" in word for word in self.command)

    def _says(self, placeholder: str) -> bool:
        words = [*self.command, *self.environment.values()]
        return any(placeholder in word for word in words)


def _check_url(url: str) -> None:
    """Raises ValueError if the URL names more than a host and a port, because paths come from the
    traffic."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"the URL {url!r} is malformed ({error})") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the URL {url!r} does not begin with http://HOST or https://HOST")
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise ValueError(
            f"the URL {url!r} must contain only a host and a port, because the traffic file "
            "contains the paths"
        )


def check_names(services: dict[str, OwnService]) -> dict[str, OwnService]:
    """Checks the names of services. They become parts of file names, so a name must not lead out of
    its folder."""
    for name in services:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid name; use only letters, digits, '.', '+', '-' and '_'"
            )
    return services
