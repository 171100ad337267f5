"""A runtime's events beside requests whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runfair.evidence.load import examine
from runfair.evidence.pauses import PauseEvidence, answered, examine_pauses
from runfair.formats.event import Event
from runfair.formats.place import Clock, Location
from runfair.formats.records_file import Records
from simulated.requests import KINDS, MILLISECOND, NO_PAUSES, SECOND, IntArray, arrivals, frozen
from simulated.service_load import Load

WORK_NS = 2 * MILLISECOND
WARM_UP_NS = 2 * SECOND


def load_of(pauses_ns: IntArray, told_ns: IntArray | None = None, seconds: int = 20) -> Load:
    """A service that stops in these pauses, and tells of those (or of them all)."""
    intended = arrivals(1000, seconds)
    work = np.full(len(intended), WORK_NS, dtype=np.int64)
    told = pauses_ns if told_ns is None else told_ns
    return Load(frozen(intended, work, pauses_ns), 1000.0, pauses_ns=told)


def warming(load: Load) -> Load:
    """Three times as slow for its first two seconds."""
    slow = load.requests.intended_ns < WARM_UP_NS
    return load.with_requests(done_ns=load.requests.done_ns + np.where(slow, 2 * WORK_NS, 0))


def seen(
    load: Load, events: Sequence[Event] | None = None, *, records: bool = True
) -> PauseEvidence:
    """The evidence of the load's own events, or of these."""
    evidence = examine(load.result, load.intervals, load.usage, 0.0)
    told = load.events if events is None else events
    assert told is not None
    return examine_pauses(told, evidence, load.records if records else None)


def stops(*instants_ms: tuple[int, int]) -> IntArray:
    return np.array(instants_ms, dtype=np.int64).reshape(-1, 2) * MILLISECOND


def test_a_pause_that_everybody_waits_for_is_not_missing() -> None:
    found = seen(load_of(stops((5000, 5080), (9000, 9030))))
    assert found.missing is not None
    assert (found.missing.long, len(found.missing.missing), found.missing.unmet) == (2, 0, 0)
    assert found.swallowed == 0
    assert (found.collections, found.paused_ns, found.longest_ns) == (
        2,
        110 * MILLISECOND,
        80 * MILLISECOND,
    )


def test_a_pause_in_no_latency_is_missing() -> None:
    told = stops((5000, 5080), (9000, 9030))
    found = seen(load_of(told[:1], told))
    assert found.missing is not None
    assert found.missing.missing.tolist() == told[1:].tolist()


def test_the_tail_is_laid_beside_chance() -> None:
    """Of 20,000 requests 80 wait for one stop and two are under way; the slowest 1% are 200, of
    whom no more than these are slower than the rest."""
    found = seen(load_of(stops((5000, 5080))))
    assert found.share is not None
    assert found.share.chance == pytest.approx(82 / 20_000, abs=2 / 20_000)
    assert found.share.tail is None or found.share.tail == 1.0
    many = seen(load_of(stops(*((1000 * at, 1000 * at + 80) for at in range(1, 20)))))
    assert many.share is not None
    assert many.share.tail == 1.0
    assert many.share.chance == pytest.approx(19 * 82 / 20_000, rel=0.05)


def test_what_was_before_the_steady_part_is_in_no_figure() -> None:
    load = warming(load_of(stops((500, 600), (5000, 5080))))
    load = replace(load, compilations_ns=(100 * MILLISECOND, 8 * SECOND))
    found = seen(load)
    assert found.pauses_ns.tolist() == stops((5000, 5080)).tolist()
    assert (found.collections, found.late_compilations) == (1, 1)


def test_what_was_outside_the_load_is_not_looked_at() -> None:
    load = load_of(stops((5000, 5080)))
    assert load.events is not None
    first = load.events[0]
    outside = [
        first.model_copy(update={"started_ns": load.began_ns - SECOND}),
        first.model_copy(update={"started_ns": load.began_ns + 60 * SECOND}),
    ]
    found = seen(load, [*outside, *load.events])
    assert found.collections == 1


def test_work_beside_the_program_is_no_pause() -> None:
    load = load_of(stops((5000, 5080)))
    assert load.events is not None
    beside = load.events[0].model_copy(
        update={"kind": "gc_cycle", "stops_the_world": False, "duration_ns": SECOND}
    )
    found = seen(load, [*load.events, beside])
    # The pause is a part of the cycle, and they are one collection.
    assert found.collections == 1
    assert found.pauses_ns.tolist() == stops((5000, 5080)).tolist()


def test_a_safepoint_stops_whatever_it_is_for() -> None:
    load = load_of(stops((5000, 5080)))
    assert load.events is not None
    safepoint = load.events[0].model_copy(update={"kind": "safepoint"})
    found = seen(load, [safepoint])
    assert (found.collections, found.longest_ns) == (0, 80 * MILLISECOND)


def test_pauses_that_overlap_are_one() -> None:
    found = seen(load_of(stops((5000, 5080)), stops((5000, 5050), (5030, 5080))))
    assert found.pauses_ns.tolist() == stops((5000, 5080)).tolist()
    assert found.paused_ns == 80 * MILLISECOND


def test_without_records_nothing_is_said_of_single_requests() -> None:
    found = seen(load_of(stops((5000, 5080))), records=False)
    assert (found.share, found.missing) == (None, None)
    assert found.longest_ns == 80 * MILLISECOND


def test_without_pauses_nothing_is_missing() -> None:
    found = seen(load_of(NO_PAUSES))
    assert (found.share, found.missing, found.paused_ns, found.longest_ns) == (None, None, 0, 0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("good", "miss")])
def test_what_failed_has_no_latency_that_a_pause_could_show_in(kind: str) -> None:
    """Answers that never came, or wrong ones: the pause was met by nobody who was answered."""
    load = load_of(stops((5000, 5080)))
    kinds = load.requests.kind.copy()
    met = (load.requests.done_ns > 5 * SECOND) & (load.requests.intended_ns < 5 * SECOND + 10**8)
    kinds[met] = KINDS.index(kind)
    found = seen(load.with_requests(kind=kinds))
    assert found.missing is not None
    assert (found.missing.unmet, len(found.missing.missing)) == (1, 0)


def without_those_meant_in(load: Load, from_ms: int, until_ms: int) -> Load:
    """As a generator has it that leaves out whoever was meant to go then."""
    intended = load.requests.intended_ns
    meant = (intended >= from_ms * MILLISECOND) & (intended < until_ms * MILLISECOND)
    return replace(load, requests=load.requests.chosen(~meant))


def test_nobody_meant_to_go_in_a_pause_is_swallowed_but_where_the_traffic_itself_was_quiet() -> (
    None
):
    load = without_those_meant_in(load_of(stops((5000, 5080))), 5000, 5080)
    assert seen(load).swallowed == 1
    assert load.events is not None and load.result.arrivals is not None
    trace = load.result.arrivals.model_copy(update={"process": "trace"})
    result = load.result.model_copy(update={"arrivals": trace})
    evidence = examine(result, load.intervals, load.usage, 0.0)
    assert examine_pauses(load.events, evidence, load.records).swallowed == 0


def test_after_the_schedules_end_nobody_is_meant_to_go() -> None:
    """The last 15 ms of requests are answered in a pause that outlasts the schedule by 60."""
    load = load_of(stops((19_995, 20_080)))
    assert seen(without_those_meant_in(load, 19_995, 21_000)).swallowed == 0


@pytest.mark.parametrize(("before_ms", "collections"), [(1, 1), (2, 2)])
def test_a_pause_next_to_a_cycle_is_a_part_of_it(before_ms: int, collections: int) -> None:
    load = load_of(stops((5000, 5080)))
    assert load.events is not None
    (pause,) = load.events
    cycle = pause.model_copy(
        update={
            "kind": "gc_cycle",
            "stops_the_world": False,
            "started_ns": pause.started_ns + before_ms * MILLISECOND,
        }
    )
    assert seen(load, [pause, cycle]).collections == collections


def test_a_young_collection_during_a_concurrent_one_is_a_collection() -> None:
    load = load_of(stops((5000, 5010), (5500, 5510), (5900, 5910)))
    assert load.events is not None
    texts = ("Pause Young (Concurrent Start)", "Pause Young (Normal)", "Pause Remark")
    pauses = [
        one.model_copy(update={"source": "jvm", "text": text})
        for one, text in zip(load.events, texts, strict=True)
    ]
    marking = pauses[0].model_copy(
        update={"kind": "gc_cycle", "stops_the_world": False, "duration_ns": SECOND}
    )
    assert seen(load, [*pauses, marking]).collections == 3


@pytest.mark.parametrize(
    ("texts", "collections"),
    [
        (("V8.GCIncrementalMarkingStart", "V8.GCIncrementalMarking", "V8.GCFinalizeMC"), 1),
        (("V8.GCScavenger", "V8.GCPhantomHandleProcessingCallback"), 1),
        (("steps of major garbage collections, recorded as one event: 3",), 0),
        (("incremental marking, flags 0", "mark-sweep-compact, flags 0"), 1),
        (("V8.GCScavenger", "V8.GCScavenger"), 2),
    ],
)
def test_a_step_of_a_collection_is_no_collection(texts: tuple[str, ...], collections: int) -> None:
    load = load_of(stops(*((5000 + 100 * at, 5010 + 100 * at) for at in range(len(texts)))))
    assert load.events is not None
    told = [
        one.model_copy(update={"source": "v8", "text": text})
        for one, text in zip(load.events, texts, strict=True)
    ]
    found = seen(load, told)
    assert (found.collections, len(found.pauses_ns)) == (collections, len(texts))


def test_an_answer_that_is_rightly_empty_is_one() -> None:
    load = load_of(NO_PAUSES)
    kinds = load.requests.kind.copy()
    kinds[::2] = KINDS.index("miss")
    missing = load.with_requests(kind=kinds)
    evidence = examine(missing.result, missing.intervals, missing.usage, 0.0)
    rows = answered(evidence, missing.records)
    assert len(rows) == len(kinds)
    assert (rows["done_ns"] - rows["intended_ns"] == WORK_NS).all()


@settings(max_examples=25)
@given(
    starts=st.lists(st.integers(100, 5800), max_size=6, unique=True),
    length_ms=st.integers(12, 150),
)
def test_no_pause_of_a_program_that_really_stopped_is_missing(
    starts: list[int], length_ms: int
) -> None:
    apart = sorted(starts)
    kept = [at for place, at in enumerate(apart) if place == 0 or at - apart[place - 1] > length_ms]
    pauses = stops(*((at, at + length_ms) for at in kept))
    found = seen(load_of(pauses, seconds=6))
    assert found.paused_ns <= len(kept) * length_ms * MILLISECOND
    if found.missing is not None:
        assert len(found.missing.missing) == 0


def test_events_are_in_the_order_of_their_starts() -> None:
    load = replace(load_of(stops((5000, 5080))), compilations_ns=(SECOND,))
    events: list[Event] = load.events or []
    assert [one.kind for one in events] == ["compilation", "gc_pause"]


def test_a_pause_of_one_instance_is_met_by_its_own_requests_alone() -> None:
    """Two instances with a connection each, in turn: one stops, and the other goes on. Laid
    against all requests the stop would seem to be left out."""
    pauses = stops((5000, 5080))
    intended = arrivals(1000, 20)
    work = np.full(len(intended), WORK_NS, dtype=np.int64)
    stopped, going = frozen(intended, work, pauses).done_ns, frozen(intended, work).done_ns
    connections = np.arange(len(intended)) % 2
    done = np.where(connections == 0, stopped, going)
    load = Load(frozen(intended, work), 1000.0, pauses_ns=pauses).with_requests(done_ns=done)
    evidence = examine(load.result, load.intervals, load.usage, 0.0)
    shares = [load.result.latency_ns] * 2
    result = evidence.result.model_copy(update={"targets": shares, "connections": 2})
    records = with_connections(load, connections)
    assert load.events is not None
    for instance, missing in ((1, 0), (2, 1)):
        events = [one.model_copy(update={"instance": instance}) for one in load.events]
        found = examine_pauses(events, replace(evidence, result=result), records)
        assert found.missing is not None
        assert (found.missing.long, len(found.missing.missing)) == (1, missing)


@pytest.mark.parametrize(("pids", "missing"), [((1, 1), 1), ((1, 2), 0)])
def test_a_pause_of_one_process_of_several_need_not_show(
    pids: tuple[int, int], missing: int
) -> None:
    """The other process answers meanwhile."""
    load = load_of(stops((9000, 9030)), stops((5000, 5080), (9000, 9030)))
    events = [
        one.model_copy(update={"pid": pid})
        for one, pid in zip(load.events or (), pids, strict=True)
    ]
    found = seen(load, events)
    assert found.missing is not None
    assert (len(found.missing.missing), found.processes) == (missing, len(set(pids)))
    assert len(found.pauses_ns) == 2


def with_connections(load: Load, connections: IntArray) -> Records:
    """The records with who carried each request, by one thread."""
    plain = load.records.rows
    order = np.argsort(load.requests.done_ns, kind="stable")
    kinds = [*plain.dtype.descr, ("thread", "<u2"), ("connection", "<u4")]
    rows = np.zeros(len(plain), dtype=kinds)
    for name in plain.dtype.names or ():
        rows[name] = plain[name]
    rows["connection"] = connections[order]
    return Records(load.records.header, rows)


def elsewhere(load: Load, offset_ns: int, uncertainty_ns: int, error_ns: int = 0) -> PauseEvidence:
    """As `seen`, of a runtime in a place whose clock is ahead by the offset, and by an `error_ns`
    that is not known."""
    clock = Clock(offset_ns=offset_ns, uncertainty_ns=uncertainty_ns)
    evidence = examine(load.result, load.intervals, load.usage, 0.0)
    ahead = Clock(offset_ns=-offset_ns - error_ns)
    events = [one.to_lab(ahead).to_lab(clock) for one in load.events or ()]
    return examine_pauses(events, evidence, load.records, Location(name="there", clock=clock))


def test_a_clock_s_offset_changes_nothing() -> None:
    load = load_of(stops((5000, 5080), (9000, 9030), (12_000, 12_400)))
    here, there = seen(load), elsewhere(load, 3600 * SECOND, 0)
    assert there.pauses_ns.tolist() == here.pauses_ns.tolist()
    assert there.share == here.share
    assert there.share_least == there.share_most == here.share
    # Whoever takes the one clock for the other sees no pause at all.
    wrong = elsewhere(load, 0, 0, error_ns=3600 * SECOND)
    assert not len(wrong.pauses_ns)


def test_what_the_uncertainty_could_change_is_no_fault() -> None:
    """The clocks are apart by more than the pause: what shows seems to be missing."""
    load = load_of(stops((5000, 5080)))
    apart_ns = 200 * MILLISECOND
    certain = elsewhere(load, 0, 0, error_ns=-apart_ns)
    assert certain.missing is not None
    assert len(certain.missing.missing) == 1
    uncertain = elsewhere(load, 0, apart_ns, error_ns=-apart_ns)
    assert uncertain.missing is not None
    assert len(uncertain.missing.missing) == 0
    assert uncertain.uncertainty_ns == apart_ns


@pytest.mark.parametrize(("uncertainty_ms", "missing"), [(0, 1), (20, 0)])
def test_an_event_that_is_told_late_is_no_fault(uncertainty_ms: int, missing: int) -> None:
    """The line about a stop of 15 ms is read 20 ms late, when all are answered again."""
    load = load_of(stops((5000, 5015)), stops((5020, 5035)))
    late = [
        one.model_copy(update={"uncertainty_ns": uncertainty_ms * MILLISECOND})
        for one in load.events or ()
    ]
    found = seen(load, late)
    assert found.missing is not None
    assert (len(found.missing.missing), found.uncertainty_ns) == (missing, 0)


def test_requests_at_the_edge_of_an_uncertain_pause_are_due_in_it() -> None:
    load = without_those_meant_in(load_of(stops((5000, 5080))), 5000, 5080)
    vague = [one.model_copy(update={"uncertainty_ns": SECOND}) for one in load.events or ()]
    assert seen(load, vague).swallowed == 0


def test_a_pause_that_shows_at_no_distance_stays_a_fault() -> None:
    hidden = load_of(NO_PAUSES, stops((5000, 5080)))
    found = elsewhere(hidden, 7 * SECOND, 300 * MILLISECOND)
    assert found.missing is not None
    assert len(found.missing.missing) == 1


@pytest.mark.parametrize("error_ms", [-20, -3, 0, 3, 20])
def test_the_share_of_the_tail_lies_within_its_range(error_ms: int) -> None:
    load = load_of(stops((5000, 5080), (9000, 9030), (15_000, 15_004)))
    truth = seen(load).share
    found = elsewhere(load, SECOND, 20 * MILLISECOND, error_ms * MILLISECOND)
    assert truth is not None and truth.tail is not None
    assert found.share_least is not None and found.share_least.tail is not None
    assert found.share_most is not None and found.share_most.tail is not None
    assert found.share_least.tail <= truth.tail <= found.share_most.tail
    assert found.share_least.chance <= truth.chance <= found.share_most.chance
    assert found.share_least.tail < found.share_most.tail
