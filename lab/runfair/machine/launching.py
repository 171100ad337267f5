"""The interface to the native launcher (lab/launcher), which starts programs and accounts for them.

This process holds the writing end of the launcher's standard input. If the lab dies for any reason,
the kernel closes this end, and the launcher then ends the whole process tree.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from runfair.errors import InvalidResult, UserMistake
from runfair.formats.launch import LaunchReport
from runfair.formats.place import User
from runfair.machine.kernel_files import format_processors
from runfair.machine.user import HOME

DEFAULT_GRACE_S = 5.0

# The time that the launcher may take to end a process tree and to report. After this time the
# launcher is killed.
LAUNCHER_PATIENCE_S = 20.0

# The times that the launcher accepts, in seconds (lab/launcher/options.cpp).
SHORTEST_S, LONGEST_S = 0.001, 1e9

_ORDERLY_END = b"t"
_READ_BYTES = 1 << 16
_REFUSED = 2  # the launcher's status if it refuses its options or a descriptor
_CORRECT_KEY = "correct the key `launcher` of this place (docs/experiments.md, Places)"


class LauncherLost(InvalidResult):
    """The launcher ended without a report (for example, it was killed), so the execution has
    failed."""


class Launcher:
    """The native launcher, ready to start programs."""

    def __init__(self, executable: Path, prefix: Sequence[str] = ()) -> None:
        """Use the launcher `executable`. For another place, `prefix` has the command words that
        precede it."""
        self.executable = executable
        self.prefix = tuple(prefix)

    def behind(self, prefix: Sequence[str]) -> Launcher:
        """This launcher, started through the command `prefix`."""
        return Launcher(self.executable, prefix) if prefix else self

    def start(
        self,
        command: Sequence[str | Path],
        *,
        report: Path,
        environment: Mapping[str, str],
        directory: Path,
        processors: Sequence[int],
        stdout: Path | None = None,
        stderr: Path | None = None,
        timeout_s: float | None = None,
        grace_s: float = DEFAULT_GRACE_S,
        memory_limit_bytes: int | None = None,
        cpu_quota: float | None = None,
        drop_cache: Sequence[Path] = (),
        watched_input: bool = False,
        counted: bool = True,
        user: User | None = None,
    ) -> Launch:
        """Start `command` in `directory` on `processors` with exactly this `environment`.

        `report` is the file for the accounting. Without `stdout` the lab reads the output from
        `Launch.output_fd`; without `stderr` standard error is discarded. `timeout_s` is counted
        from the start; `grace_s` is the time that a program may take after `ask_end`. `cpu_quota`
        is in processors (0.5 is half of one). `drop_cache` are files and folders whose pages are
        dropped from memory first. If `watched_input` is set, the program's standard input stays
        open until `close_input`; otherwise it is empty. If `counted` is set, cycles and
        instructions are counted if the processor can count them. The program runs as `user`,
        without a home folder; if `user` is None, as the lab's own user.
        """
        report.unlink(missing_ok=True)  # so that an old report is never mistaken for the new report
        options: list[str] = ["--report", str(report), "--directory", str(directory)]
        options += ["--stderr", str(stderr or os.devnull), "--grace", f"{_accepted_s(grace_s):g}"]
        # A pipe of this host is no pipe on another, so behind a prefix the output comes through it.
        through_prefix = stdout is not None and bool(self.prefix)
        if stdout is not None and not through_prefix:
            options += ["--stdout", str(stdout)]
        if processors:
            options += ["--processors", format_processors(processors)]
        if timeout_s is not None:
            options += ["--timeout", f"{_accepted_s(timeout_s):.3f}"]
        if memory_limit_bytes is not None:
            options += ["--memory-limit", str(memory_limit_bytes)]
        if cpu_quota is not None:
            options += ["--cpu-quota", f"{cpu_quota:g}"]
        if user is not None:
            options += ["--user", f"{user.uid}:{user.gid}"]
            environment = {**environment, "HOME": HOME}
        if not counted:
            options += ["--counters", "none"]
        for path in drop_cache:
            options += ["--drop-cache", str(path)]

        # The stack always closes the launcher's end of each pipe. It closes this process's end only
        # on failure.
        with ExitStack() as theirs, ExitStack() as ours:
            lifeline_read, lifeline_fd = _pipe(theirs, ours)
            input_read = input_fd = None
            if watched_input:
                input_read, input_fd = _pipe(theirs, ours)
                options += ["--program-stdin", str(input_read)]
            output_fd = None
            launcher_stdout: int = subprocess.DEVNULL
            if stdout is None:
                output_fd, launcher_stdout = _pipe(ours, theirs)
            elif through_prefix:
                launcher_stdout = os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
                theirs.callback(os.close, launcher_stdout)
            # The launcher writes its own error line to a file in memory, which needs no reader
            # while the launcher runs.
            complaints_fd = os.memfd_create("launcher-complaints")
            ours.callback(os.close, complaints_fd)
            with _correctable(self.prefix):
                process = subprocess.Popen(
                    [*self.prefix, str(self.executable), *options, "--", *map(str, command)],
                    stdin=lifeline_read,
                    stdout=launcher_stdout,
                    stderr=complaints_fd,
                    env=dict(environment),
                    pass_fds=() if input_read is None else (input_read,),
                    # Ctrl-C reaches only the lab, which then decides how the program ends.
                    process_group=0,
                )
            launch = Launch(
                process=process,
                prefix=self.prefix,
                report=report,
                grace_s=grace_s,
                lifeline_fd=lifeline_fd,
                input_fd=input_fd,
                output_fd=output_fd,
                complaints_fd=complaints_fd,
            )
            ours.pop_all()
        return launch


class Launch:
    """A started program. Used as a context manager, it leaves no process and no descriptor behind.

    `output_fd` is the reading end of the program's output. The descriptor belongs to this object:
    the caller reads it but does not close it. `wait` discards unread output.
    """

    def __init__(
        self,
        *,
        process: subprocess.Popen[bytes],
        prefix: Sequence[str],
        report: Path,
        grace_s: float,
        lifeline_fd: int,
        input_fd: int | None,
        output_fd: int | None,
        complaints_fd: int,
    ) -> None:
        self.output_fd = output_fd
        self._process = process
        self._prefix = prefix
        self._report = report
        self._grace_s = grace_s
        self._lifeline_fd: int | None = lifeline_fd
        self._input_fd = input_fd
        self._complaints_fd: int | None = complaints_fd
        self._end: tuple[int, str] | None = None  # the launcher's status and its error line
        self._result: LaunchReport | None = None

    @property
    def launcher_pid(self) -> int:
        return self._process.pid

    def ended(self) -> bool:
        """Whether the process tree has ended and its report exists. This call does not wait."""
        return self._result is not None or self._process.poll() is not None

    def close_input(self) -> None:
        """Close the program's standard input. The program then ends after the current iteration."""
        if self._input_fd is not None:
            os.close(self._input_fd)
            self._input_fd = None

    def ask_end(self) -> None:
        """Send SIGTERM to the program, and after the grace period SIGKILL to the remaining
        processes."""
        if self._lifeline_fd is not None:
            with suppress(BrokenPipeError):  # the launcher ended meanwhile
                os.write(self._lifeline_fd, _ORDERLY_END)

    def kill(self) -> None:
        """End the whole process tree at once."""
        if self._lifeline_fd is not None:
            os.close(self._lifeline_fd)
            self._lifeline_fd = None

    def wait(self) -> LaunchReport:
        """Wait for the end of the process tree, and return its accounting.

        Raises LauncherLost if the launcher, or the command of another place, ended before the
        launcher could report. Raises UserMistake if the report could not be written, or if the
        command of another place refused its options. Further calls have the same result.
        """
        if self._end is None:
            self._drain(None)
            self._end = self._process.wait(), self._complaint()
            self._close()
        if self._result is None:
            self._result = self._read_report(*self._end)
        return self._result

    def __enter__(self) -> Launch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.returncode is None:
            self.kill()
            self._drain(self._grace_s + LAUNCHER_PATIENCE_S)
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
        self._close()

    def _drain(self, timeout_s: float | None) -> None:
        """Read the rest of the output until the launcher has ended, so that a program that is
        blocked by a full pipe can continue. This function does not wait for the pipe to close,
        because a process that escaped from a killed launcher could keep the pipe open for ever."""
        if self._process.returncode is not None:
            return
        deadline_s = None if timeout_s is None else time.monotonic() + timeout_s
        ended_fd = os.pidfd_open(self._process.pid)
        poller = select.poll()
        poller.register(ended_fd, select.POLLIN)
        if self.output_fd is not None:
            poller.register(self.output_fd, select.POLLIN)
        try:
            while True:
                left_s = None if deadline_s is None else max(0.0, deadline_s - time.monotonic())
                ready = dict(poller.poll(None if left_s is None else left_s * 1000))
                if not ready or ended_fd in ready:
                    return
                for descriptor in ready:
                    if not os.read(descriptor, _READ_BYTES):
                        poller.unregister(descriptor)
        finally:
            os.close(ended_fd)

    def _complaint(self) -> str:
        assert self._complaints_fd is not None
        text = os.pread(self._complaints_fd, _READ_BYTES, 0).decode(errors="replace").strip()
        return text.splitlines()[0] if text else "it printed no error message"

    def _read_report(self, status: int, complaint: str) -> LaunchReport:
        if status < 0:
            raise LauncherLost(
                f"signal {-status} ended runfair's launcher, which starts the programs, before the "
                "launcher wrote its report"
            )
        if status == 1:
            raise UserMistake(
                "runfair's launcher, which starts the programs, wrote no report about the program "
                f"({complaint})"
            )
        if status == _REFUSED and self._prefix:
            raise UserMistake(
                f"{shlex.join(self._prefix)} ended with status {status} ({complaint}); "
                f"{_CORRECT_KEY}"
            )
        if status != 0 and self._prefix:
            raise LauncherLost(
                f"{shlex.join(self._prefix)} ended with status {status} ({complaint}) before "
                "runfair's launcher, which it starts, wrote its report"
            )
        if status != 0:
            raise RuntimeError(
                f"runfair's launcher, which starts the programs, ended with status {status} "
                f"({complaint})"
            )
        try:
            return LaunchReport.model_validate_json(self._report.read_bytes())
        except FileNotFoundError:
            if self._prefix:
                raise UserMistake(
                    f"{shlex.join(self._prefix)} ended with status 0, but runfair's launcher, "
                    f"which it starts, wrote no report ({complaint}); {_CORRECT_KEY}"
                ) from None
            raise LauncherLost(
                "runfair's launcher, which starts the programs, has ended, but its report "
                f"{self._report} is missing"
            ) from None
        except ValidationError as error:
            raise RuntimeError(f"the launcher's report is malformed: {error}") from error

    def _close(self) -> None:
        self.kill()
        self.close_input()
        if self.output_fd is not None:
            os.close(self.output_fd)
            self.output_fd = None
        if self._complaints_fd is not None:
            os.close(self._complaints_fd)
            self._complaints_fd = None


def _accepted_s(seconds: float) -> float:
    """The nearest time that the launcher accepts. An experiment may state any time."""
    return min(max(seconds, SHORTEST_S), LONGEST_S)


@contextmanager
def _correctable(prefix: Sequence[str]) -> Iterator[None]:
    """Within this context, a command of another place that cannot be started is reported in one
    line."""
    try:
        yield
    except OSError as error:
        if not prefix:
            raise
        raise UserMistake(
            f"{prefix[0]} cannot be started ({error.strerror}); {_CORRECT_KEY}"
        ) from None


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe whose ends the stacks close. Child processes inherit an end only if it is passed
    on."""
    read_fd, write_fd = os.pipe()
    reader.callback(os.close, read_fd)
    writer.callback(os.close, write_fd)
    return read_fd, write_fd


LONGEST_ERROR = 200
# After a stack overflow a JVM writes 1,024 frames, about 60 KB.
_TAIL_BYTES = 1 << 17

# The lines with which V8, Go, Java, Node.js and Python report a fatal error. The last such line is
# the root cause.
_SAYS_WHY = re.compile(
    r"FATAL ERROR: |Fatal javascript |fatal error: |panic: |Exception in thread |Caused by: "
    r"|[\w.]*(Error|Exception)\b"
)
# A panic in Rust ends with this line; the message is in the line before.
_ADVICE = re.compile(r"note: run with `RUST_BACKTRACE")


def error_line(stderr: Path) -> str:
    """The line of the file that explains a failure, shortened and preceded by `: `. The returned
    line is the last line that says why a runtime ended, otherwise the last line. Empty if the file
    has no line."""
    if not stderr.exists():
        return ""
    with stderr.open("rb") as file:
        file.seek(max(0, stderr.stat().st_size - _TAIL_BYTES))
        text = file.read().decode("utf-8", "replace")
    lines = [line.strip("# \t") for line in text.splitlines()]
    told = [line for line in lines if line and not _ADVICE.match(line)]
    why = [line for line in told if _SAYS_WHY.match(line)] or told
    return f": {why[-1][:LONGEST_ERROR]}" if why else ""
