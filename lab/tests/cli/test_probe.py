"""Mistakes of `./runfair probe`: one line each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runfair.cli.app import app
from runfair.errors import InvalidResult, UserMistake
from runfair.formats.checks import ChecksResult
from runfair.formats.probe import ProbeResult
from runfair.probing.probed_command import CommandInterrupted, run_command


def run(*words: str) -> Exception | None:
    error = CliRunner().invoke(app, ["probe", *words]).exception
    return error if isinstance(error, Exception) else None


def test_modes_are_named() -> None:
    error = run("--mode", "count-all", "sudoku")
    assert isinstance(error, UserMistake)
    assert str(error) == (
        "--mode count-all: unknown mode; choose from count, mark, pairs, profile, latency, "
        "instructions, all"
    )


def test_arm64_is_not_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    error = run("--", "python3", "-c", "0")
    assert isinstance(error, UserMistake)
    assert str(error) == (
        "bytecode probes need a processor of type x86-64, but this machine is aarch64"
    )


def test_a_command_names_its_own_runtime() -> None:
    error = run("--runtime", "cpython", "--", "python3", "-c", "0")
    assert isinstance(error, UserMistake)
    assert (
        "--runtime selects the runtime of a benchmark, but no benchmark is named python3"
    ) in str(error)


def test_a_command_that_is_not_there() -> None:
    error = run("--", "no-such-command")
    assert isinstance(error, UserMistake)
    assert str(error) == "no-such-command cannot be started: No such file or directory"


def test_a_command_without_a_runtime() -> None:
    error = run("--", "/bin/true")
    assert isinstance(error, UserMistake)
    assert str(error).startswith("nothing was probed: no process of true left results")


def test_an_unknown_bytecode() -> None:
    error = run("--bytecodes", "LOAD_FUST", "--", sys.executable, "-c", "0")
    assert isinstance(error, UserMistake)
    assert str(error).startswith("nothing was probed: no bytecode LOAD_FUST in CPython 3.")


def test_a_command_that_fails_is_probed_all_the_same(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Its output goes to standard error, so that the result alone is on standard output."""
    code = "print(sum(number for number in range(100_000))); raise SystemExit(5)"
    done = CliRunner().invoke(app, ["probe", "--json", "--", sys.executable, "-c", code])
    assert isinstance(done.exception, InvalidResult)
    assert str(done.exception) == f"{sys.executable} ended with status 5"
    assert capfd.readouterr().err == "4999950000\n"
    result = ProbeResult.model_validate(json.loads(done.stdout))
    assert result.exit_status == 5
    (table,) = result.tables
    assert table.executions > 300_000
    assert Path(table.processes[0].executable).name.startswith("python")


SERVICE = """
import time
print(sum(number for number in range(100_000)), flush=True)
time.sleep(60)
"""


# Ends some time after it has read a line, as a service that completes its requests.
SLOWLY_ENDING = """
import signal, time
heard = []
def terminated(number, frame):
    heard.append(number)
    print("ending", flush=True)
signal.signal(signal.SIGTERM, terminated)
print("ready", flush=True)
input()
time.sleep(0.5)
print(len(heard), flush=True)
"""


def begun(service: str, mode: str, number: signal.Signals) -> subprocess.Popen[str]:
    """A service under the probe. It does not ignore the signal, as the tests do in a background
    job."""
    command = [sys.executable, "-m", "runfair", "probe", "--json", "--mode", mode]
    before = signal.signal(number, signal.SIG_DFL)
    try:
        return subprocess.Popen(
            [*command, "--", sys.executable, "-c", service],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("mode", ["mark", "all"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_service_is_probed_until_the_user_ends_it(mode: str, number: signal.Signals) -> None:
    """A terminal sends Ctrl-C to all processes of the command; `kill` ends only runfair."""
    with begun(SERVICE, mode, number) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline() == "4999950000\n"
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        result = ProbeResult.model_validate(json.loads(process.stdout.read()))
    assert (process.returncode, result.exit_status, result.unfinished) == (0, 0, 0)
    assert (result.interrupted, result.modes) == (True, ["profile" if mode == "all" else mode])
    (table,) = result.tables
    assert table.executions > 300_000


def test_modes_that_an_interruption_left_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(command: Sequence[str], environment: Mapping[str, str], *, quiet: bool) -> int:
        run_command(command, environment, quiet=quiet)
        raise CommandInterrupted

    monkeypatch.setattr("runfair.cli.probe.run_command", interrupted)
    words = ["probe", "--mode", "all", "--", sys.executable, "-c", "0"]
    done = CliRunner().invoke(app, words)
    assert done.exception is None
    assert " ".join(done.stderr.split()) == (
        "the results are incomplete, because the probing was interrupted; there are no results of "
        "these modes: latency, instructions"
    )


def test_a_service_that_is_ending_is_not_sent_the_signal_again() -> None:
    """`timeout` sends it to runfair itself, and then to the group of runfair."""
    with begun(SLOWLY_ENDING, "count", signal.SIGTERM) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stderr.readline() == "ending\n"
        process.send_signal(signal.SIGTERM)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stderr.read() == "1\n"
        result = ProbeResult.model_validate(json.loads(process.stdout.read()))
    assert (process.returncode, result.unfinished) == (0, 0)


def test_all_modes_are_one_result() -> None:
    """Counts and shares of one execution, latencies and instructions of two others."""
    code = "print(sum(number * number for number in range(300_000)))"
    words = ["probe", "--json", "--mode", "all", "--", sys.executable, "-c", code]
    done = CliRunner().invoke(app, words)
    assert done.exception is None
    result = ProbeResult.model_validate(json.loads(done.stdout))
    assert result.modes == ["profile", "latency", "instructions"]
    (table,) = result.tables
    assert len(table.processes) == 1
    assert table.executions > 1_500_000
    assert table.pairs and table.samples
    multiplied = max(
        (one for one in table.bytecodes if one.family.startswith("BINARY_")),
        key=lambda one: one.executions,
    )
    assert 299_000 < multiplied.executions < 310_000
    assert multiplied.latency_ns is not None and multiplied.instructions is not None


# Executes a command without the system calls of these numbers, as in a container.
FORBIDS = """
import ctypes, os, struct, sys
LOAD, EQUAL, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050001
program = [struct.pack("HBBI", LOAD, 0, 0, 0)]
for number in map(int, sys.argv[1].split(",")):
    program.append(struct.pack("HBBI", EQUAL, 0, 1, number))
    program.append(struct.pack("HBBI", RETURN, 0, 0, REFUSE))
program.append(struct.pack("HBBI", RETURN, 0, 0, ALLOW))
text = ctypes.create_string_buffer(b"".join(program))
filter = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(text)))
library = ctypes.CDLL(None)
assert library.prctl(38, 1, 0, 0, 0) == 0
assert library.prctl(22, 2, filter, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""
PERF_EVENT_OPEN, TIMER_CREATE, PROCESS_VM_READV = 298, 222, 310


@pytest.mark.parametrize(
    ("forbidden", "said"),
    [
        ((PERF_EVENT_OPEN, TIMER_CREATE), "neither perf_event_open nor timer_create is allowed"),
        ((PROCESS_VM_READV,), "may not read its own memory by process_vm_readv"),
    ],
)
def test_a_container_without_rights(forbidden: tuple[int, ...], said: str) -> None:
    """The program runs, its bytecodes are counted, and the reason for what is missing is given."""
    numbers = ",".join(map(str, forbidden))
    code = "sum(number * number for number in range(3_000_000))"
    command = [sys.executable, "-c", FORBIDS, numbers, sys.executable, "-c", code]
    done = CliRunner().invoke(app, ["probe", "--", *command])
    assert done.exception is None
    words = " ".join(done.stdout.split())
    assert said in words
    assert "3,000,00" in words


def test_a_program_too_short_for_a_sample() -> None:
    """The first sample comes after a random time, so now and then there is one."""
    done = CliRunner().invoke(app, ["probe", "--", sys.executable, "-c", "0"])
    assert done.exception is None
    words = " ".join(done.stdout.split())
    assert ("the program ended before the first sample" in words) != ("samples by" in words)


FORKS = """
import os
for _ in range(2):
    child = os.fork()
    if child == 0:
        sum(number for number in range(100_000))
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_the_processes_of_a_program_are_added_up() -> None:
    words = ["probe", "--mode", "count", "--json", "--", sys.executable, "-c", FORKS]
    done = CliRunner().invoke(app, words)
    assert done.exception is None
    result = ProbeResult.model_validate(json.loads(done.stdout))
    (table,) = result.tables
    assert (len(table.processes), result.unfinished) == (3, 0)
    assert table.executions == sum(process.executions for process in table.processes)
    assert sum(process.executions > 300_000 for process in table.processes) == 2


def test_a_process_that_is_not_there() -> None:
    error = run("--pid", str(2**22 + 1))
    assert isinstance(error, UserMistake)
    assert str(error) == f"there is no process {2**22 + 1}"


def test_a_process_and_a_command_are_not_probed_together() -> None:
    for words in ((), ("--pid", "1", "sudoku")):
        error = run(*words)
        assert isinstance(error, UserMistake)
        assert str(error) == (
            "the command does not say what to probe; give a benchmark, or `--` and a command, or "
            "--pid and the ID of a process"
        )


def test_a_runtime_without_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runfair.cli.probe.adapter_of", lambda _: None)
    error = run("sudoku", "--runtime", "python")
    assert isinstance(error, UserMistake)
    assert (
        "cannot be probed; the runtimes that can be probed are CPython 3.10 to 3.14, HotSpot"
    ) in str(error)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--checks", " , ", "sudoku"], "--checks needs the names of functions"),
        (
            ["--checks", "fits"],
            ("--checks needs a program to start; give a benchmark, or `--` and a command"),
        ),
        (
            ["--checks", "fits", "--pid", "1"],
            ("--checks starts the program itself, so it cannot probe a running process"),
        ),
        (["--checks", "f", "--runtime", "cpython", "sudoku"], "--checks needs Node, but cpython"),
        (
            ["--checks", "f", "--runtime", "node", "--", "node"],
            "--runtime selects the runtime of a benchmark",
        ),
        (["--checks", "f", "--", "no-such-command"], "no-such-command cannot be started"),
    ],
)
def test_mistakes_with_checks(words: list[str], problem: str) -> None:
    error = run(*words)
    assert isinstance(error, UserMistake)
    assert str(error).startswith(problem)


@pytest.mark.long
@pytest.mark.parametrize("benchmark", ["sudoku", "sort"])
def test_the_checks_of_a_benchmark_are_removed_and_every_answer_is_right(benchmark: str) -> None:
    """The functions of the study's Table 2. How much is saved is not asserted."""
    functions = {"sudoku": "solve,fits", "sort": "sort,sortInto,merge,less,swap"}[benchmark]
    words = ["probe", benchmark, "--runtime", "node", "--checks", functions, "--size", "steady"]
    done = CliRunner().invoke(app, [*words, "--rounds", "3", "--json"])
    assert done.exception is None, done.exception
    result = ChecksResult.model_validate(json.loads(done.stdout))
    assert (result.rounds, result.control.without_check) == (3, "12345")
    costs = {cost.removed: cost.checks for cost in result.costs}
    assert costs["bounds"] > 5 and costs["shape"] > 5 and costs["nothing"] == 0
    assert sum(place.checks for place in result.places) == costs["all"]
    assert all(place.line is not None for place in result.places)
