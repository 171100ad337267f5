"""Processes that the probe enters while they run, and those that it cannot enter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from probing.cpythons import executions, on_x86_64
from probing.jvms import INTERPRETED, first_quickly, hotspots
from runfair.errors import UserMistake
from runfair.formats.probe import Mode, ProbedProcess
from runfair.machine.native import PROBE, build_native
from runfair.probing import running_process
from runfair.probing.adapter import EVERY_MODE
from runfair.probing.probed_command import read_side_files
from runfair.probing.running_process import RunningProcess, observed

pytestmark = on_x86_64
every_java = pytest.mark.parametrize("java", first_quickly(hotspots()))

TIMES = 1_000
OPERATIONS = 3 * TIMES * 1_000  # in three threads
PATIENCE_S = 60


@contextmanager
def running(*command: str | Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        list(map(str, command)), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def work(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None
    process.stdin.write(f"{TIMES}\n")
    process.stdin.flush()
    return line(process)


def probed_work(process: subprocess.Popen[str], folder: Path, mode: Mode) -> ProbedProcess:
    folder.mkdir()
    entered = RunningProcess(process.pid)
    entered.begin(folder, mode, ())
    assert work(process) == "0.0"
    entered.end()
    (left,) = read_side_files(folder)
    return left


def of_work(process: ProbedProcess) -> tuple[int, int]:
    found = executions(process)
    return found["daload"], found["drem"]


@every_java
def test_threads_that_run_already_and_new_ones_are_counted(
    java: str, classes: Path, tmp_path: Path
) -> None:
    """The process is entered twice; between the two, nothing is counted, and a runfair that is
    killed has entered it too."""
    with running(java, INTERPRETED, "-cp", classes, "Entered") as process:
        assert line(process) == "ready"
        first = probed_work(process, tmp_path / "first", "mark")
        assert work(process) == "0.0"
        killed = RunningProcess(process.pid)
        killed.begin(tmp_path, "count", ())
        assert work(process) == "0.0"
        second = probed_work(process, tmp_path / "second", "count")
        assert work(process) == "0.0"
        assert process.poll() is None
    for left in (first, second):
        assert (left.refused, left.runtime, left.compiles) == ("", "hotspot", False)
        assert of_work(left) == (OPERATIONS, OPERATIONS)
    assert first.sampling is not None
    functions = {place.function for place in first.sampling.places if place.samples}
    assert "Entered.work" in functions


@pytest.mark.long
@pytest.mark.parametrize("java", hotspots())
@pytest.mark.parametrize("mode", EVERY_MODE)
@pytest.mark.parametrize("collector", ["Serial", "G1", "Z"])
def test_counts_are_exact_in_every_mode(
    java: str, mode: Mode, collector: str, classes: Path, tmp_path: Path
) -> None:
    option = f"-XX:+Use{collector}GC"
    with running(java, INTERPRETED, option, "-cp", classes, "Entered") as process:
        assert line(process) == "ready"
        left = probed_work(process, tmp_path / "processes", mode)
        assert work(process) == "0.0"
    assert (left.refused, of_work(left)) == ("", (OPERATIONS, OPERATIONS))


@every_java
def test_a_process_that_refuses_goes_on(java: str, classes: Path, tmp_path: Path) -> None:
    with running(java, "-cp", classes, "Entered") as process:
        assert line(process) == "ready"
        with pytest.raises(UserMistake, match="nothing was probed: no bytecode ialoud in HotSpot"):
            observed(RunningProcess(process.pid), "mark", ["ialoud"], PATIENCE_S, tmp_path)
        assert work(process) == "0.0"


@every_java
def test_a_process_that_ends_leaves_its_results(java: str, classes: Path, tmp_path: Path) -> None:
    with running(java, INTERPRETED, "-cp", classes, "Entered") as process:
        assert line(process) == "ready"
        entered = RunningProcess(process.pid)
        entered.begin(tmp_path, "count", ())
        assert work(process) == "0.0"
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
        entered.end()
    (left,) = read_side_files(tmp_path)
    assert of_work(left) == (OPERATIONS, OPERATIONS)


@every_java
def test_a_signal_that_would_end_the_process_is_not_sent(java: str, classes: Path) -> None:
    with running(java, "-Xrs", "-cp", classes, "Entered") as process:
        assert line(process) == "ready"
        with pytest.raises(UserMistake, match="cannot be probed if it runs with -Xrs"):
            RunningProcess(process.pid)
        assert work(process) == "0.0"


class InventedProcess(RunningProcess):
    """A process that runs for some modes. `event` is called while it loads the probe."""

    def __init__(self, modes: int, event: Callable[[], None] = lambda: None) -> None:
        self.pid, self.command = os.getpid(), ["java"]
        self._home = Path("/proc/self")
        self.modes, self.event = modes, event
        self.steps: list[str] = []

    def begin(self, folder: Path, mode: Mode, bytecodes: Sequence[str]) -> None:  # noqa: ARG002
        self.steps.append("begin")
        if not self.runs():
            raise UserMistake("cannot be reached")
        self.event()
        self.modes -= 1
        left = ProbedProcess(
            runtime="hotspot", version="21", executable="java", pid=self.pid, mode=mode
        )
        (folder / f"{mode}.json").write_text(left.model_dump_json())

    def end(self) -> None:
        self.steps.append("end")

    def runs(self) -> bool:
        return self.modes > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_is_left_when_runfair_is_interrupted(number: int, tmp_path: Path) -> None:
    """Even while the process loads the probe."""
    handler = signal.getsignal(number)
    process = InventedProcess(3, lambda: os.kill(os.getpid(), number))
    if number != signal.SIGINT and handler is not signal.SIG_DFL:
        pytest.skip("the tests run with this signal ignored")
    with pytest.raises(UserMistake, match=r"process \d+ ended without results"):
        observed(process, "all", [], 0.1, tmp_path)
    assert process.steps == ["begin", "end"]
    assert signal.getsignal(number) is handler


def test_results_are_kept_if_the_process_ends_before_the_next_mode(tmp_path: Path) -> None:
    process = InventedProcess(1)
    result = observed(process, "all", [], PATIENCE_S, tmp_path)
    assert process.steps == ["begin", "end"]
    assert [table.runtime for table in result.tables] == ["hotspot"]


def test_no_other_runfair_probes_the_process_between_two_modes(tmp_path: Path) -> None:
    tried: list[str] = []

    class Contested(InventedProcess):
        def end(self) -> None:
            super().end()
            with pytest.raises(UserMistake, match="probe already probes this process"):
                observed(InventedProcess(9), "count", [], 0.1, tmp_path)
            tried.append("in vain")

    result = observed(Contested(9), "all", [], 0.1, tmp_path)
    assert len(tried) == len(result.modes) > 1
    observed(InventedProcess(9), "count", [], 0.1, tmp_path)


def refused(process: subprocess.Popen[str]) -> str:
    with pytest.raises(UserMistake) as error:
        RunningProcess(process.pid)
    assert process.poll() is None
    return str(error.value).partition(": ")[2]


def test_a_process_of_cpython_is_refused_with_the_reason() -> None:
    with running(sys.executable, "-c", "print('ready', flush=True); input()") as process:
        assert line(process) == "ready"
        assert refused(process).startswith("CPython cannot be probed while it runs, because")


def test_a_process_of_node_is_refused_with_the_reason() -> None:
    with running("node", "-e", "console.log('ready'); process.stdin.resume()") as process:
        assert line(process) == "ready"
        assert refused(process).startswith("Node cannot be probed while it runs, because")


def test_a_process_of_no_known_runtime_is_refused() -> None:
    with running("cat") as process:
        _wait_for(process, "State", "S")
        assert refused(process).startswith("the probe does not support cat; it supports CPython")


def test_a_stopped_process_is_refused() -> None:
    with running("cat") as process:
        _wait_for(process, "State", "S")  # stopped earlier, it never executes its program
        os.kill(process.pid, signal.SIGSTOP)
        _wait_for(process, "State", "T")
        assert refused(process) == "the process is stopped; let it continue first, with kill -CONT"


def test_a_process_under_the_probe_is_refused() -> None:
    with running("env", f"LD_PRELOAD={build_native(PROBE)}", "cat") as process:
        _wait_for(process, "Name", "cat")
        assert refused(process) == "another ./runfair probe already probes this process"


def test_a_traced_process_is_refused() -> None:
    status = {"TracerPid": "42", "State": "t (tracing stop)"}
    assert (
        "process 42 (probably a debugger or strace) already traces this process"
    ) in running_process._obstacle("", status)


def test_a_process_that_is_not_there() -> None:
    with running("cat") as process:
        pass
    with pytest.raises(UserMistake, match=f"no process {process.pid}"):
        RunningProcess(process.pid)


def _wait_for(process: subprocess.Popen[str], name: str, value: str) -> None:
    """Until the kernel says so of the process, which has been started and executes its program."""
    deadline = time.monotonic() + PATIENCE_S
    status = Path(f"/proc/{process.pid}/status")
    while f"{name}:\t{value}" not in status.read_text() or not _executes(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _executes(process: subprocess.Popen[str]) -> bool:
    """Whether the process executes `cat` and has its libraries: preloaded ones come before libc."""
    folder = Path(f"/proc/{process.pid}")
    return (folder / "exe").readlink().name == "cat" and "/libc" in (folder / "maps").read_text()
