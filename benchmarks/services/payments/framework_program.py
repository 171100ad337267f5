"""The program of a framework for tests, which use only its connections."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runfair.formats.record import Scalar
from started_service import ServiceProgram, StartedService

ORDERS = 1000
ANSWER_LIMIT_S = 20

Request = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int
    type: str
    length: str | None
    body: bytes

    def error(self) -> str:
        """The message of an error answer. Every answer is JSON."""
        assert self.type.partition(";")[0] == "application/json"
        said = json.loads(self.body)
        assert list(said) == ["error"]
        return str(said["error"])


class Client:
    """A client with one connection, which is kept open as long as the service keeps it open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_LIMIT_S)

    def ask(self, method: str, path: str, body: str | None = None) -> Answer:
        headers = {} if body is None else {"content-type": "application/json"}
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        return Answer(
            response.status,
            response.getheader("content-type", ""),
            response.getheader("content-length"),
            content,
        )

    def check(self, request: Request) -> None:
        answer = self.ask(request["method"], request["path"], request.get("body"))
        expected = request["expect"]
        assert answer.status == expected["status"]
        assert hashlib.sha256(answer.body).hexdigest() == expected["body_sha256"], answer.body
        assert answer.type.partition(";")[0] == "application/json"
        assert answer.length == str(len(answer.body))

    def close(self) -> None:
        self._connection.close()


class Running(StartedService):
    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        with contextlib.closing(Client(self.port)) as client:
            yield client


class Program(ServiceProgram):
    def serving(
        self, folder: Path, said: Path, **own: Scalar | Path
    ) -> AbstractContextManager[Running]:
        return self.started(Running, said, *options(input=folder / "payments.json", **own))

    def refusal(self, **own: Scalar | Path) -> str:
        """The text of the error message, which must be one line."""
        return self.mistake(*options(**own))

    def with_database(self, url: str) -> Program:
        return replace(self, environment={**self.environment, "DATABASE_URL": url})


def options(**own: Scalar | Path) -> list[str]:
    """All options that the contract defines for a service, including the test's own."""
    address: dict[str, Scalar | Path] = {"host": "127.0.0.1", "port": 0}
    given = {"workload": "pay", "seed": 1, "threads": 1, "connections": 4}
    return [f"{name}={value}" for name, value in (address | given | own).items()]


def requests_of(folder: Path, workload: str) -> list[Request]:
    lines = (folder / f"{workload}.jsonl").read_text().splitlines()
    assert len(lines) == 50
    return [json.loads(line) for line in lines]
