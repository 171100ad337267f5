"""Executions of driven servers, from the plan to the record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from experiment.plans import artefact, host, plan
from experiment.plans import cell as plain_cell
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Drive, Effort, PlannedExecution
from runfair.formats.program import Iteration
from runfair.formats.run_folder import RunFolder
from runfair.formats.transcript import StopRule
from runfair.machine.launching import Launcher
from runfair.serving.driven_executor import CLOCK_NS, TICK_NS, DrivenExecutor
from simulated.stop_rules import EnoughAt

pytestmark = pytest.mark.usefixtures("load_generator")

SERVER = Path(__file__).parent / "key_value_server.py"
EFFORT = Effort(executions=2, max_seconds=60, timeout_seconds=60)
ASKED = Drive(protocol="resp", connections=3, requests=300, keys=100, value_bytes=32)


def cell(fault: str = "", **changes: Any) -> Cell:
    command = [sys.executable, str(SERVER), *([fault] if fault else [])]
    values = {"mode": "cold", "drive": ASKED, "artefact": artefact(command), **changes}
    return plain_cell(**values)


def execute(
    launcher: Launcher, folder: Path, one: Cell, rule: StopRule | None = None
) -> tuple[Execution, RunFolder]:
    whole = plan([one], [], effort=EFFORT)
    run = RunFolder.create(folder / "results", whole, host())
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=0, position=0)
    execution = DrivenExecutor(launcher, whole, run, host()).execute(planned, one, 1, rule)
    assert "\n" not in execution.outcome.reason
    run.append(execution)
    assert run.executions() == [execution]  # a record that can be read again
    return execution, run


def test_a_cold_life_is_one_pass(launcher: Launcher, tmp_path: Path) -> None:
    execution, run = execute(launcher, tmp_path, cell())
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.iterations == 1
    assert [(one.name, one.requests, one.misses) for one in execution.driven] == [
        ("set", 300, 0),
        ("get", 300, 0),
    ]
    assert all(0 < one.generator_share <= 1.05 for one in execution.driven)
    assert all(0 <= (one.generator_waited or 0) <= 1.05 for one in execution.driven)
    assert execution.lab_processors
    wall_ns, cpu_ns = run.iterations(execution.id)
    assert wall_ns[0] == sum(one.elapsed_ns for one in execution.driven)
    assert 0 <= cpu_ns[0] <= execution.launch.cpu_ns + 2 * TICK_NS
    # As many keys as 300 draws of 100 are expected to hit, within five deviations: 95 ± 10.
    assert execution.digest is not None
    assert 85 <= int(execution.digest, 16) <= 100
    assert execution.start is not None
    assert execution.start.cpu_clock_resolution_ns == CLOCK_NS


def test_a_steady_life_ends_when_enough_was_seen(launcher: Launcher, tmp_path: Path) -> None:
    execution, run = execute(launcher, tmp_path, cell(mode="steady"), EnoughAt(3))
    assert (execution.iterations, execution.stopped) == (3, "enough")
    assert [one.iteration for one in execution.driven] == [0, 0, 1, 1, 2, 2]
    assert len(run.iterations(execution.id)[0]) == 3


def test_where_nodes_lie_is_a_metric_of_a_pass(launcher: Launcher, tmp_path: Path) -> None:
    execution, run = execute(launcher, tmp_path, cell(parameters={"addresses": 1}))
    line = run.iterations_file(execution.id).read_text()
    metrics = Iteration.model_validate_json(line).metrics
    assert {name: (one.value, one.unit) for name, one in metrics.items() if "dist" in name} == {
        "median_distance": (64, "B"),
        "frequent_distance": (48, "B"),
        "frequent_distance_share": (0.4, "1"),
    }
    assert metrics["set_rate"].value > 0
    # This server collects whenever all that it holds is walked for a digest, which comes later.
    assert metrics["collections"].value == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("alters", "answers to get were wrong: "),
        ("dies", "the service ended by itself: exit status 9"),
        (
            "ends badly",
            "after the signal SIGTERM, the service exited with 1, but the program contract "
            "requires status 0",
        ),
    ],
)
def test_each_liar_fails(launcher: Launcher, tmp_path: Path, fault: str, reason: str) -> None:
    execution, _ = execute(launcher, tmp_path, cell(fault))
    assert execution.outcome.state == "failed"
    assert reason in execution.outcome.reason


def test_a_server_that_takes_longer_than_the_plan_allows_is_ended(
    launcher: Launcher, tmp_path: Path
) -> None:
    """Whatever it printed."""
    execution, _ = execute(launcher, tmp_path, cell("hangs", limit_seconds=1.0))
    assert execution.launch.outcome.state == "timed_out"
    assert (
        execution.outcome.reason
        == "an execution of this size took longer than 1 s, so this size is not measured"
    )


def test_one_that_forgets_has_another_digest(launcher: Launcher, tmp_path: Path) -> None:
    honest, _ = execute(launcher, tmp_path / "honest", cell())
    same, _ = execute(launcher, tmp_path / "same", cell(digest=honest.digest))
    assert same.outcome.state == "completed"
    liar, _ = execute(launcher, tmp_path / "liar", cell("forgets", digest=honest.digest))
    assert liar.outcome.state == "failed"
    assert f"the digest of the right answer is {honest.digest}" in liar.outcome.reason
    assert any(one.misses for one in liar.driven)


def test_passes_that_differ_fail(launcher: Launcher, tmp_path: Path) -> None:
    execution, _ = execute(launcher, tmp_path, cell("differs", mode="steady"), EnoughAt(2))
    assert execution.outcome.state == "failed"
    assert "the server gave different answers to the same requests" in execution.outcome.reason
    assert execution.iterations == 1


def test_one_that_never_starts(launcher: Launcher, tmp_path: Path) -> None:
    broken = cell(artefact=artefact(["/nonexistent/server"]))
    execution, _ = execute(launcher, tmp_path, broken)
    assert execution.outcome.state == "failed"
    assert execution.iterations == 0
    assert execution.driven == []
