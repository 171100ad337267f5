"""Repeats are chosen from new records alone, and as the records of the whole run would choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evidence.records import Records
from fairness.checks.test_disturbed_blocks import losing
from fairness.large_run import large_run
from fairness.stories import SMALL
from runfair.evidence.blocks import Blocks
from runfair.evidence.machine_level import MachineLevel
from runfair.evidence.repeats import RecordedRepeats, Repeats
from runfair.formats.appended_lines import AppendedLines, Line
from runfair.formats.execution import Execution
from runfair.formats.plan import PlannedExecution
from runfair.formats.run_folder import RunFolder

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
    for reading in run.readings:
        made.append_reading(reading)
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
