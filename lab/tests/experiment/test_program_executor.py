"""Executions of programs by the real launcher, from what they are given to the record."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from experiment.plans import artefact, cell, host, plan
from runfair.experiment import program_executor
from runfair.experiment.program_executor import BEGINNING_BYTES, ProgramExecutor, environment_of
from runfair.formats.distribution import FILE_BYTES, Distribution
from runfair.formats.execution import Execution
from runfair.formats.plan import PlannedExecution, Role
from runfair.formats.run_folder import RunFolder
from runfair.formats.source_lines import read_lines
from runfair.formats.transcript import StopRule, Transcript
from runfair.machine.launching import Launcher
from simulated.stop_rules import EnoughAt

# One iteration by the contract; as its runtime it tells the variables that it found.
PROGRAM = """
import json, os, sys, time
def said(event, **values): print(json.dumps({"event": event, **values}), flush=True)
asked = dict(word.split("=", 1) for word in sys.argv[1:])
found = {name: os.environ.get(name, "none") for name in ("GOGC", "GODEBUG")}
said("start", contract=2, benchmark="sort", language="c++", tier="standard", runtime="test",
     threads=int(asked["threads"]), processors=1, monotonic_ns=time.monotonic_ns(),
     realtime_ns=time.time_ns(), cpu_clock_resolution_ns=1, effective=found)
assert asked["iterations"] == "1" and "count" not in asked
if "lines" in asked:
    told = {"path": "one.py", "name": "executions", "unit": "", "values": {"1": 7}}
    with open(asked["lines"], "w") as side:
        print(json.dumps(told) if asked["seed"] == "1" else "junk", file=side)
said("iteration", index=0, started_monotonic_ns=1, wall_ns=7, cpu_ns=5, digest="0" * 16)
said("end", iterations=1)
"""


def execute(
    launcher: Launcher,
    folder: Path,
    environment: dict[str, str] | None = None,
    role: Role = "block",
    program: str = PROGRAM,
    rule: StopRule | None = None,
    **changes: Any,
) -> tuple[Execution, RunFolder]:
    built = artefact([sys.executable, "-c", program])
    told = {"environment": environment or {}, "sources": str(folder)}
    one = cell(**{"mode": "cold", **changes}, artefact=built.model_copy(update=told))
    whole = plan([one], [])
    run = RunFolder.create(folder / "results", whole, host())
    planned = PlannedExecution(id="00001", cell=one.id, role=role, block=0, position=0)
    return ProgramExecutor(launcher, whole, run, host()).execute(planned, one, 1, rule), run


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"GOGC": "400"}, {"GOGC": "400", "GODEBUG": "none"}),
        # An empty variable is as good as none, and overrides that of the surroundings.
        ({"GOGC": "", "GODEBUG": "gctrace=1"}, {"GOGC": "none", "GODEBUG": "gctrace=1"}),
    ],
)
def test_a_program_finds_its_variables_and_no_others(
    launcher: Launcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    found: dict[str, str],
) -> None:
    monkeypatch.setenv("GOGC", "1")
    execution, _ = execute(launcher, tmp_path, environment)
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert (execution.iterations, execution.digest) == (1, "0" * 16)
    assert execution.start is not None
    assert execution.start.effective == found


def test_lines_are_kept_with_the_text_of_their_file(launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("pass\n")
    execution, run = execute(launcher, tmp_path, role="lines")
    assert execution.outcome.state == "completed", execution.outcome.reason
    (found,) = read_lines(run.lines_file(execution.id))
    assert (found.path, found.text, found.values) == ("one.py", "pass\n", {1: 7})


def test_a_side_file_of_junk_fails_its_execution(launcher: Launcher, tmp_path: Path) -> None:
    execution, run = execute(launcher, tmp_path, role="lines", seed=2)
    assert execution.outcome.state == "failed"
    assert "line 1: Invalid JSON" in execution.outcome.reason
    assert read_lines(run.lines_file(execution.id)) == []


def test_an_artefacts_own_variable_is_stronger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/surroundings")
    built = artefact()
    assert environment_of(built)["PATH"] == "/surroundings"
    own = built.model_copy(update={"environment": {"PATH": "/own"}})
    assert environment_of(own)["PATH"] == "/own"


# Records lateness in its mapped file, in an iteration that never ends.
HANGING = """
import json, mmap, os, sys, time
def said(event, **values): print(json.dumps({"event": event, **values}), flush=True)
asked = dict(word.split("=", 1) for word in sys.argv[1:])
said("start", contract=2, benchmark="sort", language="c++", tier="standard", runtime="test",
     threads=1, processors=1, monotonic_ns=1, realtime_ns=1, cpu_clock_resolution_ns=1)
with open(asked["samples"] + "/lateness.counts", "w+b") as file:
    file.truncate(int(asked["letters"]))
    counts = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
counts[1 + 1000] = 7
if asked["workload"] == "classic":
    said("iteration", index=0, started_monotonic_ns=1, wall_ns=7, cpu_ns=5, digest="0" * 16,
         samples={"lateness": [1000, 7]})
    counts[0] = 1
    counts[1 + 1000] = 2
if asked["seed"] == "1":
    time.sleep(60)
said("end", iterations=1)
"""
LATENESS = Distribution(about="", unit="ns", percentiles=["p99"])


def hang(
    launcher: Launcher, folder: Path, letters: int, role: Role = "block", **changes: Any
) -> Execution:
    one = cell(
        mode="cold",
        artefact=artefact([sys.executable, "-c", HANGING]),
        distributions={"lateness": LATENESS},
        limit_seconds=2.0,
        parameters={"letters": letters},
        **changes,
    )
    whole = plan([one], [])
    run = RunFolder.create(folder / "results", whole, host())
    planned = PlannedExecution(id="00001", cell=one.id, role=role, block=0, position=0)
    execution = ProgramExecutor(launcher, whole, run, host()).execute(planned, one, 1, None)
    left = run.raw_folder(execution.id) / "samples" / "lateness.counts"
    assert left.exists() == (execution.outcome.state == "failed")
    return execution


def test_a_program_that_hangs_keeps_its_samples(launcher: Launcher, tmp_path: Path) -> None:
    execution = hang(launcher, tmp_path, FILE_BYTES, workload="shuffled")
    assert execution.launch.outcome.state == "timed_out"
    assert (execution.iterations, execution.samples) == (0, {"lateness": [1000, 7]})


def test_a_tool_that_takes_too_long_says_nothing_of_the_size(
    launcher: Launcher, tmp_path: Path
) -> None:
    plain = hang(launcher, tmp_path, FILE_BYTES, workload="shuffled")
    assert plain.shows_too_long
    assert "this size is not measured" in plain.outcome.reason
    told = hang(launcher, tmp_path / "lines", FILE_BYTES, "lines", workload="shuffled")
    assert not told.shows_too_long
    assert told.outcome.reason.startswith("the program did not exit within 2 s")


def test_samples_of_iterations_that_were_told_are_not_kept_twice(
    launcher: Launcher, tmp_path: Path
) -> None:
    execution = hang(launcher, tmp_path, FILE_BYTES, workload="classic")
    assert (execution.iterations, execution.samples) == (1, {"lateness": [1000, 2]})


def test_a_program_that_ended_well_leaves_no_file(launcher: Launcher, tmp_path: Path) -> None:
    execution = hang(launcher, tmp_path, FILE_BYTES, workload="classic", seed=2)
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.samples == {}


def test_a_file_cut_short_is_told(launcher: Launcher, tmp_path: Path) -> None:
    execution = hang(launcher, tmp_path, 2 * 8192, workload="shuffled")
    assert execution.samples == {}
    assert execution.outcome.reason.endswith(
        f"; the samples in lateness.counts are lost, because the file has 16384 bytes instead of "
        f"{FILE_BYTES}, "
        "although the program should write the whole file before its first iteration "
        '(benchmarks/contract.md, "Distributions")'
    )


# Iterations until standard input ends, or 300 of them; then the words that are put in.
LONG = """
import json, select, sys, time
def said(event, **values): print(json.dumps({"event": event, **values}), flush=True)
asked = dict(word.split("=", 1) for word in sys.argv[1:])
said("start", contract=2, benchmark="sort", language="c++", tier="standard", runtime="test",
     threads=1, processors=1, monotonic_ns=1, realtime_ns=1, cpu_clock_resolution_ns=1)
done = 0
while done < 300 and not select.select([sys.stdin], [], [], 0.001)[0]:
    said("iteration", index=done, started_monotonic_ns=done, wall_ns=7, cpu_ns=5, digest="0" * 16)
    done += 1
{then}
said("end", iterations=done)
"""


def test_output_is_parsed_when_the_program_has_ended(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing would take time from a program that has all the processors."""
    fed: list[tuple[int, int]] = []
    feed = Transcript.feed

    def noted(transcript: Transcript, data: bytes) -> None:
        fed.append((time.monotonic_ns(), len(data)))
        feed(transcript, data)

    monkeypatch.setattr(Transcript, "feed", noted)
    execution, run = execute(launcher, tmp_path, mode="steady", program=LONG.replace("{then}", ""))
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.iterations == len(run.iterations(execution.id)[0]) == 300
    ended_ns = execution.launch.started_monotonic_ns + execution.launch.wall_ns
    early = sum(size for at_ns, size in fed if at_ns < ended_ns)
    assert 0 < early <= BEGINNING_BYTES < sum(size for _, size in fed)


def test_a_stopping_rule_sees_all_output_so_far(launcher: Launcher, tmp_path: Path) -> None:
    rule = EnoughAt(100)
    execution, _ = execute(
        launcher, tmp_path, mode="steady", program=LONG.replace("{then}", ""), rule=rule
    )
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.stopped == "enough"
    assert rule.seen == sorted(rule.seen)
    assert 100 <= rule.seen[-1] <= execution.iterations <= 300


def test_a_late_breach_of_the_contract_keeps_what_came_before(
    launcher: Launcher, tmp_path: Path
) -> None:
    program = LONG.replace("{then}", "print('junk', flush=True)")
    execution, run = execute(launcher, tmp_path, mode="steady", program=program)
    assert execution.outcome.state == "failed"
    assert "'junk' does not follow the contract" in execution.outcome.reason
    assert execution.iterations == len(run.iterations(execution.id)[0]) == 300
    raw = run.make_raw_folder(execution.id)
    assert (raw / "stdout").read_text().splitlines()[1] == "junk"


def test_a_program_that_prints_without_end_is_ended(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its output is wrong from the beginning, or only when it fills the memory."""
    monkeypatch.setattr(program_executor, "MOST_PENDING_BYTES", 1 << 20)
    endless = "while True: print('junk' * 1000, flush=True)"
    for number, program in enumerate((endless, LONG.replace("{then}", endless))):
        execution, _ = execute(launcher, tmp_path / str(number), mode="steady", program=program)
        assert execution.launch.outcome.state == "ended_by_lab"
        assert "does not follow the contract" in execution.outcome.reason


@pytest.mark.parametrize("mode", ["cold", "steady"])
def test_the_two_counted_executions_of_a_native_program_differ_by_one_iteration(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    one = cell(mode=mode, language="rust", probe=True)
    whole = plan([one], [])
    run = RunFolder.create(tmp_path / "results", whole, host())
    executor = ProgramExecutor(launcher, whole, run, host())
    watched = [
        PlannedExecution(id=f"{at}", cell=one.id, role="probe", block=0, position=at)
        for at in (0, 1)
    ]
    options = [executor.options(one, planned, tmp_path / "lines") for planned in watched]
    assert [words[-1] for words in options] == ["iterations=1", "iterations=2"]


@pytest.mark.parametrize("mode", ["cold", "steady"])
def test_a_program_whose_checks_are_removed_runs_until_its_input_ends(
    launcher: Launcher, tmp_path: Path, mode: str
) -> None:
    one = cell(mode=mode, language="javascript", probe=True, checks=["solve"])
    whole = plan([one], [])
    executor = ProgramExecutor(
        launcher, whole, RunFolder.create(tmp_path / "results", whole, host()), host()
    )
    probed, removed = (
        executor.options(
            one,
            PlannedExecution(id=f"{at}", cell=one.id, role="probe", block=0, position=at),
            tmp_path / "lines",
        )
        for at in (0, 1)
    )
    assert removed == [*removed[:-1], "iterations=0"]
    assert probed != removed
