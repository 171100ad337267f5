"""Processes shorter than a tick of the kernel's clock are judged over their block.

Repeats are chosen from new records alone, and as the records of the whole run would choose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evidence.honest_run import GCC, cell_id, honest_run
from evidence.records import MILLISECOND, Records, reading
from fairness.checks.test_disturbed_blocks import losing
from fairness.large_run import large_run
from fairness.stories import SMALL
from runfair.evidence.blocks import Blocks, RecordedRepeats, Repeats
from runfair.evidence.machine_level import MachineLevel
from runfair.fairness.checks.foreign_time import check
from runfair.formats.appended_lines import AppendedLines, Line
from runfair.formats.execution import Execution
from runfair.formats.launch import ProcessorSpan
from runfair.formats.plan import PlannedExecution
from runfair.formats.run_folder import RunFolder

COLD = cell_id(GCC, mode="cold")
WALL_NS = 5 * MILLISECOND
EVERY_NS = 400 * MILLISECOND
PER_BLOCK = 8


def short(foreign: float = 0.0, steal: float = 0.0, every_ns: int = EVERY_NS) -> Records:
    """Cold executions of 5 ms, one after the other; others take a share of all the time, which the
    kernel books in ticks of 10 ms."""
    run = honest_run()
    cold = [one for one in run.executions if "/cold/" in one.cell]
    made: dict[str, Execution] = {}
    began_ns = 10**12
    for number, one in enumerate(cold):
        now_ns = began_ns + number * every_ns
        taken = [
            share * (number * every_ns + at_ns)
            for share in (foreign, steal)
            for at_ns in (0, WALL_NS)
        ]
        ticks = [round(each) // (10 * MILLISECOND) * 10 * MILLISECOND for each in taken]
        span = ProcessorSpan(
            busy_before_ns=number * WALL_NS + ticks[0],
            busy_after_ns=(number + 1) * WALL_NS + ticks[1],
            own_ns=WALL_NS,
            steal_before_ns=ticks[2],
            steal_after_ns=ticks[3],
        )
        changes: dict[str, Any] = {
            "started_monotonic_ns": now_ns,
            "wall_ns": WALL_NS,
            "run_queue_ns": 0,
            "foreign_ns": ticks[1] - ticks[0],
            "foreign_source": "stat",
            "steal_ns": ticks[3] - ticks[2],
            "processor_span": span,
        }
        made[one.id] = one.model_copy(update={"launch": one.launch.model_copy(update=changes)})
    executions = tuple(made.get(one.id, one) for one in run.executions)
    readings = tuple(one for one in run.readings if one.after not in made)
    return replace(run, executions=executions, readings=readings)


def said(run: Records) -> Counter[tuple[str, str]]:
    found = [one for one in check(run.evidence()) if one.cell == COLD]
    return Counter((one.severity, one.text) for one in found)


def shares(run: Records) -> Any:
    blocks = run.evidence().blocks
    assert blocks is not None
    return blocks.over_blocks({one.id for one in run.executions if one.cell == COLD})


def test_alone_they_pass() -> None:
    assert said(short()) == Counter()


@pytest.mark.parametrize("share", [0.03, 0.2])
def test_others_are_found_over_the_block(share: float) -> None:
    """In the single executions of 5 ms no tick, or a whole one, says nothing."""
    found = shares(short(foreign=share))
    assert found.foreign == pytest.approx(share, abs=0.005)
    assert found.doubt == pytest.approx(10 / (7 * 400 + 5))
    grave = [one for one in said(short(foreign=share)) if "other processes used" in one[1]]
    assert grave[0][0] == ("warning" if share < 0.05 else "fault")


def test_steal_is_found_over_the_block() -> None:
    run = short(steal=0.04)
    assert shares(run).steal == pytest.approx(0.04, abs=0.005)
    assert [severity for severity, text in said(run) if "steal time" in text] == ["warning"]


@pytest.mark.parametrize("share", [0.004, 0.009])
def test_little_of_a_block_is_let_pass(share: float) -> None:
    assert said(short(foreign=share, steal=share)) == Counter()


def test_a_block_too_short_for_its_ticks_tells_nothing() -> None:
    quiet = said(short(every_ns=10 * MILLISECOND))
    assert len(quiet) == 2
    assert all(text.startswith("it is unknown how much") for _, text in quiet)
    assert [sum(word in text for _, text in quiet) for word in ("other processes", "steal")] == [
        1,
        1,
    ]


def test_the_reference_loop_in_a_block_is_no_stranger() -> None:
    """Half of the time between two executions, booked as busy, was the lab's own."""
    run = short()
    cold = [one for one in run.executions if "/cold/" in one.cell]
    took_ns = 200 * MILLISECOND
    own = []
    executions = list(run.executions)
    for number, one in enumerate(cold):
        span = one.launch.processor_span
        assert span is not None
        moved = {
            "busy_before_ns": span.busy_before_ns + number * took_ns,
            "busy_after_ns": span.busy_after_ns + number * took_ns,
        }
        launch = one.launch.model_copy(update={"processor_span": span.model_copy(update=moved)})
        executions[executions.index(one)] = one.model_copy(update={"launch": launch})
        own.append(
            reading("computing", one).model_copy(
                update={
                    "started_monotonic_ns": one.launch.started_monotonic_ns + 2 * WALL_NS,
                    "cpu_ns": took_ns,
                    "process_ns": took_ns,
                }
            )
        )
    burdened = replace(run, executions=tuple(executions))
    assert shares(burdened).foreign > 0.4
    assert shares(replace(burdened, readings=tuple(own))).foreign == pytest.approx(0, abs=0.001)


def test_what_does_not_tell_stays_not_established() -> None:
    run = short()
    assert len({one.block for one in run.executions if one.cell == COLD}) == 3
    assert shares(run) is not None
    assert shares(run.with_plan(lab_processors=[0, 1])) is None
    assert shares(run.with_launches(COLD, 1, processor_span=None)) is None
    assert shares(run.with_launches(COLD, 1, processors=[1, 2])) is None
    assert shares(run.with_records(COLD, 1, boot_id="other")) is None


def test_the_lab_may_have_had_another_processor_than_in_the_plan() -> None:
    run = short()
    apart = [one.model_copy(update={"lab_processors": [0]}) for one in run.executions]
    moved = replace(run, executions=tuple(apart)).with_plan(lab_processors=[0, 1])
    assert shares(moved) == shares(run)


def hit_in_the_middle() -> Records:
    """Others come for one block of short executions, in which they take a fifth of the time."""
    loud, quiet = short(foreign=0.2), short()
    groups = [one for one in quiet.executions if "/cold/" in one.cell]
    second = {one.id for one in groups if one.block == 2}
    louder = {one.id: one for one in loud.executions}
    executions = tuple(louder[one.id] if one.id in second else one for one in quiet.executions)
    return replace(quiet, executions=executions)


def test_a_disturbed_block_of_short_executions_is_repeated() -> None:
    blocks = hit_in_the_middle().evidence().blocks
    assert blocks is not None
    planned = Repeats(blocks).next_block()
    assert {one.block for one in planned} == {2}
    assert len(planned) == PER_BLOCK
    assert all("/cold/" in one.cell for one in planned)
    (reasons,) = [tried[0].reasons for tried in blocks.attempts.values() if tried[0].reasons]
    assert reasons[-1].endswith("of the processors' time during the block")


@pytest.mark.parametrize("foreign", [0.0, 0.2])
def test_what_others_take_all_along_disturbs_no_block_of_short_executions(foreign: float) -> None:
    blocks = short(foreign=foreign).evidence().blocks
    assert blocks is not None
    assert Repeats(blocks).next_block() == []


LOST = 0.5


def is_small(cell: str) -> bool:
    return cell.endswith(SMALL)


def disturbed_run() -> Records:
    """A run in which the second block of each of three benchmarks was disturbed."""
    run = large_run(3)
    executions = tuple(
        losing(one, run_queue_ns=LOST) if is_small(one.cell) and one.block == 2 else one
        for one in run.executions
    )
    after = {one.id.removeprefix("0000-"): one.id for one in executions}
    readings = tuple(
        one.model_copy(update={"after": after[one.after]})
        for one in run.readings
        if one.after in after
    )
    assert readings
    return replace(run, executions=executions, readings=readings)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    run = disturbed_run()
    made = RunFolder.create(tmp_path, run.plan, run.host)
    for record in run.executions:
        made.append(record)
    for one in run.readings:
        made.append_reading(one)
    return made


def blocks_of(folder: RunFolder) -> Blocks:
    level = MachineLevel(tuple(folder.readings()))
    return Blocks.of(folder.plan(), folder.attempts(), level)


def repeat(
    folder: RunFolder, block: Sequence[PlannedExecution], *, lost: float, slower: float = 1.0
) -> None:
    """Records a repeat of a block, with the readings of the reference loop after it."""
    first = {one.planned: one for one in folder.attempts() if not one.repeat}
    readings = folder.readings()
    for planned in block:
        before = first[planned.id]
        name = f"{planned.id}.{planned.repeat + 1}"
        again = before.model_copy(update={"id": name, "repeat": planned.repeat})
        folder.append(losing(again, run_queue_ns=lost) if is_small(planned.cell) else again)
        for one in readings:
            if one.after == before.id:
                update = {"after": name, "cpu_ns": round(one.cpu_ns * slower)}
                folder.append_reading(one.model_copy(update=update))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The records that were read from files."""
    found: list[object] = []
    plain = AppendedLines.read

    def kept(lines: AppendedLines[Line]) -> list[Line]:
        records = plain(lines)
        found.extend(records)
        return records

    monkeypatch.setattr(AppendedLines, "read", kept)
    return found


@pytest.mark.parametrize(
    ("lost", "slower", "disturbed"), [(0.0, 1.0, False), (LOST, 1.0, True), (0.0, 3.0, True)]
)
def test_each_record_is_read_once(
    lost: float, slower: float, disturbed: bool, folder: RunFolder, read: list[object]
) -> None:
    repeats = RecordedRepeats(folder, folder.plan())
    new = len(folder.attempts())
    taken: list[PlannedExecution] = []
    while True:
        expected = Repeats(blocks_of(folder)).next_block()
        read.clear()
        block = repeats.next_block()
        assert sum(isinstance(one, Execution) for one in read) == new
        assert block == expected
        if not block:
            break
        repeat(folder, block, lost=lost, slower=slower)
        taken, new = [*taken, *block], len(block)
    first = blocks_of(folder).attempts
    wanted = [block for block, attempts in first.items() if attempts[0].reasons]
    assert len(wanted) == 3
    assert {one.repeat for one in taken} == ({1, 2} if disturbed else {1})


def test_an_interrupted_repeat_counts_once_it_is_complete(folder: RunFolder) -> None:
    repeats = RecordedRepeats(folder, folder.plan())
    block = repeats.next_block()
    repeat(folder, block[:-1], lost=LOST)
    assert repeats.next_block() == block
    repeat(folder, block, lost=0.0)
    following = repeats.next_block()
    assert {one.cell for one in following}.isdisjoint(one.cell for one in block)
    assert following == Repeats(blocks_of(folder)).next_block()


def test_a_reading_counts_though_it_is_recorded_after_the_next_choice(folder: RunFolder) -> None:
    repeats = RecordedRepeats(folder, folder.plan())
    block = repeats.next_block()
    readings = folder.reference_file.read_text()
    repeat(folder, block, lost=0.0, slower=3.0)
    late = folder.reference_file.read_text().removeprefix(readings)
    assert late
    folder.reference_file.write_text(readings)
    following = repeats.next_block()
    assert {one.cell for one in following}.isdisjoint(one.cell for one in block)
    with folder.reference_file.open("a") as file:
        file.write(late)
    again = repeats.next_block()
    assert {one.cell for one in again} == {one.cell for one in block}
    assert again == Repeats(blocks_of(folder)).next_block()


def test_a_repeat_does_not_change_what_is_usual(folder: RunFolder) -> None:
    before = blocks_of(folder).usual
    assert before.lanes
    assert before.of_cells
    repeat(folder, Repeats(blocks_of(folder)).next_block(), lost=LOST, slower=3.0)
    assert blocks_of(folder).usual == before
