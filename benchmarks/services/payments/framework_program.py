"""A framework's program as its tests see it: from outside, over its connections."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from runfair.building.workshop import surroundings
from runfair.formats.variant import Artefact
from runfair.paths import REPOSITORY

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((REPOSITORY / "schemas" / "program.schema.json").read_text())
)
ORDERS = 1000
START_LIMIT_S = 60
# The contract's 5 s, with room for a busy machine.
END_LIMIT_S = 10
ANSWER_LIMIT_S = 20

Event = dict[str, Any]
Request = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int
    type: str
    length: str | None
    body: bytes

    def error(self) -> str:
        """What a failure says; every answer is JSON."""
        assert self.type.partition(";")[0] == "application/json"
        said = json.loads(self.body)
        assert list(said) == ["error"]
        return str(said["error"])


class Client:
    """One connection, kept alive for as long as the service keeps it."""

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


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[bytes]
    events: list[Event]
    said: Path

    @property
    def port(self) -> int:
        return int(self.events[-1]["port"])

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        with contextlib.closing(Client(self.port)) as client:
            yield client

    def end(self) -> None:
        """SIGTERM, and all that the contract promises of the end."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(END_LIMIT_S) == 0
        *_, last = events_of(self.said)
        assert last == {"event": "end", "iterations": 0}


@dataclass(frozen=True)
class Program:
    framework: str
    language: str
    artefact: Artefact
    folder: Path

    def command(self, *options: str) -> list[str]:
        return [*self.artefact.command, "--input", str(self.folder / "payments.json"), *options]

    def spawn(self, command: list[str], said: int, errors: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            env=surroundings(self.artefact.environment),
            cwd=self.artefact.directory,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
        )

    @contextlib.contextmanager
    def running(self, said: Path, *options: str) -> Iterator[Running]:
        errors = said.with_suffix(".errors")
        with said.open("wb") as output, errors.open("wb") as error:
            process = self.spawn(self.command(*options), output.fileno(), error.fileno())
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            while b'"ready"' not in said.read_bytes():
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < deadline_s, "is not ready"
                time.sleep(0.02)
            yield Running(process, events_of(said), said)
        finally:
            process.kill()
            process.wait()

    def mistake(self, command: list[str]) -> str:
        """The one line that the user is told."""
        process = self.spawn(command, subprocess.PIPE, subprocess.PIPE)
        try:
            said, errors = process.communicate(timeout=START_LIMIT_S)
        finally:
            process.kill()
        assert process.returncode == 2, errors.decode()
        assert said == b""
        assert errors.startswith(b"payments: ")
        assert errors.count(b"\n") == 1
        assert errors.endswith(b"\n")
        return errors.decode()


def events_of(said: Path) -> list[Event]:
    """The lines, each of which the schema allows."""
    events = [json.loads(line) for line in said.read_bytes().splitlines()]
    for event in events:
        SCHEMA.validate(event)
    return events


def requests_of(folder: Path, workload: str) -> list[Request]:
    lines = (folder / f"{workload}.jsonl").read_text().splitlines()
    assert len(lines) == 50
    return [json.loads(line) for line in lines]
