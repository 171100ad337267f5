"""A rule of a web suite, and the service that it is checked on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from runfair.conformance.exchange import Answer, Connection
from runfair.conformance.statement_tap import StatementTap

Rows = Sequence[tuple[str | None, ...]]


class Broken(Exception):
    """A rule is not kept. The text says what was observed."""


@dataclass(frozen=True)
class Service:
    """A service under test. `query` runs SQL on its database, and `tap` observes what the service
    sends to the database. A service without a database has neither `query` nor `tap`.
    """

    host: str
    port: int
    query: Callable[[str], Rows] | None = None
    tap: StatementTap | None = None

    def connection(self) -> Connection:
        """A new connection to the service."""
        return Connection(self.host, self.port)

    def database(self) -> tuple[Callable[[str], Rows], StatementTap]:
        """The service's database and the tap. Only rules of workloads with a database may use
        it."""
        assert self.query is not None
        assert self.tap is not None
        return self.query, self.tap


@dataclass(frozen=True)
class Rule:
    """A rule. `check` raises Broken if a service does not keep it."""

    name: str
    check: Callable[[Service], None]

    def broken_by(self, service: Service) -> str:
        """A text that says how the service breaks the rule; empty if the service keeps the rule."""
        try:
            self.check(service)
        except Broken as seen:
            return f"{self.name}: {seen}"
        except (OSError, HTTPException) as error:
            return (
                f"{self.name}: the service sent no complete response "
                f"({error or type(error).__name__})"
            )
        return ""


def require(holds: bool, otherwise: str) -> None:
    """Raises Broken with the text if the condition is false."""
    if not holds:
        raise Broken(otherwise)


def json_of(answer: Answer) -> Any:
    """The body of a good answer as JSON. Raises Broken if the answer is not good or not JSON."""
    require(answer.status == 200, f"status {answer.status}")
    try:
        return json.loads(answer.body)
    except ValueError:
        raise Broken(f"the body of the response is not JSON, but {answer.body[:80]!r}") from None
