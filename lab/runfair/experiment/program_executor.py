"""The executor of programs. The executor starts a program through the native launcher, reads the
program's output, and ends it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from runfair.building.launch import contract_options
from runfair.formats.distribution import samples_option, unfinished
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.kept_file import keeping
from runfair.formats.launch import LaunchReport
from runfair.formats.plan import WATCHED, Cell, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.source_lines import captured, read_told, write_lines
from runfair.formats.transcript import ContractBroken, StopRule, Transcript
from runfair.formats.variant import Artefact
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launch, Launcher, error_line
from runfair.machine.page_cache import cold_files, empty_page_cache
from runfair.machine.place import Place, watched
from runfair.probing.observation import begin_observation, native, removes_checks

READ_BYTES = 1 << 18
RAW_LIMIT_BYTES = 64 << 20
BEGINNING_BYTES = 8 << 10
MOST_PENDING_BYTES = 64 << 20
LINES, SAMPLES, PROBE = "lines.jsonl", "samples", "probe"


@dataclass(frozen=True)
class ProgramExecutor:
    """Carries out executions of one run on this machine."""

    launcher: Launcher
    plan: Plan
    folder: RunFolder
    host: Host

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, stop_rule: StopRule | None
    ) -> Execution:
        """Carry out an execution. A program's failures are outcomes, not exceptions."""
        identity = execution_id(planned, attempt)
        raw = self.folder.make_raw_folder(identity)
        told_lines = raw / LINES
        samples = raw / SAMPLES
        command = [
            *cell.artefact.command,
            *self.options(cell, planned, told_lines),
            *samples_option(cell.distributions, samples),
        ]
        if cell.user is not None:
            if planned.role == "lines":
                told_lines.touch()
            cell.user.own(*filter(Path.exists, (told_lines, samples)))
        probe = None
        environment = environment_of(cell.artefact)
        if planned.role == "probe":
            probe = begin_observation(cell, planned.position, raw / PROBE)
            command = probe.command(command)
            environment = probe.entering(environment)
        transcript = Transcript(cell.distributions)
        output = _OutputReader(transcript, self.folder.iterations_file(identity), raw / "stdout")
        place = Place.of(self.plan, cell.factors.place, self.launcher)
        assignment = place.assign(cell.factors.processors)
        place.keep_clear(assignment.lab)
        if cell.factors.page_cache == "empty":
            empty_page_cache()
        with (
            watched(place) as clock,
            place.launcher.start(
                command,
                report=raw / "launch.json",
                stderr=raw / "stderr",
                environment=environment,
                directory=Path(cell.artefact.directory),
                processors=assignment.measured,
                timeout_s=self.plan.effort.limit_s(cell, planned),
                memory_limit_bytes=cell.factors.memory_limit_bytes,
                cpu_quota=cell.factors.cpu_quota,
                drop_cache=cold_files(cell),
                watched_input=cell.mode == "steady",
                user=cell.user,
            ) as launch,
        ):
            with keeping(self.folder.path):
                output.read(launch, stop_rule)
            report = launch.wait()
        with keeping(self.folder.path):
            output.finish()
        outcome = outcome_of(planned, cell, output, report, raw / "stderr")
        if outcome.state == "completed" and planned.role == "lines":
            outcome = self._keep_lines(cell, identity, told_lines)
        if outcome.state == "completed" and probe is not None:
            with keeping(self.folder.path):
                outcome = Outcome.of(probe.keep(cell, self.folder.probe_file(identity)))
        left, broken = unfinished(cell.distributions, samples, transcript.iterations)
        if outcome.state == "completed":
            shutil.rmtree(samples, ignore_errors=True)
            left = {}
        elif broken:
            outcome = Outcome.of(f"{outcome.reason}; {broken}")
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=clock.location,
            command=command,
            processors=report.processors,
            lab_processors=list(assignment.lab),
            start=transcript.start,
            first_iteration_monotonic_ns=transcript.started_ns[0]
            if transcript.started_ns
            else None,
            iterations=transcript.iterations,
            digest=transcript.digest,
            operations=transcript.operations,
            stopped=output.stopped,
            launch=report,
            samples=left,
            outcome=outcome,
        )

    def _keep_lines(self, cell: Cell, identity: str, side_file: Path) -> Outcome:
        """Store the figures for lines of source together with the text of the sources."""
        try:
            found = [captured(told, cell.artefact.sources) for told in read_told(side_file)]
        except ContractBroken as error:
            return Outcome.of(str(error))
        path = self.folder.lines_file(identity)
        with keeping(path):
            path.parent.mkdir(exist_ok=True)
            write_lines(path, found)
        return Outcome.of("")

    def options(self, cell: Cell, planned: PlannedExecution, lines: Path) -> list[str]:
        """The contract's options with their values for this execution. `lines` is the file to which
        the program writes figures for lines of source."""
        options = contract_options(cell)
        if planned.role == "lines":
            return [*options, "iterations=1", f"lines={lines}"]
        if planned.role == "probe" and removes_checks(cell, planned.position):
            return [*options, "iterations=0"]
        if planned.role == "probe" and native(cell):
            # Valgrind is slow, so the two executions differ by one iteration only.
            return [*options, f"iterations={1 + planned.position}"]
        if cell.mode == "cold":
            return [*options, "iterations=1"]
        seconds = self.plan.effort.asked_s(cell, planned)
        return [*options, "iterations=0", f"seconds={seconds:g}"]


@dataclass
class _OutputReader:
    """A reader that stores all of a program's output.

    While the program runs, the output is only collected, because parsing would use the program's
    processors if the machine has no other processor for the lab. There are three exceptions. The
    beginning is parsed at once, so that a program that does not follow the contract ends at once.
    A stopping rule needs the output so far. Very much output does not fit into memory.

    If the program broke the contract, `broken` says how; if it was still running, it was killed.
    `unfinished` says what was missing at the program's end. `stopped` says why the program was
    asked to stop.
    """

    transcript: Transcript
    iterations_file: Path
    stdout_file: Path
    broken: str = ""
    unfinished: str = ""
    stopped: str = ""
    kept_bytes: int = 0
    _parsed_bytes: int = 0
    _pending: bytearray = field(default_factory=bytearray)

    def read(self, launch: Launch, stop_rule: StopRule | None) -> None:
        """Collect the output until the program ends."""
        assert launch.output_fd is not None
        began_ns = time.monotonic_ns()
        for path in (self.iterations_file, self.stdout_file):
            path.write_bytes(b"")
        while data := os.read(launch.output_fd, READ_BYTES):
            self._pending += data
            elapsed_ns = time.monotonic_ns() - began_ns
            undecided = not (self.broken or self.stopped)
            due = undecided and stop_rule is not None and stop_rule.due(elapsed_ns)
            if due or len(self._pending) > MOST_PENDING_BYTES:
                self._parse(len(self._pending))
            elif (beginning := BEGINNING_BYTES - self._parsed_bytes) > 0:
                self._parse(beginning)
            if self.broken and undecided:
                launch.kill()
            elif due and stop_rule is not None:
                self.stopped = stop_rule(self.transcript, elapsed_ns) or ""
                if self.stopped:
                    launch.close_input()

    def finish(self) -> None:
        """Parse the rest of the output. The files are synced before the record that counts their
        lines, so that a power cut cannot leave a record without its lines."""
        self._parse(len(self._pending))
        if not self.broken:
            try:
                self.transcript.finish()
            except ContractBroken as error:
                self.unfinished = str(error)
            self._store()
        for path in (self.iterations_file, self.stdout_file):
            with path.open("ab") as file:
                os.fsync(file.fileno())

    def _parse(self, size: int) -> None:
        """Parse at most `size` bytes of the output that was collected."""
        data = bytes(self._pending[:size])
        del self._pending[:size]
        self._parsed_bytes += len(data)
        if self.broken:
            with self.stdout_file.open("ab") as stdout:
                self._keep(stdout.write, data)
            return
        try:
            self.transcript.feed(data)
        except ContractBroken as error:
            self.broken = str(error)
            self.transcript.abandon()
        self._store()

    def _store(self) -> None:
        lines, other = self.transcript.take()
        with self.iterations_file.open("ab") as iterations, self.stdout_file.open("ab") as stdout:
            iterations.write(lines)
            self._keep(stdout.write, other)

    def _keep(self, write: Callable[[bytes], int], data: bytes) -> None:
        """Store output. If a program prints too much, it is ended at once; its output until then is
        kept."""
        room = RAW_LIMIT_BYTES - self.kept_bytes
        write(data[:room])
        self.kept_bytes += min(len(data), room)


def environment_of(artefact: Artefact) -> dict[str, str]:
    """The clean environment with the artefact's own variables added. If a variable of the artefact
    has an empty value, the variable is removed."""
    merged = {**clean_environment(), **artefact.environment}
    return {name: value for name, value in merged.items() if value}


def outcome_of(
    planned: PlannedExecution,
    cell: Cell,
    output: _OutputReader,
    report: LaunchReport,
    stderr: Path,
) -> Outcome:
    """The outcome of an execution: completed, or failed with its first problem in one line.

    A breach of the contract during the run is reported rather than the kill that it causes. An exit
    status or signal is reported rather than the missing output that it explains.
    """
    end, transcript = report.outcome, output.transcript
    reason = output.broken
    if reason and transcript.start is None:
        # If a runtime cannot start, it may print the reason to standard output.
        reason += error_line(output.stdout_file)
    elif reason:
        pass
    elif end.state == "not_started":
        reason = f"the program was not started ({end.error})"
    elif (
        end.state == "timed_out" and cell.limit_seconds is not None and planned.role not in WATCHED
    ):
        reason = cell.too_long
    elif end.state == "timed_out":
        reason = (
            f"the program did not exit within {report.wall_ns / 1e9:.0f} s, so runfair ended the "
            "program and its child processes"
        )
    elif end.state == "memory_exceeded":
        reason = f"the program exceeded its memory limit of {cell.factors.memory_limit_bytes} bytes"
    elif end.state == "signalled":
        reason = f"signal {end.signal} ended the program{error_line(stderr)}"
    elif end.state == "ended_by_lab":
        reason = "runfair ended the program"
    elif end.exit_status != 0:
        reason = f"exit status {end.exit_status}{error_line(stderr)}"
    elif output.unfinished:
        reason = output.unfinished
    elif transcript.iterations == 0:
        reason = "the program completed no iteration"
    elif cell.digest is not None and transcript.digest != cell.digest:
        reason = (
            f"the program gave the digest {transcript.digest}, but the digest of the right answer "
            f"is {cell.digest}"
        )
    return Outcome.of(reason)
