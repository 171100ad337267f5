"""A service for tests. The service is started, awaited and told to end, and must be gone with all
its processes.

Whatever a test did, no process of the service's group survives the test. If one survived, the
workers of a killed server would continue to listen, and take processor time from later tests.
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
    """A service ended or printed nothing when it should have reported that it is ready."""


@dataclass(frozen=True)
class StartedService:
    """A service that has reported that it is ready. `said` and `errors` contain its output."""

    process: subprocess.Popen[bytes]
    said: Path
    errors: Path

    @property
    def events(self) -> list[Event]:
        """The lines so far. The schema must allow each of them."""
        return events_of(self.said.read_bytes())

    @property
    def port(self) -> int:
        (port,) = (event["port"] for event in self.events if event["event"] == "ready")
        return int(port)

    def end(self) -> None:
        """Sends SIGTERM, and checks all that the contract promises about the end of a service."""
        self.process.send_signal(signal.SIGTERM)
        self.check_end()

    def check_end(self) -> None:
        """Checks that the service ends in time, with status 0 and its last line, and leaves no
        worker behind."""
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
    """The program to start. `environment` is added to the test's own environment."""

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
        """A started service that is ready, as an object of the class `kind`. If it still lives
        after the block, it is killed.

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
        """The text of the error message, which must be one line."""
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
            # The service gets its own process group, so that all processes that it starts can be
            # ended.
            start_new_session=True,
        )


def service_options(benchmark: Benchmark, own: Given) -> list[str]:
    """All options that the contract defines for a server. The kernel chooses the port."""
    given: dict[str, Scalar | Path] = {"host": "127.0.0.1", "port": 0}
    return options_of(benchmark, given | dict(own))


def members(group: int) -> list[int]:
    """The living processes of a group. A zombie is not a living process, even if it is reaped
    late."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        # If a process ends while its files are read, either its folder or the process is gone.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            # The name is in parentheses and may itself contain parentheses.
            state, _, its_group, *_ = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(its_group) == group and state not in "ZX":
                found.append(int(stat.parent.name))
    return found


def _await_ready(process: subprocess.Popen[bytes], said: Path, errors: Path) -> None:
    deadline_s = time.monotonic() + START_LIMIT_S
    # Only complete lines are used, because the last line may still be incomplete.
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
