"""A command run under the bytecode probe, from its start to the side files of its processes and the
result.

The command is started so that its runtimes are probed. Only environment variables are set. The
command's child processes inherit the variables, so worker processes are probed too.
"""

from __future__ import annotations

import platform
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from runfair.errors import UserMistake
from runfair.formats.probe import AskedMode, Mode, ProbedProcess, ProbeResult
from runfair.formats.record import BrokenFile
from runfair.formats.records_file import read_record
from runfair.machine.native import PROBE, build_native
from runfair.paths import REPOSITORY
from runfair.probing.adapter import supported
from runfair.probing.cost_table import cost_tables, summary
from runfair.probing.interruption import interruptible

BEGUN = ".begun"  # PID-INSTANT.begun: the announcement of a process, which its side file replaces
PATIENCE_S = 5.0
POLL_S = 0.02


class CommandInterrupted(KeyboardInterrupt):
    """The user ended a probed command, which was able to write its results."""


class BrokenSideFile(BrokenFile):
    """A probe's side file is malformed."""


def read_side_files(folder: Path) -> list[ProbedProcess]:
    """The records of the processes that ran to their end, in the order of their process numbers."""
    found = [
        read_record(path, ProbedProcess, BrokenSideFile, "result file of a probed process")
        for path in folder.glob("*.json")
    ]
    return sorted(found, key=lambda process: process.pid)


def unfinished(folder: Path) -> int:
    """The number of processes that were probed and left no results."""
    return len(list(folder.glob(f"*{BEGUN}")))


def await_stragglers(folder: Path) -> None:
    """Waits some seconds for probed processes that still run after the program has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while _any_runs(folder) and time.monotonic() < deadline:
        time.sleep(POLL_S)


def _any_runs(folder: Path) -> bool:
    return any(runs(int(announced.stem.split("-")[0])) for announced in folder.glob(f"*{BEGUN}"))


def runs(pid: int) -> bool:
    """Whether the process has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


PYTHON = REPOSITORY / "probes" / "cpython" / "preload"
NODE = REPOSITORY / "probes" / "v8" / "preload" / "runfair_probe.cjs"
_SEPARATORS = frozenset(": \t\n")


def probe_library() -> Path:
    """The probe's native library, built for this machine. Raises UserMistake if the machine is not
    supported.
    """
    check_machine()
    return build_native(PROBE)


def check_machine() -> None:
    """Raises UserMistake if this machine's processor is not supported."""
    if platform.machine() != "x86_64":
        raise UserMistake(
            "bytecode probes need a processor of type x86-64, but this machine is "
            f"{platform.machine()}"
        )


def probing_variables(
    library: Path, folder: Path, mode: Mode, bytecodes: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """The variables to set in the environment `given`. Probed processes write their side files to
    `folder`. Raises UserMistake if a path cannot be passed in a variable.
    """
    for path in (library, PYTHON, NODE):
        if _SEPARATORS & set(str(path)):
            raise UserMistake(
                f"{path}: the dynamic loader cannot load a file whose path contains a colon or a "
                "space; move the file to another folder"
            )
    return {
        "LD_PRELOAD": _before(str(library), given.get("LD_PRELOAD", "")),
        "PYTHONPATH": _before(str(PYTHON), given.get("PYTHONPATH", "")),
        "RUNFAIR_PROBE_FOLDER": str(folder),
        "RUNFAIR_PROBE_LIBRARY": str(library),
        "RUNFAIR_PROBE_MODE": mode,
        "RUNFAIR_PROBE_NODE_MODULE": str(NODE),
        "RUNFAIR_PROBE_BYTECODES": ",".join(bytecodes),
    }


def _before(first: str, rest: str) -> str:
    return f"{first}:{rest}" if rest else first


@dataclass(frozen=True)
class Rounds:
    """The executions of a command under the probe, one for each mode. The processes write their
    side files to `folder`.
    """

    library: Path
    folder: Path
    mode: AskedMode
    bytecodes: Sequence[str]

    def result(
        self,
        command: Sequence[str],
        given: Mapping[str, str],
        run: Callable[[dict[str, str]], int],
    ) -> ProbeResult:
        """The result of the executions. `run` executes the command with the variables that load the
        probe, beside the environment `given`, and returns the exit status. If it raises
        CommandInterrupted, the result contains what was probed until then, and no further mode
        follows. Raises UserMistake if no process was probed.
        """
        self.folder.mkdir()
        status = 0
        interrupted = False
        for mode in modes_of(self.mode):
            variables = probing_variables(self.library, self.folder, mode, self.bytecodes, given)
            try:
                status = run(variables) or status
            except CommandInterrupted:
                interrupted = True
            try:
                with interruptible():
                    await_stragglers(self.folder)
            except KeyboardInterrupt:
                interrupted = True
            if interrupted:
                break
        if interrupted and not any(self.folder.glob("*.json")):
            raise KeyboardInterrupt
        return result_of(command, self.mode, status, self.folder, interrupted=interrupted)


def run_command(command: Sequence[str], environment: Mapping[str, str], *, quiet: bool) -> int:
    """Runs the command and returns its exit status in the form that a shell reports. `quiet`: the
    command's standard output goes to standard error. At the first signal that would end runfair,
    sends SIGTERM to the command. Raises CommandInterrupted after such a signal and after Ctrl-C,
    when the command has ended too.
    """

    ended = False

    def end(_number: int, _frame: FrameType | None) -> None:
        # `timeout` sends SIGTERM twice, and the second one could end the command's own end. SIGHUP
        # may also mean something else to a service than its end.
        nonlocal ended
        if not ended:
            ended = True
            process.send_signal(signal.SIGTERM)
            raise KeyboardInterrupt

    try:
        with (
            subprocess.Popen(
                list(command), env=dict(environment), stdout=2 if quiet else None
            ) as process,
            interruptible(end),
        ):
            try:
                status = process.wait()
            except KeyboardInterrupt:
                # The terminal sends Ctrl-C to the command too, which ends and writes its results.
                process.wait()
                raise CommandInterrupted from None
    except OSError as error:
        raise UserMistake(f"{command[0]} cannot be started: {error.strerror}") from None
    return status if status >= 0 else 128 - status


def modes_of(asked: AskedMode) -> tuple[Mode, ...]:
    """The modes of the executions, one after the other."""
    return ("profile", "latency", "instructions") if asked == "all" else (asked,)


def result_of(
    command: Sequence[str],
    mode: AskedMode,
    exit_status: int,
    folder: Path,
    *,
    pid: int | None = None,
    interrupted: bool = False,
) -> ProbeResult:
    """The result, computed from the side files of the processes in `folder`. Raises UserMistake
    with the reason if no process was probed.
    """
    processes = read_side_files(folder)
    if nothing := why_nothing(command, processes):
        raise UserMistake(f"nothing was probed: {nothing}")
    return ProbeResult(
        command=list(command),
        pid=pid,
        mode=mode,
        modes=[one for one in modes_of(mode) if any(one == found.mode for found in processes)],
        exit_status=exit_status,
        tables=cost_tables(processes),
        refused=[summary(process) for process in processes if process.refused],
        unfinished=unfinished(folder),
        interrupted=interrupted,
    )


def why_nothing(command: Sequence[str], processes: Sequence[ProbedProcess]) -> str:
    """The reason why no process was probed; empty if a process was probed."""
    if not processes:
        return (
            f"no process of {Path(command[0]).name} left results, so there is nothing to show. "
            "There are three possible causes: the program does not run on one of the runtimes "
            f"that the probe supports ({supported()}); one of Python's options -I, -S and -E "
            "switched the probe off; SIGKILL ended the process, or `exec` replaced it"
        )
    refused = [process.refused for process in processes if process.refused]
    return refused[0] if len(refused) == len(processes) else ""
