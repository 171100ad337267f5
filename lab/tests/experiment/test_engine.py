"""What is left of an interrupted run: whole blocks, and nothing twice.

Pilots set a floor; past it an execution stops once it has been steady for long enough.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from experiment.plans import artefact, cell, execution, host, plan, report
from runfair.building.checksum import fingerprint, sha256_of
from runfair.errors import UserMistake
from runfair.experiment.engine import (
    Engine,
    Executor,
    PilotFloors,
    SteadyRule,
    remaining,
    require_artefact,
)
from runfair.experiment.order import planned_executions
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.launch import LaunchOutcome
from runfair.formats.plan import WATCHED, Cell, CellKind, Plan, PlannedExecution, Role
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import OperatingPoint, ServicePoint
from runfair.formats.transcript import Transcript
from runfair.machine.launching import LauncherLost


def two_groups() -> Plan:
    cells = [
        cell(variant=name, benchmark=benchmark)
        for benchmark in ("sort", "sudoku")
        for name in ("a", "b")
    ]
    return plan(cells, planned_executions(cells, executions=4, pilots=1, seed=7))


def test_all_of_it_where_nothing_is_done() -> None:
    whole = two_groups()
    assert remaining(whole, []) == whole.executions


def test_nothing_where_all_is_done() -> None:
    whole = two_groups()
    assert remaining(whole, [execution(one) for one in whole.executions]) == []


def test_an_interrupted_block_is_repeated_whole_and_the_rest_follows() -> None:
    whole = two_groups()
    pilots = [one for one in whole.executions if one.role == "pilot"]
    blocks = [one for one in whole.executions if one.role == "block"]
    done = [execution(one) for one in (*pilots, *blocks[:6])]  # one block, and half the next
    assert remaining(whole, done) == blocks[4:]


def test_a_pilot_is_a_block_of_its_own() -> None:
    whole = two_groups()
    assert remaining(whole, [execution(whole.executions[0])]) == whole.executions[1:]


def test_lines_that_are_told_are_not_told_again() -> None:
    cells = [cell(variant=name, lines=True) for name in ("a", "b")]
    whole = plan(cells, planned_executions(cells, executions=2, pilots=0, seed=7))
    assert [one.role for one in whole.executions[-2:]] == ["lines", "lines"]
    done = [execution(one) for one in whole.executions[:-1]]
    assert remaining(whole, done) == [whole.executions[-1]]


def test_a_vanished_program_is_told_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch()
    one = cell(artefact=artefact([str(program)]))
    require_artefact(one)
    program.unlink()
    with pytest.raises(
        UserMistake, match=r"program, which a needs, has disappeared since the run was planned"
    ):
        require_artefact(one)


def test_a_changed_program_is_not_measured_under_the_old_name(tmp_path: Path) -> None:
    program, given = tmp_path / "program", tmp_path / "input"
    program.write_text("one")
    given.write_text("1")
    built = artefact([str(program)]).model_copy(update={"files": [str(program)]})
    seen = fingerprint(built, [str(given)])
    one = cell(artefact=built.model_copy(update={"fingerprint": seen}), inputs=[str(given)])
    require_artefact(one)
    for path in (given, program):
        require_artefact(one)
        content = path.read_text()
        path.write_text("two")
        with pytest.raises(UserMistake, match="has changed since the run was planned"):
            require_artefact(one)
        path.write_text(content)


def test_a_run_never_mixes_two_versions_of_its_traffic_or_its_feed(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("traffic", "feed")}
    for path in files.values():
        path.write_text("one")
    named = {name: str(path) for name, path in files.items()}
    digests = {f"{name}_sha256": sha256_of(path) for name, path in files.items()}
    point = OperatingPoint.model_validate({"rate_per_s": 1, **named, **digests})
    one = cell(artefact=artefact([]), service=ServicePoint(kind="url", point=point))
    for path in files.values():
        require_artefact(one)
        path.write_text("two")
        with pytest.raises(UserMistake, match=f"{path} has changed since the run was planned"):
            require_artefact(one)
        path.unlink()
        with pytest.raises(UserMistake, match=f"{path} has disappeared since the run was planned"):
            require_artefact(one)
        path.write_text("one")


class Started(Exception):
    """A program was started."""


class Starter:
    """Stands for what starts programs: to start one is seen."""

    def execute(self, *_: object) -> Execution:
        raise Started


class Slow:
    """Stands for what starts programs: the one named takes longer than it may, in this role."""

    def __init__(self, cell: str, role: Role = "block") -> None:
        self.cell = cell
        self.role = role
        self.started: list[str] = []

    def execute(
        self, planned: PlannedExecution, one: Cell, attempt: int, _rule: object
    ) -> Execution:
        self.started.append(one.id)
        if one.id != self.cell or planned.role != self.role:
            return execution(planned, attempt)
        ended = report().model_copy(update={"outcome": LaunchOutcome(state="timed_out")})
        return execution(planned, attempt, launch=ended, outcome=Outcome.of(one.too_long))


def all_kinds(executor: Executor) -> dict[CellKind, Executor]:
    return dict.fromkeys(get_args(CellKind), executor)


class Silent:
    def begins(self, _: Cell) -> None: ...

    def ended(self, execution: Execution, _: Cell) -> None: ...


@pytest.mark.parametrize("mode", ["cold", "steady"])
def test_executions_without_an_input_fail_and_nothing_is_started(tmp_path: Path, mode: str) -> None:
    broken = cell(mode=mode, broken_input="graph.txt: no such input")
    executions = planned_executions([broken], executions=2, pilots=1, seed=7)
    whole = plan([broken], executions)
    folder = RunFolder.create(tmp_path, whole, host())
    starter = Starter()
    engine = Engine(all_kinds(starter), host(), whole, folder, 0.01, Silent())
    engine.carry_out()
    recorded = folder.executions()
    assert len(recorded) == len(executions)
    for one in recorded:
        assert one.outcome.state == "failed"
        assert one.outcome.reason == "graph.txt: no such input"
        assert (one.command, one.iterations, one.start) == ([], 0, None)
        assert folder.next_attempt(one.planned) == 2
    sound = cell(mode=mode)
    healthy = plan([sound], planned_executions([sound], executions=2, pilots=0, seed=7))
    folder = RunFolder.create(tmp_path, healthy, host())
    with pytest.raises(Started):
        Engine(all_kinds(starter), host(), healthy, folder, 0.01, Silent()).carry_out()


def test_a_program_that_takes_too_long_is_started_once_and_others_go_on(tmp_path: Path) -> None:
    cells = [cell(variant=name, mode="cold", limit_seconds=60.0) for name in ("quick", "slow")]
    executions = planned_executions(cells, executions=4, pilots=0, seed=7)
    whole = plan(cells, executions)
    folder = RunFolder.create(tmp_path, whole, host())
    slow = Slow(cells[1].id)
    Engine(all_kinds(slow), host(), whole, folder, 0.01, Silent()).carry_out()
    assert slow.started.count(cells[1].id) == 1
    assert slow.started.count(cells[0].id) == 4
    reasons = {one.outcome.reason for one in folder.executions() if one.cell == cells[1].id}
    assert reasons == {
        ("an execution of this size took longer than 60 s, so this size is not measured")
    }
    assert len(folder.executions()) == len(executions)


@pytest.mark.parametrize("role", sorted(WATCHED))
def test_a_tool_that_takes_too_long_stops_no_other_execution(tmp_path: Path, role: Role) -> None:
    one = cell(mode="cold", limit_seconds=60.0)
    watched = [
        PlannedExecution(id=f"0000{number}", cell=one.id, role=role, block=0, position=number)
        for number in (7, 8)
    ]
    blocks = planned_executions([one], executions=2, pilots=0, seed=7)
    whole = plan([one], [*watched, *blocks])
    folder = RunFolder.create(tmp_path, whole, host())
    ended = report(outcome=LaunchOutcome(state="timed_out"))
    folder.append(execution(watched[0], launch=ended))  # before the run was resumed
    slow = Slow(one.id, role)
    Engine(all_kinds(slow), host(), whole, folder, 0.01, Silent()).carry_out()
    assert slow.started == [one.id] * 3
    assert {one.outcome.state for one in folder.executions() if one.role == "block"} == {
        "completed"
    }


@pytest.mark.parametrize("reason", ["unsupported", "failed_to_build"])
def test_a_cell_that_is_not_run_here_is_not_started(tmp_path: Path, reason: str) -> None:
    present = cell(variant="a")
    executions = planned_executions([present], executions=2, pilots=0, seed=7)
    absent = present.model_copy(update={reason: "no such runtime"})
    whole = plan([absent], executions)
    folder = RunFolder.create(tmp_path, whole, host())
    engine = Engine(all_kinds(Starter()), host(), whole, folder, 0.01, Silent())
    told = r"it contains executions of a, which cannot run here \(.*no such runtime\)"
    with pytest.raises(UserMistake, match=told):
        engine.carry_out()


class Killing:
    """Stands for what starts programs: the one named kills its launcher."""

    def __init__(self, folder: RunFolder, cell: str) -> None:
        self.folder = folder
        self.cell = cell

    def execute(
        self, planned: PlannedExecution, one: Cell, attempt: int, _rule: object
    ) -> Execution:
        self.folder.make_raw_folder(execution_id(planned, attempt))
        if one.id == self.cell:
            raise LauncherLost("signal 9 ended runfair's launcher")
        return execution(planned, attempt)


def test_a_lost_launcher_fails_its_execution_and_others_go_on(tmp_path: Path) -> None:
    cells = [cell(variant=name) for name in ("killing", "other")]
    executions = planned_executions(cells, executions=2, pilots=0, seed=7)
    whole = plan(cells, executions)
    folder = RunFolder.create(tmp_path, whole, host())
    killing = Killing(folder, cells[0].id)
    Engine(all_kinds(killing), host(), whole, folder, 0.01, Silent()).carry_out()
    recorded = folder.executions()
    assert len(recorded) == len(executions)
    assert {(one.cell, one.outcome.state, one.outcome.reason) for one in recorded} == {
        (cells[0].id, "failed", "signal 9 ended runfair's launcher"),
        (cells[1].id, "completed", ""),
    }
    # Its files are those of the attempt that is recorded.
    assert {one.id for one in recorded} == {f"{one.id}.1" for one in executions}


class Read:
    """Stands for readings: after which execution they were to be taken."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def after(self, execution: Execution, took_ns: int) -> None:
        assert took_ns > 0
        self.taken.append(execution.id)


def test_the_reference_is_read_after_every_execution(tmp_path: Path) -> None:
    cells = [cell(variant=name, mode="cold") for name in ("a", "b")]
    whole = plan(cells, planned_executions(cells, executions=4, pilots=0, seed=7))
    folder = RunFolder.create(tmp_path, whole, host())
    executor = Slow("")
    read: Any = Read()
    Engine(all_kinds(executor), host(), whole, folder, 0.01, Silent(), read).carry_out()
    assert read.taken == [one.id for one in folder.executions()]
    assert len(read.taken) == len(whole.executions)


def test_blocks_are_repeated_after_all_others_until_none_is_named(tmp_path: Path) -> None:
    cells = [cell(variant=name, mode="cold") for name in ("a", "b")]
    whole = plan(cells, planned_executions(cells, executions=4, pilots=0, seed=7))
    folder = RunFolder.create(tmp_path, whole, host())
    executor = Slow("")
    block = [one for one in whole.executions if one.block == 1]
    seen: list[int] = []

    def next_repeat() -> list[PlannedExecution]:
        seen.append(len(folder.attempts()))
        repeat = len(seen)
        return [one.model_copy(update={"repeat": repeat}) for one in block] if repeat < 3 else []

    Engine(
        *(all_kinds(executor), host(), whole, folder, 0.01, Silent()), next_repeat=next_repeat
    ).carry_out()
    assert seen == [8, 12, 16]
    attempts = folder.attempts()
    assert [one.repeat for one in attempts] == [0] * 8 + [1] * 4 + [2] * 4


MS = 1_000_000


def pilot(name: str, state: str = "completed", role: str = "pilot") -> Execution:
    planned = PlannedExecution.model_validate(
        {"id": name, "cell": "cell", "role": role, "block": 0, "position": 0}
    )
    return execution(planned, outcome=Outcome.model_validate({"state": state}))


def durations(warm_up: int, count: int = 1000) -> list[int]:
    random = np.random.default_rng(5)
    levels = np.where(np.arange(count) < warm_up, 30 * MS, 10 * MS)
    return [int(value) for value in levels * np.exp(random.normal(0, 0.005, count))]


def transcript(walls: list[int]) -> Transcript:
    heard = Transcript()
    heard.wall_ns.extend(walls)
    heard.started_ns.extend(int(value) for value in np.cumsum([0, *walls[:-1]]))
    return heard


def test_the_floor_is_half_more_than_the_later_pilots_steady_start() -> None:
    floors = PilotFloors()
    for name, warm_up in (("1", 100), ("2", 200)):
        floors.learn(pilot(name), durations(warm_up), [])
    floor_ns = floors.floor_ns("cell")
    assert floor_ns is not None
    assert 1.4 * 200 * 30 * MS < floor_ns < 1.7 * 200 * 30 * MS
    assert floors.floor_ns("another") is None


def test_one_pilot_or_a_failed_one_sets_no_floor() -> None:
    floors = PilotFloors()
    floors.learn(pilot("1"), durations(100), [])
    floors.learn(pilot("2", state="failed"), durations(100), [])
    floors.learn(pilot("3", role="block"), durations(100), [])
    assert floors.floor_ns("cell") is None


def test_without_a_floor_nothing_stops_early() -> None:
    walls = durations(0, 5000)
    rule = SteadyRule(None, tolerance=0.01)
    assert rule(transcript(walls), sum(walls)) is None


def test_past_the_floor_a_steady_execution_is_told_to_stop_with_the_reason() -> None:
    walls = durations(100)
    rule = SteadyRule(3_000 * MS, tolerance=0.01)
    assert rule(transcript(walls[:50]), sum(walls[:50])) is None
    said = rule(transcript(walls), sum(walls))
    assert said is not None
    assert said.startswith("the execution was long enough: it was steady from iteration ")


def test_it_looks_ever_more_seldom() -> None:
    walls = durations(900)  # never steady for half of the time
    rule = SteadyRule(0, tolerance=0.0)
    looks = 0
    next_look_ns = -1
    for elapsed_ms in range(0, 60_000, 10):
        assert rule(transcript(walls), elapsed_ms * MS) is None
        if rule._next_look_ns != next_look_ns:
            next_look_ns = rule._next_look_ns
            looks += 1
    assert 10 < looks < 40
