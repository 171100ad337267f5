"""Today's checks pass what was measured honestly, and catch each classic mistake made with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from fairness.stored.archive import HOST, unpack
from fairness.stored.experiments import EXPERIMENTS
from fairness.stored_runs import (
    KINDS,
    STORED,
    StoredLoad,
    StoredRun,
    stored_names,
    stored_run,
)
from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import CHECKS, disturbed_blocks
from runfair.fairness.figures import PERCENTILES
from runfair.formats.event import Event
from runfair.formats.execution import Execution
from runfair.formats.finding import Finding, Severity

MILLISECOND = 10**6
SECOND = 10**9

# What these checks say of an honest run is of this machine: that others took its processors, how
# still it was when it was calibrated, what it cannot do. What `disturbed_blocks` says of them is
# true (`test_blocks_that_are_called_disturbed_were`): the kernel's accounts, which it reads alone,
# show others on up to 96% of the processors' time.
OF_THE_MACHINE = ("machine", "foreign_time", "disturbed_blocks", "wall_over_cpu", "calibration")

# A short load is made for the percentiles up to its objective's: there are too few requests for
# those beyond, and a single stall of the generator's processor is all of them.
OF_PERCENTILES = ("few_requests", "generator_delay")
GRAVITY: dict[Severity, int] = {"limitation": 1, "warning": 2, "fault": 3}
LARGEST_BYTES = 150_000


def findings(run: RunEvidence) -> list[Finding]:
    return [finding for check in CHECKS for finding in check.check(run)]


def beyond_the_objective(finding: Finding, cells: dict[str, CellEvidence]) -> bool:
    """Whether it speaks of percentiles alone that the load was not made for."""
    service = cells[finding.cell].cell.service if finding.cell in cells else None
    if finding.check not in OF_PERCENTILES or service is None or service.point.objective is None:
        return False
    place = PERCENTILES.index(service.point.objective.percentile)
    return not set(finding.figures) & set(PERCENTILES[: place + 1])


def woken_late(finding: Finding) -> bool:
    """What the generator says of its own processor, and not of any percentile."""
    return finding.check == "generator_delay" and finding.text.startswith(
        "the load generator reports: "
    )


def test_no_honest_experiment_is_left_out() -> None:
    """They are recorded together (`stored/record.py`): one whose run is not stored may be one that
    did not pass."""
    assert len(EXPERIMENTS) >= 20
    assert stored_names() == list(EXPERIMENTS)


def test_blocks_that_are_called_disturbed_were() -> None:
    """What others took of the processors is in the records of the executions themselves."""
    named = 0
    for name in stored_names():
        run = stored_run(name).evidence()
        cells = {one.cell.id: one for one in run.cells}
        for finding in disturbed_blocks.check(run):
            if finding.severity == "warning" and finding.cell is not None:
                named += 1
                taken = [others_share(one.record) for one in cells[finding.cell].executions]
                assert max(taken) > disturbed_blocks.FLAGGED_SHARE, name
    assert named


def others_share(record: Execution) -> float:
    """Of the processors' time while the execution lasted."""
    launch = record.launch
    available_ns = launch.wall_ns * len(launch.processors)
    return ((launch.foreign_ns or 0) + (launch.steal_ns or 0)) / available_ns


@pytest.mark.parametrize("name", stored_names())
def test_an_honest_run_passes(name: str) -> None:
    run = stored_run(name).evidence()
    assert all(one.completed for one in run.cells)
    cells = {one.cell.id: one for one in run.cells}
    cries = [
        (finding.check, finding.cell, finding.text)
        for finding in findings(run)
        if finding.severity != "limitation"
        and finding.check not in OF_THE_MACHINE
        and not woken_late(finding)
        and not beyond_the_objective(finding, cells)
    ]
    assert cries == []


@pytest.mark.parametrize("name", stored_names())
def test_little_is_stored_and_nothing_of_the_machine_that_measured(name: str) -> None:
    path = STORED / f"{name}.tar.xz"
    assert path.stat().st_size < LARGEST_BYTES
    files = unpack(path)
    assert files[f"machines/{HOST}.json"].find(f'"name": "{HOST}"'.encode()) > 0
    for content in (files["experiment.json"], files["executions.jsonl"]):
        assert b"/tmp/" not in content
        assert b"/work/" not in content
        assert b"/root/" not in content


@dataclass(frozen=True)
class Mistake:
    """What `commit` leaves of a stored run, and the check that must say so, at least so gravely."""

    name: str
    run: str
    commit: Callable[[StoredRun], StoredRun]
    caught_by: str
    severity: Severity


def on_loads(change: Callable[[StoredLoad], StoredLoad]) -> Callable[[StoredRun], StoredRun]:
    return lambda run: run.with_loads(change)


def changed(run: StoredRun, change: Callable[[StoredRun], object]) -> StoredRun:
    told = change(run)
    assert isinstance(told, StoredRun)
    return told


def closed_loop(load: StoredLoad) -> StoredLoad:
    """The next request goes when the last was answered, and nobody is meant to go before."""
    sent = load.columns["sent_ns"]
    waited = load.with_columns(intended_ns=sent, free_ns=sent)
    return waited.with_result(
        loop="closed", arrivals=None, rate__offered_per_s=None, rate__ratio=None
    )


def pauses_told(load: StoredLoad) -> tuple[Event, ...]:
    """The pauses that this service makes by its construction, had its runtime told of them: 80 ms
    at the beginning of each second."""
    began_ns = load.result.started.monotonic_ns
    first_s = began_ns // SECOND + 1
    last_s = (began_ns + load.result.elapsed_ns) // SECOND
    return tuple(
        Event(
            source="cpython",
            kind="gc_pause",
            started_ns=at_s * SECOND,
            duration_ns=80 * MILLISECOND,
            stops_the_world=True,
            text="constructed",
            uncertainty_ns=0,
        )
        for at_s in range(first_s, last_s)
    )


def telling(load: StoredLoad) -> StoredLoad:
    return replace(load, events=pauses_told(load))


def waiting(load: StoredLoad) -> StoredLoad:
    """Timed from the actual send by a generator that waits: who met a pause is written down as
    though it had gone after it."""
    latency = load.columns["done_ns"] - load.columns["sent_ns"]
    usual = np.minimum(latency, np.int64(4 * MILLISECOND))
    return telling(load).with_columns(
        done_ns=load.columns["intended_ns"] + usual,
        sent_ns=load.columns["intended_ns"],
        free_ns=load.columns["intended_ns"],
    )


def left_out(load: StoredLoad) -> StoredLoad:
    """Who was meant to go in a pause never was."""
    began_ns = load.result.started.monotonic_ns
    intended = load.columns["intended_ns"]
    met = np.zeros(len(intended), dtype=np.bool_)
    for one in pauses_told(load):
        met |= (intended >= one.started_ns - began_ns) & (intended < one.ended_ns - began_ns)
    kept = telling(load).chosen(~met)
    return kept.with_result(requests__good=len(kept.columns["kind"]))


def warm_up_dropped(load: StoredLoad) -> StoredLoad:
    """The log begins a second late, and nothing says so."""
    return load.chosen(load.columns["intended_ns"] >= SECOND)


def warm_up_alone(load: StoredLoad) -> StoredLoad:
    """Ended before it could have become steady."""
    early = load.chosen(np.arange(len(load.columns["kind"])) < 300)
    return early.with_result(requests__good=300, latency_ns__count=300)


def errors_are_fast(load: StoredLoad) -> StoredLoad:
    """A tenth of the answers are quick ones of 500."""
    kinds, done = load.columns["kind"].copy(), load.columns["done_ns"].copy()
    kinds[::10] = KINDS.index("wrong_status")
    done[::10] = load.columns["sent_ns"][::10] + MILLISECOND // 10
    failed = len(kinds[::10])
    return load.with_columns(kind=kinds, done_ns=done).with_result(
        requests__good=len(kinds) - failed,
        requests__failed=failed,
        requests__failures__wrong_status=failed,
    )


def one_request(load: StoredLoad) -> StoredLoad:
    return load.with_result(traffic__templates=["GET /hello/1"])


def at_its_limit(load: StoredLoad) -> StoredLoad:
    return load.with_result(rate__ratio=0.83)


def late_by_itself(load: StoredLoad) -> StoredLoad:
    """The generator sends each request a quarter of its latency late."""
    lag = (load.columns["done_ns"] - load.columns["sent_ns"]) // 3
    return load.with_columns(
        sent_ns=load.columns["sent_ns"] + lag, done_ns=load.columns["done_ns"] + lag
    )


def much_besides(run: StoredRun) -> StoredRun:
    """The second service answers with much that nobody asked for."""
    mine = run.plan.cells[1].id
    ids = {one.id for one in run.executions if one.cell == mine}
    loads = {
        name: one.with_result(bytes__received=4 * one.result.bytes.received) if name in ids else one
        for name, one in run.loads.items()
    }
    return replace(run, loads=loads)


def one_after_the_other(run: StoredRun) -> StoredRun:
    """A…A B…B, and not what was planned."""
    ranks = {cell.id: rank for rank, cell in enumerate(run.plan.cells)}
    order = sorted(run.executions, key=lambda one: ranks[one.cell])
    first_ns = min(one.launch.started_realtime_ns for one in run.executions)

    def begun(record: Execution, place: int) -> Execution:
        launch = record.launch.model_copy(update={"started_realtime_ns": first_ns + place * SECOND})
        return record.model_copy(update={"launch": launch})

    return replace(run, executions=tuple(begun(one, place) for place, one in enumerate(order)))


def another_answer(run: StoredRun) -> StoredRun:
    cell = run.plan.cells[-1].id
    return changed(run, lambda one: one.with_records(cell, 6, digest="0" * 64))


def iterations_dropped(run: StoredRun) -> StoredRun:
    """The warm-up is cut off from the files."""
    cut = {name: (wall[5:], cpu[5:]) for name, (wall, cpu) in run.series.items()}
    return replace(run, series=cut)


def several_in_one_process(run: StoredRun) -> StoredRun:
    series = {
        name: (np.repeat(wall, 3), np.repeat(cpu, 3)) for name, (wall, cpu) in run.series.items()
    }
    more = tuple(one.model_copy(update={"iterations": 3}) for one in run.executions)
    return replace(run, series=series, executions=more)


def too_few_executions(run: StoredRun) -> StoredRun:
    first = {cell.id: 0 for cell in run.plan.cells}
    kept = []
    for one in run.executions:
        first[one.cell] += 1
        if first[one.cell] <= 1:
            kept.append(one)
    return replace(run, executions=tuple(kept))


def built_otherwise(run: StoredRun) -> StoredRun:
    """Go alone is built with a profile of its work."""
    (cell,) = [one.id for one in run.plan.cells if one.variant.startswith("go")]
    start = next(one.start for one in run.executions if one.cell == cell)
    assert start is not None
    effective = {**start.effective, "pgo": True}
    return changed(run, lambda one: one.with_starts(cell, 6, effective=effective))


def others_at_work(run: StoredRun) -> StoredRun:
    return changed(run, lambda one: one.with_launch_share(run.cell, "foreign_ns", 0.2))


MISTAKES = (
    Mistake("a closed loop", "constant", on_loads(closed_loop), "offered_rate", "fault"),
    Mistake("pauses waited for", "pauses", on_loads(waiting), "omitted_pauses", "fault"),
    Mistake("pauses left out", "pauses", on_loads(left_out), "omitted_pauses", "fault"),
    Mistake("the warm-up dropped", "order-fastify", on_loads(warm_up_dropped), "records", "fault"),
    Mistake("the warm-up alone", "order-fastify", on_loads(warm_up_alone), "warm_up", "warning"),
    Mistake("errors counted as fast", "bimodal", on_loads(errors_are_fast), "errors", "fault"),
    Mistake("one single request", "constant", on_loads(one_request), "traffic", "warning"),
    Mistake(
        "peak throughput instead of an objective",
        "order-fastify",
        on_loads(at_its_limit),
        "offered_rate",
        "fault",
    ),
    Mistake("a late generator", "constant", on_loads(late_by_itself), "generator_delay", "warning"),
    Mistake("much besides", "order-net-http-axum", much_besides, "traffic", "warning"),
    Mistake("too few requests", "bimodal", on_loads(warm_up_alone), "few_requests", "fault"),
    Mistake("one after the other", "sort-steady", one_after_the_other, "order", "warning"),
    Mistake("services one by one", "order-net-http-axum", one_after_the_other, "order", "warning"),
    Mistake("another answer", "sort-steady", another_answer, "digest", "fault"),
    Mistake("iterations dropped", "sort-steady", iterations_dropped, "records", "fault"),
    Mistake("several in one process", "sort-cold", several_in_one_process, "warm_up", "fault"),
    Mistake("a single execution", "sort-cold", too_few_executions, "executions", "fault"),
    Mistake("built with more care", "sort-steady", built_otherwise, "unequal_builds", "warning"),
    Mistake("others at work", "constant", others_at_work, "foreign_time", "fault"),
)


def gravest(run: StoredRun, check: str) -> int:
    """Of services only what concerns the objective's percentile, or what holds for all."""
    evidence = run.evidence()
    cells = {one.cell.id: one for one in evidence.cells}
    told = [
        one.severity
        for one in findings(evidence)
        if one.check == check and not woken_late(one) and not beyond_the_objective(one, cells)
    ]
    return max((GRAVITY[one] for one in told), default=0)


@pytest.mark.parametrize(
    "mistake", [one for one in MISTAKES if one.run in stored_names()], ids=lambda one: one.name
)
def test_a_mistake_committed_on_an_honest_run_is_caught(mistake: Mistake) -> None:
    honest = stored_run(mistake.run)
    assert gravest(mistake.commit(honest), mistake.caught_by) >= GRAVITY[mistake.severity]
    if mistake.caught_by not in OF_THE_MACHINE:
        assert gravest(honest, mistake.caught_by) < GRAVITY[mistake.severity]


@pytest.mark.parametrize("name", [one for one in stored_names() if one == "pauses"])
def test_pauses_that_show_are_no_fault_when_they_are_told(name: str) -> None:
    """What the mistakes about pauses are held against: the same pauses, and honest latencies."""
    honest = stored_run(name).with_loads(telling)
    assert gravest(honest, "omitted_pauses") <= GRAVITY["limitation"]
    (cell,) = honest.evidence().services
    assert all(one.pauses is not None and one.pauses.missing for one in cell.completed)
