"""A machine that wanders is told from a program that does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from evidence.honest_run import honest_run
from evidence.records import Records, reading
from fairness.checks.test_warm_up import drifting
from fairness.stories import SMALL
from runfair.evidence.machine_level import NEIGHBOURS, MachineLevel, level_ns
from runfair.fairness.checks.warm_up import check
from runfair.formats.execution import Execution
from runfair.formats.host import KINDS, ReferenceKind

Levels = Mapping[ReferenceKind, float]
EVEN: Levels = {"computing": 1.0, "memory": 1.0}


def read_around(run: Records, level: Callable[[int], Levels], noise: float = 0.003) -> Records:
    """A reading of each kind after every execution: `level` by its number."""
    random = np.random.default_rng(5)
    readings = [
        reading(kind, record, level(number)[kind] * (1 + random.normal(0, noise)))
        for number, record in enumerate(run.executions)
        for kind in KINDS
    ]
    return replace(run, readings=tuple(readings))


def said(run: Records) -> str:
    (finding,) = check(run.evidence())
    return finding.text


def never_steady() -> Records:
    return honest_run().with_series(SMALL, drifting)


def test_a_program_that_wanders_by_itself() -> None:
    """Around all executions but the run's very first, before which nothing was read."""
    text = said(read_around(never_steady(), lambda _: EVEN))
    assert ("in 5 of these executions, the program itself probably became faster or slower") in text
    assert re.search(
        r"its times changed by up to [1-9]\d*%, but the times of runfair's reference loop "
        r"\(constant work\) changed only by up to [0-3]\.\d%",
        text,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_machine_that_wanders_with_it(kind: ReferenceKind) -> None:
    """Each kind by itself shows it: a neighbour in the caches slows no arithmetic."""
    mine = {n for n, one in enumerate(honest_run().executions) if one.cell == SMALL}
    run = read_around(never_steady(), lambda n: {**EVEN, kind: 1.8} if n in mine else EVEN)
    assert "in 5 of these executions, the machine's speed changed" in said(run)
    assert ("the times of runfair's reference loop (constant work) changed too, by up to ") in said(
        run
    )


def test_another_processor_explains_nothing() -> None:
    mine = {n for n, one in enumerate(honest_run().executions) if one.cell == SMALL}
    even = read_around(never_steady(), lambda _: EVEN)
    moved = read_around(never_steady(), lambda n: {**EVEN, "computing": 1.8} if n in mine else EVEN)
    beside = tuple(one.model_copy(update={"processor": 2}) for one in moved.readings)
    run = replace(even, readings=(*even.readings, *beside))
    assert "the program itself probably became faster or slower" in said(run)


def test_a_machine_that_moved_less_than_the_program_explains_nothing() -> None:
    mine = {n for n, one in enumerate(honest_run().executions) if one.cell == SMALL}
    run = read_around(never_steady(), lambda n: {**EVEN, "computing": 1.1} if n in mine else EVEN)
    assert "the program itself probably became faster or slower" in said(run)


def test_readings_as_uneven_as_the_program_tell_nothing() -> None:
    run = read_around(never_steady(), lambda n: {"computing": 1 + n % 2, "memory": 1 + n % 2})
    assert said(run) == "6 of 6 executions never became steady"


def test_without_readings_nothing_is_said_of_the_machine() -> None:
    run = replace(never_steady(), readings=())
    assert said(run) == "6 of 6 executions never became steady"


def test_readings_of_one_side_or_of_another_boot_tell_nothing() -> None:
    run = never_steady()
    first = min(one.launch.started_monotonic_ns for one in run.executions if one.cell == SMALL)
    before = tuple(one for one in run.readings if one.started_monotonic_ns < first)
    assert said(replace(run, readings=before)) == "6 of 6 executions never became steady"
    other = tuple(one.model_copy(update={"boot_id": "other"}) for one in run.readings)
    assert said(replace(run, readings=other)) == "6 of 6 executions never became steady"


def test_of_what_became_steady_nothing_is_said() -> None:
    run = read_around(honest_run(), lambda n: {"computing": 1 + n / 100, "memory": 1.0})
    assert list(check(run.evidence())) == []


def test_levels_are_against_the_middle_of_their_kind_and_processor() -> None:
    record: Execution = honest_run().executions[0]
    slow = [reading("computing", record, level) for level in (1.0, 1.1, 1.2)]
    elsewhere = [
        one.model_copy(
            update={"processor": 2, "wall_ns": 3 * one.wall_ns, "cpu_ns": 2 * one.cpu_ns}
        )
        for one in slow
    ]
    level = MachineLevel((*slow, *elsewhere))
    assert [level.relative(one) for one in slow] == pytest.approx([1 / 1.1, 1, 1.2 / 1.1], rel=1e-6)
    assert level.relative(elsewhere[1]) == pytest.approx(1)
    assert level_ns(elsewhere[0], "wall") == pytest.approx(1.5 * level_ns(elsewhere[0]))


def test_readings_are_found_by_execution_and_by_interval() -> None:
    """As a look at every reading finds them."""
    run = read_around(honest_run(), lambda _: EVEN)
    scattered = tuple(
        one.model_copy(update={"processor": number % 3, "boot_id": f"boot{number % 2}"})
        for number, one in enumerate(run.readings)
    )
    level = MachineLevel(scattered)
    some = run.executions[3:9]
    names = {one.id for one in some}
    assert level.after(some) == [one for one in scattered if one.after in names]
    starts_ns = sorted(one.started_monotonic_ns for one in scattered)
    began_ns, ended_ns = starts_ns[10], starts_ns[-10]
    wanted = [
        one
        for one in scattered
        if one.boot_id == "boot1"
        and one.processor in {0, 2}
        and began_ns <= one.started_monotonic_ns < ended_ns
    ]
    found = [*level.between("boot1", {0, 2}, began_ns, ended_ns)]
    assert len(wanted) > NEIGHBOURS
    assert sorted(found, key=scattered.index) == wanted


def test_a_reading_that_had_not_ended_is_not_before_an_execution() -> None:
    """The nearest readings count, on both sides; around the first there is none."""
    executions = sorted(honest_run().executions, key=lambda one: one.started_ns)
    readings = [reading("computing", one, 1 + number / 50) for number, one in enumerate(executions)]
    middle = executions[5]
    late = readings[4].model_copy(update={"started_monotonic_ns": middle.started_ns - 1})
    level = MachineLevel((*readings, late))
    moved = level.moved(middle, "cpu", change=1.0)
    assert moved is not None
    assert moved.by == pytest.approx((1 + 6 / 50) / (1 + 3 / 50) - 1, rel=1e-6)
    assert level.moved(executions[0], "cpu", change=1.0) is None
