"""Executions of services at their peak, from the plan to the record."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from experiment.plans import artefact, host, plan
from experiment.plans import cell as plain_cell
from runfair.evidence.reading import evidence_of
from runfair.fairness.checks import left_behind, unequal_builds
from runfair.fairness.figures import PERCENTILES, figures_of
from runfair.formats.event import Event
from runfair.formats.execution import Execution
from runfair.formats.peak import REQUESTS, Peak
from runfair.formats.plan import Cell, Effort, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import DatabaseTable, DatabaseUse, Hosting
from runfair.formats.transcript import StopRule, Transcript
from runfair.machine.launching import Launcher
from runfair.serving import peak_executor
from runfair.serving.databases import Databases
from runfair.serving.driven_executor import CLOCK_NS
from runfair.serving.peak_executor import PeakExecutor, beside_peak
from runfair.serving.peak_windows import WINDOW_NS, Moment, Windows, time_within
from simulated.stop_rules import EnoughAt

SERVER = Path(__file__).parent / "hello_server.py"
EFFORT = Effort(executions=2, max_seconds=1, timeout_seconds=20)
DIGEST = "0123456789abcdef"


def cell(folder: Path, fault: str = "", **changes: Any) -> Cell:
    traffic = folder / "hello.jsonl"
    sha256 = hashlib.sha256(b"hello").hexdigest()
    traffic.write_text(json.dumps({"path": "/", "expect": {"body_sha256": sha256}}) + "\n")
    values = {
        "connections": 4,
        "traffic": str(traffic),
        "traffic_sha256": hashlib.sha256(traffic.read_bytes()).hexdigest(),
        **changes,
    }
    peak = Peak.model_validate(values)
    command = [sys.executable, str(SERVER), *([fault] if fault else [])]
    if peak.hosting.kind == "command":
        command.append("port={port}")
    return plain_cell(
        mode="steady", peak=peak, digest=peak.digest, artefact=artefact(command), language="python"
    )


def execute(
    launcher: Launcher, folder: Path, one: Cell, rule: StopRule | None = None, block: int = 2
) -> tuple[Execution, RunFolder]:
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=block, position=0)
    whole = plan([one], [planned], effort=EFFORT)
    run = RunFolder.create(folder / "results", whole, host())
    with Databases(launcher, run.path / "raw") as databases:
        executor = PeakExecutor(launcher, whole, run, host(), databases)
        execution = executor.execute(planned, one, 1, rule)
    assert "\n" not in execution.outcome.reason
    run.append(execution)
    assert run.executions() == [execution]  # a record that can be read again
    return execution, run


@pytest.mark.usefixtures("load_generator")
def test_the_windows_of_a_peak_are_its_iterations(launcher: Launcher, tmp_path: Path) -> None:
    execution, run = execute(launcher, tmp_path, cell(tmp_path), block=1)
    assert execution.outcome.state == "completed", execution.outcome.reason
    found, (load,) = execution.peak, execution.driven
    assert found is not None
    wall_ns, cpu_ns = run.iterations(execution.id)
    assert 1 <= len(wall_ns) == execution.iterations == len(found.answered)
    assert len(found.window_ns) == len(found.switches) == len(wall_ns)
    # Every window is scaled to as many requests.
    for window_ns, answered, one_ns in zip(found.window_ns, found.answered, wall_ns, strict=True):
        assert window_ns >= WINDOW_NS // 2
        assert one_ns == round(window_ns * REQUESTS / answered)
    assert 0 < sum(found.answered) <= load.requests
    assert sum(found.window_ns) <= load.elapsed_ns
    used_ns = sum(ns * count for ns, count in zip(cpu_ns, found.answered, strict=True)) / REQUESTS
    assert 0 < used_ns <= execution.launch.cpu_ns
    assert execution.digest == cell(tmp_path).digest
    assert execution.start is not None
    least = min(found.answered)
    assert execution.start.cpu_clock_resolution_ns == max(1, round(CLOCK_NS * REQUESTS / least))
    assert found.database_cpu_ns == []
    assert 0 < load.generator_share <= 1.05
    (evidence,) = evidence_of(run).cells
    assert [one.completed for one in evidence.executions] == [True]
    assert not set(figures_of(evidence.cell)) & {*PERCENTILES, "max"}


@pytest.mark.usefixtures("load_generator")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("alters", "answers were wrong or missing: "),
        ("refuses", "answers were wrong or missing: "),
        ("dies", "the service ended by itself: exit status 9"),
        ("falls silent", "answers were wrong or missing: "),
        (
            "ends badly",
            "after the signal SIGTERM, the service exited with 1, but the program contract "
            "requires status 0",
        ),
    ],
)
def test_each_liar_fails(launcher: Launcher, tmp_path: Path, fault: str, reason: str) -> None:
    # The others fail without a time-out, which a busy machine may reach as well.
    hasty = {"timeout_ns": 500_000_000} if fault == "falls silent" else {}
    one = cell(tmp_path, fault, **hasty)
    execution, _ = execute(launcher, tmp_path, one)
    assert execution.outcome.state == "failed"
    assert reason in execution.outcome.reason


@pytest.mark.usefixtures("load_generator")
def test_a_command_of_the_user_reports_nothing_about_itself(
    launcher: Launcher, tmp_path: Path
) -> None:
    # Only programs of the lab must end with status 0.
    one = cell(tmp_path, "ends badly", hosting=Hosting(kind="command", stop_signal="SIGINT"))
    execution, run = execute(launcher, tmp_path, one)
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.start is None
    assert execution.peak is not None
    assert 1 <= execution.iterations == len(execution.peak.answered)
    (evidence,) = evidence_of(run).cells
    assert [one.completed for one in evidence.executions] == [True]
    (finding,) = unequal_builds.check(evidence_of(run))
    assert (
        finding.text == "it is unknown how the program was built, because runfair did not build it"
    )
    # The lab measures the CPU time itself, so it knows the step of its clock.
    least = min(execution.peak.answered)
    assert execution.cpu_resolution_ns == max(1, round(CLOCK_NS * REQUESTS / least))
    assert all(ns > 0 for ns in run.iterations(execution.id)[1])


@pytest.mark.long  # takes the grace period of 5 s
@pytest.mark.usefixtures("load_generator")
def test_a_command_that_ignores_its_stop_signal_is_noted(
    launcher: Launcher, tmp_path: Path
) -> None:
    one = cell(tmp_path, "stays", hosting=Hosting(kind="command"))
    execution, run = execute(launcher, tmp_path, one)
    assert execution.outcome.state == "completed", execution.outcome.reason
    (finding,) = left_behind.check(evidence_of(run))
    assert finding.text == (
        "in 1 of 1 executions, the service did not exit after the signal SIGTERM, so runfair "
        "killed it"
    )


@pytest.mark.usefixtures("load_generator")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("alters", "answers were wrong or missing: "),
        ("dies", "the service ended by itself: exit status 9"),
    ],
)
def test_a_lying_command_fails(launcher: Launcher, tmp_path: Path, fault: str, reason: str) -> None:
    one = cell(tmp_path, fault, hosting=Hosting(kind="command"))
    execution, _ = execute(launcher, tmp_path, one)
    assert execution.outcome.state == "failed"
    assert reason in execution.outcome.reason
    assert execution.start is None


@pytest.mark.usefixtures("load_generator")
def test_a_peak_ends_when_enough_was_seen(launcher: Launcher, tmp_path: Path) -> None:
    execution, _ = execute(launcher, tmp_path, cell(tmp_path, pipeline=4), EnoughAt(2))
    assert (execution.iterations, execution.stopped) == (2, "enough")
    assert execution.outcome.state == "completed", execution.outcome.reason


@pytest.mark.usefixtures("load_generator")
def test_one_that_never_starts(launcher: Launcher, tmp_path: Path) -> None:
    broken = cell(tmp_path).model_copy(update={"artefact": artefact(["/nonexistent/server"])})
    execution, _ = execute(launcher, tmp_path, broken)
    assert execution.outcome.state == "failed"
    assert (execution.iterations, execution.driven) == (0, [])


def test_the_database_is_accounted_for_in_each_window(
    launcher: Launcher,
    load_generator: Path,
    tmp_path: Path,
    private: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert private.is_dir()
    # The private folder of this test is for the database alone.
    monkeypatch.setattr(peak_executor, "generator", lambda: load_generator)
    rows = tmp_path / "shops.csv"
    rows.write_text("id,name\n1,baker\n")
    table = DatabaseTable(
        name="shops", columns="id bigint, name text", primary_key=["id"], rows=str(rows)
    )
    use = DatabaseUse(round_trip_ns=0, tables=[table])
    execution, run = execute(launcher, tmp_path, cell(tmp_path, database=use))
    assert execution.outcome.state == "completed", execution.outcome.reason
    found = execution.peak
    assert found is not None
    assert len(found.database_cpu_ns) == len(found.answered)
    assert min(found.database_cpu_ns) >= 0
    assert found.database_processors == [0]
    assert found.database
    assert not run.relay_file(execution.id).exists()


# ------------------------------------------------------------ windows


def moment(elapsed_ns: int, answered: int, **changes: Any) -> Moment:
    """A server that needs 5 µs of CPU time for an answer."""
    values = {"cpu_ns": 5_000 * answered, "switches": answered, "database_cpu_ns": None, **changes}
    return Moment(monotonic_ns=elapsed_ns, elapsed_ns=elapsed_ns, answered=answered, **values)


def windows(*moments: Moment) -> Windows:
    made = Windows(DIGEST, Transcript())
    start = {
        "event": "start",
        "contract": 2,
        "benchmark": "hello",
        "language": "python",
        "tier": "standard",
        "runtime": "test",
        "threads": 1,
        "processors": 1,
        "monotonic_ns": 0,
        "realtime_ns": 0,
        "cpu_clock_resolution_ns": 1,
    }
    made.transcript.feed(json.dumps(start).encode() + b"\n")
    for one in moments:
        made.add(one)
    return made


def test_the_first_moment_is_no_window() -> None:
    """The connections were opened before it."""
    assert windows(moment(WINDOW_NS, 7)).answered == []


def test_windows_of_one_speed_are_alike_however_many_they_answered() -> None:
    made = windows(moment(WINDOW_NS, 100), moment(2 * WINDOW_NS, 200), moment(4 * WINDOW_NS, 400))
    assert (made.window_ns, made.answered) == ([WINDOW_NS, 2 * WINDOW_NS], [100, 200])
    assert made.switches == [100, 200]
    assert list(made.transcript.wall_ns) == [WINDOW_NS * 10] * 2
    assert list(made.transcript.cpu_ns) == [5_000 * REQUESTS] * 2


def test_a_window_waits_for_an_answer_and_for_its_length() -> None:
    made = windows(
        moment(WINDOW_NS, 100),
        moment(2 * WINDOW_NS, 100),
        moment(3 * WINDOW_NS, 101),
        moment(3 * WINDOW_NS + WINDOW_NS // 4, 150),
    )
    assert (made.window_ns, made.answered) == ([2 * WINDOW_NS], [1])


def test_the_database_is_told_in_each_window() -> None:
    made = windows(
        moment(WINDOW_NS, 100, database_cpu_ns=50), moment(2 * WINDOW_NS, 200, database_cpu_ns=80)
    )
    assert made.database_cpu_ns == [30]


def test_the_resolution_is_that_of_the_smallest_window() -> None:
    made = windows(moment(WINDOW_NS, 100), moment(2 * WINDOW_NS, 600), moment(3 * WINDOW_NS, 610))
    assert made.scaled_resolution_ns(10_000_000) == 1_000_000_000
    assert windows(moment(1, 1), moment(WINDOW_NS, 10**9)).scaled_resolution_ns(1) == 1


@pytest.mark.parametrize(
    ("lab", "expected"),
    [
        ([0], ([0], [0])),
        ([0, 1], ([0], [1])),
        ([0, 1, 2], ([0], [1, 2])),
        ([0, 1, 2, 3], ([0, 1], [2, 3])),
    ],
)
def test_generator_and_database_have_processors_of_their_own(
    lab: list[int], expected: tuple[list[int], list[int]]
) -> None:
    assert beside_peak(lab) == expected


def pause(start_ns: int, length_ns: int) -> Event:
    return Event(
        source="go",
        kind="gc_pause",
        started_ns=start_ns,
        duration_ns=length_ns,
        stops_the_world=True,
        text="",
        uncertainty_ns=0,
    )


def test_events_are_cut_at_the_edges_of_the_windows_and_counted_once() -> None:
    events = [pause(0, 15), pause(18, 4), pause(19, 6), pause(29, 100), pause(500, 5)]
    assert time_within(events, [10, 20, 30, 40]) == [5 + 2, 5 + 1, 10]
    assert time_within([], [10, 20]) == [0]
    assert time_within(events, []) == []
