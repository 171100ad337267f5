"""Readings between executions: both kinds in turn, within their share, and never the lab's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from experiment.plans import cell, execution, host, plan
from runfair.errors import InvalidResult
from runfair.experiment.order import planned_executions
from runfair.experiment.readings import LEAST_NS, MOST_NS, SHARE, Readings
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceKind, ReferenceReading
from runfair.formats.run_folder import RunFolder

MILLISECOND = 10**6
OVERHEAD_NS = 7 * MILLISECOND


@dataclass
class Loop:
    """Takes no time, and says that it took what was asked and a constant more."""

    failing: bool = False
    lengths_ns: list[int] = field(default_factory=list)

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading:
        if self.failing:
            raise InvalidResult("the reference loop failed")
        self.lengths_ns.append(length_ns)
        return ReferenceReading(
            boot_id="boot",
            started_monotonic_ns=len(self.lengths_ns),
            kind=kind,
            processor=processor,
            steps=1,
            wall_ns=length_ns,
            cpu_ns=length_ns,
            process_ns=length_ns,
            foreign_ns=None,
            steal_ns=None,
            took_ns=length_ns + OVERHEAD_NS,
            after=after,
        )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    cells = [cell(variant="a")]
    return RunFolder.create(tmp_path, plan(cells, planned_executions(cells, 2, 0, 1)), host())


def an_execution(processors: tuple[int, ...] = (1,)) -> Execution:
    planned = planned_executions([cell(variant="a")], 2, 0, 1)[0]
    return execution(planned).model_copy(update={"processors": [*processors]})


@pytest.mark.parametrize("took_ms", [5, 80, 900, 8_000, 60_000])
def test_readings_stay_within_their_share(folder: RunFolder, took_ms: int) -> None:
    loop = Loop()
    readings = Readings(loop, folder, lambda: [0])
    executions = 2_000 if took_ms < 100 else 100
    for _ in range(executions):
        readings.after(an_execution(), took_ms * MILLISECOND)
    taken_ns = sum(one.took_ns for one in folder.readings())
    assert 0 < taken_ns <= SHARE * executions * took_ms * MILLISECOND
    assert all(LEAST_NS <= one <= MOST_NS for one in loop.lengths_ns)


def test_after_a_long_execution_both_kinds_are_read(folder: RunFolder) -> None:
    readings = Readings(Loop(), folder, lambda: [0])
    for _ in range(3):
        readings.after(an_execution(), 8_000 * MILLISECOND)
    assert [one.kind for one in folder.readings()] == ["computing", "memory"] * 3


def test_after_short_ones_a_reading_now_and_then_of_each_kind_in_turn(folder: RunFolder) -> None:
    readings = Readings(Loop(), folder, lambda: [0])
    for _ in range(1_000):
        readings.after(an_execution(), 10 * MILLISECOND)
    kinds = [one.kind for one in folder.readings()]
    assert 4 < len(kinds) < 20
    assert kinds[:4] == ["computing", "memory", "computing", "memory"]


def test_processors_take_turns_and_the_labs_own_are_left_out(folder: RunFolder) -> None:
    readings = Readings(Loop(), folder, lambda: [0, 3])
    for _ in range(2):
        readings.after(an_execution((1, 2, 3)), 8_000 * MILLISECOND)
    assert [one.processor for one in folder.readings()] == [1, 1, 2, 2]


def test_without_a_processor_of_its_own_nothing_is_read(folder: RunFolder) -> None:
    loop = Loop()
    for lab in ([0, 1], [1]):
        Readings(loop, folder, lambda lab=lab: lab).after(an_execution(), 10**12)  # type: ignore[misc]
    Readings(loop, folder, lambda: [0]).after(an_execution(()), 10**12)
    assert loop.lengths_ns == []
    assert folder.readings() == []


def test_a_loop_that_fails_leaves_a_gap_and_costs_its_time(folder: RunFolder) -> None:
    loop = Loop(failing=True)
    readings = Readings(loop, folder, lambda: [0])
    readings.after(an_execution(), 2_000 * MILLISECOND)
    loop.failing = False
    readings.after(an_execution(), MILLISECOND)
    assert folder.readings() == []
    readings.after(an_execution(), 8_000 * MILLISECOND)
    assert len(folder.readings()) == 2
