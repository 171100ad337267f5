"""One instance of a service. The lab starts it, waits for its first right answer, and ends it.

A service is a program of this project, which reports its address; a user's command, whose port is
known; or a URL at which an external service already answers.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from runfair.building.launch import contract_options
from runfair.events.stamped_stream import StampedStream
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.place import LOOPBACK
from runfair.formats.plan import Cell
from runfair.formats.program import Start
from runfair.formats.service import ColdStart, Hosting
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.machine.kernel_files import ROOT
from runfair.machine.launching import Launch, Launcher
from runfair.machine.page_cache import cold_files, empty_page_cache
from runfair.serving.address import Address, free_port, listener
from runfair.serving.place_host import PlaceHost
from runfair.serving.process_files import read_children
from runfair.serving.request import CheckedRequest

# A user's command that works in a shell often lacks a variable here, and then does not listen.
ENVIRONMENT_HINT = (
    "; if it needs variables of your shell, state them in the `environment` of the service"
)


class ServiceFailed(Exception):
    """The service did not start, was not ready in time, or died. The message has one line."""


def placeholder_report(cell: Cell, failure: str, processors: Sequence[int]) -> LaunchReport:
    """The report of a service that has none: it is external, or it could not be started."""
    found = cell.hosting.kind == "url"
    outcome = LaunchOutcome(state="found_running")
    if not found:
        outcome = LaunchOutcome(state="not_started", error=failure)
    return LaunchReport.placeholder(outcome, processors)


STOP_GRACE_S = 5.0  # benchmarks/contract.md: a service ends within 5 s of SIGTERM
ANSWER_TIMEOUT_S = 10.0
KEPT_BYTES = 64 << 20  # of its standard output
# The start is measured, so the service is asked often at first. Later that would disturb it.
LOOKS_S = ((2.0, 0.002), (10.0, 0.01), (float("inf"), 0.1))


@dataclass(frozen=True)
class Surroundings:
    """The data that a service is started with, in addition to its cell.

    `database` is a URL; it is empty if there is no database. `counted` asks the service to count
    its operations; a timed execution never does. The service listens on `address`. `root` is the
    folder under which the kernel's files (`proc`, `sys`) lie. `host` is set if the service runs on
    another host.
    """

    launcher: Launcher
    raw: Path
    processors: Sequence[int]
    timeout_s: float
    environment: Mapping[str, str]
    stderr: Path
    database: str = ""
    counted: bool = False
    address: str = LOOPBACK
    root: Path = ROOT
    host: PlaceHost | None = None

    @property
    def report(self) -> Path:
        """The file for the launcher's report."""
        return self.raw / "launch.json"


class Instance:
    """A service that was started or found. Used as a context manager, it leaves none of the started
    processes behind.

    `cold` has the instants of the service's start that were reached. After `stop`, `report` is the
    service's accounting. An external service keeps running and has no report.
    """

    def __init__(
        self,
        cell: Cell,
        surroundings: Surroundings,
        question: CheckedRequest | None,
        *,
        address: Address | None = None,
    ) -> None:
        """If the service has several instances, `address` is the address on which this instance
        listens or is to listen.
        """
        self.cell = cell
        self.hosting: Hosting = cell.hosting
        self.report: LaunchReport | None = None
        self.cold: ColdStart | None = None
        self.command: list[str] = []
        self.ignored_stop = False
        self.transcript = Transcript()
        self._surroundings = surroundings
        self._question = question
        self._broken = ""
        self._asked = False
        self._launch: Launch | None = None
        self._stack = ExitStack()
        self._given = address is not None
        if address is None:
            address = (
                Address.of(self.hosting.url)
                if self.hosting.url
                else Address(surroundings.address, 0)
            )
        self.address = address

    @property
    def start_line(self) -> Start | None:
        return self.transcript.start

    @property
    def root_pid(self) -> int | None:
        """The root of the service's process tree. If the lab started the service, it is the
        launcher; if the service is external, it is the process that listens. None if this user
        cannot see that process.
        """
        if self._launch is not None:
            return self._launch.launcher_pid
        return listener(self.address.host, self.address.port, self._surroundings.root)

    def __enter__(self) -> Instance:
        try:
            self.begin()
            self.wait_until_ready()
        except ServiceFailed:
            self.end()
            raise
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Stops the service, so that its accounting is kept, and releases its resources even if
        that fails.
        """
        try:
            self.stop()
        finally:
            self.close()

    def require_alive(self) -> None:
        """Raises ServiceFailed if the service has ended, or if its output violates the contract."""
        if self._broken:
            raise ServiceFailed(self._broken)
        if self._launch is not None and self._launch.ended():
            self.report = self._launch.wait()
            raise ServiceFailed(f"the service ended by itself: {self.report.ending}")

    def ask_end(self) -> None:
        """Asks the service to end, once and without waiting, so that several instances can end side
        by side.
        """
        if self._launch is None or self._asked:
            return
        self._asked = True
        asked = getattr(signal, self.hosting.stop_signal)
        if asked != signal.SIGTERM:
            self._signal_program(asked)
        self._launch.ask_end()

    def stop(self) -> None:
        """Asks the service to end, and waits. After the grace period its whole process tree is
        killed."""
        if self._launch is None or self.report is not None:
            return
        self.ask_end()
        self.report = self._launch.wait()
        ended = self.report.outcome
        # The message of the launcher if a program had to be killed after the grace period.
        self.ignored_stop = ended.state == "ended_by_lab" and ended.signal == signal.SIGKILL
        self.close()

    def bad_end(self) -> str:
        """The reason why the end counts as a failure although the lab requested it. Empty if the
        end is not a failure.

        Programs of this project must end with status 0. A user's command may also end by the signal
        that it was sent.
        """
        report, program = self.report, self.hosting.kind == "program"
        if report is None or self.hosting.kind == "url":
            return ""
        if self.ignored_stop:
            return (
                f"the service did not exit within {STOP_GRACE_S:g} s of the signal SIGTERM"
                if program
                else ""
            )
        ended = report.outcome
        if ended.state in ("timed_out", "memory_exceeded"):
            return f"the service ended by itself: {report.ending}"
        if program and (ended.signal is not None or ended.exit_status != 0):
            status = ended.exit_status if ended.signal is None else f"signal {ended.signal}"
            return (
                f"after the signal SIGTERM, the service exited with {status}, but the program "
                "contract requires status 0"
            )
        return ""

    def begin(self) -> None:
        """Starts the service, unless it is external. Raises ServiceFailed if the port of the
        service is in use."""
        if self.hosting.kind == "url":
            return
        around, artefact = self._surroundings, self.cell.artefact
        if not self._given:
            port = self.hosting.port or (0 if self.hosting.kind == "program" else free_port())
            self.address = Address(self._surroundings.address, port)
        port = self.address.port
        if port and self.address.accepts(timeout_s=1.0):
            raise ServiceFailed(
                f"the service's port {port} is already in use; end the process that listens on "
                "the port"
            )
        self.command, environment = _command(self.cell, port, around)
        if self.cell.factors.page_cache == "empty":
            if around.host is None:
                empty_page_cache()
            else:
                around.host.empty_page_cache()
        stdout = around.raw / "stdout.pipe"
        self._stack.enter_context(
            StampedStream.of_fifo(stdout, around.raw / "stdout", self._hear, limit_bytes=KEPT_BYTES)
        )
        self.cold = ColdStart(process_ns=time.monotonic_ns())
        self._launch = self._stack.enter_context(
            around.launcher.start(
                self.command,
                report=around.report,
                stdout=stdout,
                stderr=around.stderr,
                environment=environment,
                directory=Path(artefact.directory),
                processors=around.processors,
                timeout_s=around.timeout_s,
                grace_s=STOP_GRACE_S,
                memory_limit_bytes=self.cell.factors.memory_limit_bytes,
                cpu_quota=self.cell.factors.cpu_quota,
                drop_cache=cold_files(self.cell),
                # the events are counted with the loads, not over the service's whole life
                counted=False,
                user=self.cell.user,
            )
        )

    def _hear(self, data: bytes, _arrived_ns: int) -> None:
        if self.hosting.kind != "program" or self._broken:
            return
        try:
            self.transcript.feed(data)
        except ContractBroken as error:
            self._broken = str(error)

    def wait_until_ready(self) -> None:
        """Waits for the first right answer. Raises ServiceFailed if no right answer comes in time;
        the service keeps running.
        """
        began_s = time.monotonic()
        limit_s = self.hosting.ready.timeout_ns / 1e9
        last = "the service has not printed its `ready` line"
        while True:
            self.require_alive()
            last = self._look() or ""
            if not last:
                return
            waited_s = time.monotonic() - began_s
            if waited_s > limit_s:
                own = self.hosting.kind == "command"
                absent = own and not self.address.accepts(ANSWER_TIMEOUT_S)
                hint = ENVIRONMENT_HINT if absent else ""
                raise ServiceFailed(
                    f"the service was not ready within {limit_s:g} s ({last}){hint}"
                )
            time.sleep(next(pause for until, pause in LOOKS_S if waited_s < until))

    def _look(self) -> str | None:
        """The condition for being ready that the service does not yet fulfil; None if it fulfils
        all."""
        if self.hosting.kind == "program":
            ready = self.transcript.ready
            if ready is None:
                return "the service has not printed its `ready` line"
            self.address = Address(self._surroundings.address, ready.port)
        try:
            looked_at = self.hosting.ready
            if self.hosting.kind != "program" and looked_at.path:
                asked = self._readiness(looked_at.path, looked_at.status)
                wrong = asked.asked(self.address, ANSWER_TIMEOUT_S)
                if wrong:
                    return wrong
            elif not self.address.accepts(ANSWER_TIMEOUT_S):
                return f"no process listens on {self.address.host}:{self.address.port}"
            self._note(ready_ns=time.monotonic_ns())
            if self._question is not None:
                wrong = self._question.asked(self.address, ANSWER_TIMEOUT_S)
                if wrong:
                    return wrong
                self._note(first_answer_ns=time.monotonic_ns())
        except (OSError, HTTPException) as error:
            return f"{self.address.url}: {error or type(error).__name__}"
        return None

    def _readiness(self, path: str, status: int) -> CheckedRequest:
        service = self.cell.service
        protocol = "http" if service is None else service.point.protocol
        return CheckedRequest("GET", path, {}, None, status, protocol=protocol)

    def _note(self, **instants: int) -> None:
        if self.cold is not None:
            known = self.cold.model_dump(exclude_none=True)
            self.cold = ColdStart.model_validate({**instants, **known})

    def _signal_program(self, number: int) -> None:
        assert self._launch is not None
        around = self._surroundings
        if around.host is not None:
            around.host.signal(around.report, number)
        else:
            for child in read_children(self._launch.launcher_pid, around.root):
                with suppress(ProcessLookupError):
                    os.kill(child, number)
        deadline_s = time.monotonic() + STOP_GRACE_S
        while not self._launch.ended() and time.monotonic() < deadline_s:
            time.sleep(0.02)

    def close(self) -> None:
        """Ends the started processes and reads the rest of their output."""
        self._stack.close()


def _command(cell: Cell, port: int, around: Surroundings) -> tuple[list[str], dict[str, str]]:
    environment = {**cell.artefact.environment, **around.environment}
    if cell.hosting.kind == "command":
        if around.database:
            environment["DATABASE_URL"] = around.database
        database_port = urlsplit(around.database).port if around.database else None
        filled = {
            "{host}": around.address,
            "{port}": str(port),
            "{database}": around.database,
            "{database_port}": str(database_port or ""),
        }
        command = [_filled(word, filled) for word in cell.artefact.command]
        environment = {name: _filled(value, filled) for name, value in environment.items()}
    else:
        command = [*cell.artefact.command, f"host={around.address}", f"port={port}"]
        command += contract_options(cell)
        if around.counted:
            command.append("count=1")
        if around.database:  # not on the command line, which every user can read
            environment["DATABASE_URL"] = around.database
    return command, {name: value for name, value in environment.items() if value}


def _filled(text: str, values: Mapping[str, str]) -> str:
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text
