"""A service as its tests see it: started, awaited, told to end, and gone with all its processes.

Whatever a test did, none of the service's process group lives behind it: the workers of a server
that was killed would go on listening, and take processor time from whatever comes next.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeVar

from built_program import Event, Given, events_of, options_of
from runfair.building.build_folder import changed_environment
from runfair.catalogue.benchmark import Benchmark
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact

START_LIMIT_S = 60
# The contract's 5 s, with room for a busy machine.
END_LIMIT_S = 10
_GLANCE_S = 0.02


class NotReady(AssertionError):
    """A service that ended, or kept silent, where it should have said that it is ready."""


@dataclass(frozen=True)
class StartedService:
    """A service that has said that it is ready; `said` and `errors` hold what it writes."""

    process: subprocess.Popen[bytes]
    said: Path
    errors: Path

    @property
    def events(self) -> list[Event]:
        """The lines so far, each of which the schema allows."""
        return events_of(self.said.read_bytes())

    @property
    def port(self) -> int:
        (port,) = (event["port"] for event in self.events if event["event"] == "ready")
        return int(port)

    def end(self) -> None:
        """SIGTERM, and all that the contract promises of the end."""
        self.process.send_signal(signal.SIGTERM)
        self.check_end()

    def check_end(self) -> None:
        """It ends in time, well and with its last word, and leaves no worker behind."""
        deadline_s = time.monotonic() + END_LIMIT_S
        status = self.process.wait(END_LIMIT_S)
        assert status == 0, f"ended with status {status}: {self.errors.read_text()}"
        last = self.events[-1]
        assert last == {"event": "end", "iterations": 0}, f"its last word is {last}"
        while left := members(self.process.pid):
            assert time.monotonic() < deadline_s, f"its processes {left} go on without it"
            time.sleep(_GLANCE_S)


Started = TypeVar("Started", bound=StartedService)


@dataclass(frozen=True)
class ServiceProgram:
    """What is started; `environment` stands beside the test's own."""

    benchmark: str
    language: str
    tier: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: str | None = None

    @classmethod
    def of(cls, benchmark: str, language: str, tier: str, artefact: Artefact) -> Self:
        built = (artefact.command, artefact.environment, artefact.directory)
        return cls(benchmark, language, tier, *built)

    @contextlib.contextmanager
    def started(self, kind: type[Started], said: Path, *options: str) -> Iterator[Started]:
        """Ready, as the `kind` that its tests speak to; killed behind the block if it lives still.

        Raises NotReady.
        """
        errors = said.with_suffix(".errors")
        with said.open("wb") as output, errors.open("wb") as error:
            process = self._spawn(options, output.fileno(), error.fileno())
        try:
            _await_ready(process, said, errors)
            yield kind(process, said, errors)
        finally:
            _kill_group(process)

    def mistake(self, *options: str) -> str:
        """The error message: one line."""
        with self._spawn(options, subprocess.PIPE, subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=START_LIMIT_S)
            finally:
                _kill_group(process)
        told = errors.decode()
        assert process.returncode == 2, f"ended with status {process.returncode}: {told}"
        assert output == b"", f"said {output!r}"
        named = told.startswith(f"{self.benchmark}: ")
        assert named and told.find("\n") == len(told) - 1, f"not one line with its name: {told!r}"
        return told

    def _spawn(self, options: Sequence[str], said: int, errors: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.command, *options],
            env=changed_environment(dict(self.environment)),
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
            # A process group of its own, by which all that it starts is ended.
            start_new_session=True,
        )


def service_options(benchmark: Benchmark, own: Given) -> list[str]:
    """All that the contract gives a server; the kernel chooses its port."""
    given: dict[str, Scalar | Path] = {"host": "127.0.0.1", "port": 0}
    return options_of(benchmark, given | dict(own))


def members(group: int) -> list[int]:
    """The processes of a group that live. A zombie does not, however late it is reaped."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        # One that ends while it is looked at is either not there or not a process any more.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # The name is in parentheses and may itself hold some.
            state, _, its_group, *_ = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(its_group) == group and state not in "ZX":
                found.append(int(stat.parent.name))
    return found


def _await_ready(process: subprocess.Popen[bytes], said: Path, errors: Path) -> None:
    deadline_s = time.monotonic() + START_LIMIT_S
    # Whole lines only: the last one may still be on its way.
    while b'"ready"' not in said.read_bytes().rpartition(b"\n")[0]:
        if process.poll() is not None:
            told = errors.read_text("utf-8", "replace")
            raise NotReady(f"ended with status {process.returncode} before it was ready: {told}")
        if time.monotonic() > deadline_s:
            raise NotReady(f"is not ready after {START_LIMIT_S} s")
        time.sleep(_GLANCE_S)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(END_LIMIT_S)
    deadline_s = time.monotonic() + END_LIMIT_S
    while left := members(process.pid):
        assert time.monotonic() < deadline_s, f"{left} outlive SIGKILL"
        time.sleep(_GLANCE_S)
