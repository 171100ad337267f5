"""The evidence of a part of a run in progress is that of the records so far."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evidence.honest_run import honest_run
from evidence.records import Records, reading
from evidence.two_hosts import SECOND_CLOCK, on_two_hosts
from runfair.evidence.reading import GrowingRecords, events_of, evidence_from
from runfair.formats.event import Event, write_events
from runfair.formats.execution import Execution
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.result.judged_run import JudgedRun


def record(folder: RunFolder, run: Records, executions: Sequence[Execution]) -> None:
    for one in executions:
        wall_ns, cpu_ns = (each.tolist() for each in run.series[one.id])
        lines = [
            json.dumps({"wall_ns": wall, "cpu_ns": cpu}) + "\n"
            for wall, cpu in zip(wall_ns, cpu_ns, strict=True)
        ]
        folder.iterations_file(one.id).write_text("".join(lines))
        folder.append(one)
        folder.append_reading(reading("memory", one))


def figures(folder: RunFolder, records: GrowingRecords, part: Plan) -> tuple[str, str]:
    """The result from the growing records, and from all records read anew."""
    again = evidence_from(folder, part, folder.attempts(), folder.readings())
    found = (JudgedRun.of("run", one) for one in (records.evidence_of(part), again))
    ours, anew = (one.result.model_dump_json() for one in found)
    return ours, anew


def test_records_that_are_added_are_judged_like_those_read_anew(tmp_path: Path) -> None:
    run = honest_run()
    folder = RunFolder.create(tmp_path, run.plan, run.host)
    records = GrowingRecords(folder)
    half = len(run.executions) // 2
    seen: list[str] = []
    for executions in (run.executions[:half], run.executions[half:]):
        record(folder, run, executions)
        for cell in run.plan.cells:
            ours, anew = figures(folder, records, run.plan.of_group(cell))
            assert ours == anew
            seen.append(ours)
    groups = {cell.group for cell in run.plan.cells}
    assert len(set(seen)) == 2 * len(groups)  # each group at two times


def test_a_record_is_not_read_again(tmp_path: Path) -> None:
    run = honest_run()
    folder = RunFolder.create(tmp_path, run.plan, run.host)
    records = GrowingRecords(folder)
    first, *others = run.executions
    record(folder, run, [first])
    part = run.plan.of_group(run.plan.cells[0])
    records.evidence_of(part)
    for path in (folder.executions_file, folder.reference_file):
        path.write_bytes(b"#" * path.stat().st_size)
    record(folder, run, others)
    seen = [len(one.executions) for one in records.evidence_of(part).cells]
    assert sum(seen) == len(part.executions)


def test_events_are_on_the_clock_of_their_instances_host(tmp_path: Path) -> None:
    run = on_two_hosts()
    folder = RunFolder.create(tmp_path, run.plan, run.host)
    first = run.executions[0]
    folder.make_raw_folder(first.id)
    events = [
        Event(
            source="v8",
            kind="gc_pause",
            started_ns=10**9,
            duration_ns=5,
            stops_the_world=True,
            text="",
            uncertainty_ns=1,
            instance=instance,
        )
        for instance in (1, 2)
    ]
    write_events(folder.events_file(first.id), events)
    told = events_of(folder, run.evidence())[first.id]
    assert [one.started_ns for one in told] == [10**9, 10**9 - SECOND_CLOCK.offset_ns]
    assert [one.uncertainty_ns for one in told] == [1, 1 + SECOND_CLOCK.uncertainty_ns]
