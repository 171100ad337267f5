"""Pilots set a floor; past it an execution stops once it has been steady for long enough."""

from __future__ import annotations

import numpy as np

from experiment.plans import execution
from runfair.experiment.stopping import PilotFloors, SteadyRule
from runfair.formats.execution import Execution, Outcome
from runfair.formats.plan import PlannedExecution
from runfair.formats.transcript import Transcript

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
    assert said.startswith("the execution was steady from iteration ")


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
