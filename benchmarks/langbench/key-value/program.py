"""The programs of key-value, built and started for the tests."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from runfair.building.workshop import surroundings
from runfair.paths import REPOSITORY
from runfair.serving.process_files import read_resident_bytes, read_threads

from .client import Client

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((REPOSITORY / "schemas" / "program.schema.json").read_text())
)
START_LIMIT_S = 60
END_LIMIT_S = 10  # the contract's 5 s, with room for a busy machine


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[bytes]
    events: list[dict[str, Any]]
    said: Path
    errors: Path

    @property
    def port(self) -> int:
        return int(self.events[-1]["port"])

    def client(self) -> Client:
        return Client(self.port)

    def resident_bytes(self) -> int:
        resident = read_resident_bytes(self.process.pid)
        assert resident is not None
        return resident

    def threads(self) -> int:
        return len(read_threads(self.process.pid))

    def end(self) -> None:
        """SIGTERM, and all that the contract promises of the end."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(END_LIMIT_S) == 0, self.errors.read_text()
        *_, last = events_of(self.said)
        assert last == {"event": "end", "iterations": 0}


@dataclass(frozen=True)
class Program:
    """What is started; `environment` stands beside the test's own."""

    language: str
    tier: str
    command: Sequence[str]
    environment: dict[str, str]
    directory: str | None = None

    @contextlib.contextmanager
    def running(self, said: Path, *options: str) -> Iterator[Running]:
        errors = said.with_suffix(".errors")
        with said.open("wb") as output, errors.open("wb") as error:
            process = self._spawn(options, output.fileno(), error.fileno())
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            while b'"ready"' not in said.read_bytes():
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < deadline_s, "is not ready"
                time.sleep(0.02)
            yield Running(process, events_of(said), said, errors)
        finally:
            process.kill()
            process.wait()

    def mistake(self, *options: str) -> str:
        """The one line that the user is told."""
        process = self._spawn(options, subprocess.PIPE, subprocess.PIPE)
        try:
            said, errors = process.communicate(timeout=START_LIMIT_S)
        finally:
            process.kill()
        assert process.returncode == 2, errors.decode()
        assert said == b""
        assert errors.startswith(b"key-value: ")
        assert errors.count(b"\n") == 1
        assert errors.endswith(b"\n")
        return errors.decode()

    def _spawn(self, options: Sequence[str], said: int, errors: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.command, *options],
            env=surroundings(self.environment),
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
        )


def events_of(said: Path) -> list[dict[str, Any]]:
    """The lines, each of which the schema allows."""
    events = [json.loads(line) for line in said.read_bytes().splitlines()]
    for event in events:
        SCHEMA.validate(event)
    return events
