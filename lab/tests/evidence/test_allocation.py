"""What a program allocates, by the collections of its heap."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.evidence.pauses import allocation, tells_heaps
from runfair.formats.event import Event, HeapChange
from simulated.requests import SECOND

MIB = 1 << 20


def collection(at_ns: int, change: HeapChange | None, pid: int | None = 1) -> Event:
    return Event(
        source="go",
        kind="gc_cycle",
        pid=pid,
        started_ns=at_ns,
        duration_ns=0,
        stops_the_world=False,
        text="simulated",
        uncertainty_ns=0,
        heap=change,
    )


def simulated(
    bytes_per_s: float,
    *,
    live_bytes: int,
    young_bytes: int,
    step_bytes: int,
    meanwhile_share: float = 0.0,
    collections: int = 50,
    scatter: float = 0.1,
    pid: int = 1,
    seed: int = 1,
) -> list[Event]:
    """A heap that is collected whenever about `young_bytes` were allocated. A share of them is
    allocated while the collection works. The size of the live objects varies at random. The events
    state all sizes rounded down to steps."""
    draw = random.Random(seed)
    told: list[Event] = []
    now_s, held_bytes = 0.0, float(live_bytes)
    for _ in range(collections):
        young = young_bytes * draw.uniform(1 - scatter, 1 + scatter)
        meanwhile = meanwhile_share * young
        held_bytes += young - meanwhile
        now_s += (young - meanwhile) / bytes_per_s
        began_ns, before_bytes = round(now_s * SECOND), held_bytes
        now_s += meanwhile / bytes_per_s
        held_bytes = live_bytes * draw.uniform(1 - scatter, 1 + scatter)
        before, ended, after = (
            int(one) // step_bytes * step_bytes
            for one in (before_bytes, before_bytes + meanwhile, held_bytes)
        )
        change = HeapChange(
            before_bytes=before,
            after_bytes=after,
            meanwhile_bytes=ended - before,
            step_bytes=step_bytes,
        )
        told.append(collection(began_ns, change, pid))
    return told


@pytest.mark.parametrize("meanwhile_share", [0.0, 0.3])
def test_a_heap_that_is_told_exactly_tells_the_rate_exactly(meanwhile_share: float) -> None:
    events = simulated(
        7e6, live_bytes=9 * MIB, young_bytes=4 * MIB, step_bytes=1, meanwhile_share=meanwhile_share
    )
    found = allocation(events)
    assert found is not None
    assert found.bytes_per_s == pytest.approx(7e6, rel=1e-3)
    assert found.rounding == 0


@given(
    rate=st.floats(1e5, 1e9),
    live=st.floats(0.1, 200),
    young=st.floats(0.5, 100),
    meanwhile=st.floats(0, 0.8),
    collections=st.integers(2, 60),
    scatter=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 1000),
)
def test_the_truth_lies_within_the_rounding(
    rate: float,
    live: float,
    young: float,
    meanwhile: float,
    collections: int,
    scatter: float,
    seed: int,
) -> None:
    """Also where every collection is rounded the same way, as in a program that is steady."""
    events = simulated(
        rate,
        live_bytes=int(live * MIB),
        young_bytes=int(young * MIB),
        step_bytes=MIB,
        meanwhile_share=meanwhile,
        collections=collections,
        scatter=scatter,
        seed=seed,
    )
    found = allocation(events)
    if found is None:
        # The sizes of a collection are wrong by less than a step. Only if this is more than half of
        # the stated amount, there is no result: fewer than three steps were allocated between two
        # collections.
        least = (collections - 1) * young * (1 - scatter)
        assert least < 3 * collections, "rounding hides no more than it can"
    else:
        assert abs(found.bytes_per_s - rate) <= found.rounding * found.bytes_per_s + 1e-3 * rate


def test_the_heaps_of_several_processes_are_added() -> None:
    one = simulated(5e6, live_bytes=MIB, young_bytes=MIB, step_bytes=1)
    other = simulated(2e6, live_bytes=9 * MIB, young_bytes=3 * MIB, step_bytes=1, pid=2)
    found = allocation(sorted([*one, *other], key=lambda event: event.started_ns))
    assert found is not None
    assert found.bytes_per_s == pytest.approx(7e6, rel=1e-3)


def test_what_an_unread_collection_freed_is_not_guessed() -> None:
    events = simulated(7e6, live_bytes=9 * MIB, young_bytes=4 * MIB, step_bytes=1)
    after = events[21]
    assert after.heap is not None
    known = after.heap.model_copy(update={"after_gap": True})
    read = [*events[:20], after.model_copy(update={"heap": known}), *events[22:]]
    found = allocation(read)
    assert found is not None
    assert found.bytes_per_s == pytest.approx(7e6, rel=1e-3)
    # A single collection before the gap and a single one after it show nothing.
    assert allocation(read[19:21]) is None


def test_two_collections_are_needed_and_heaps() -> None:
    events = simulated(5e6, live_bytes=MIB, young_bytes=MIB, step_bytes=1)
    assert allocation(events[:2]) is not None
    assert allocation(events[:1]) is None
    assert tells_heaps(events[:1])
    silent = [collection(event.started_ns, None) for event in events]
    assert allocation(silent) is None
    assert not tells_heaps(silent)


def test_a_heap_that_hardly_grows_beside_its_steps_is_not_told() -> None:
    coarse = simulated(5e6, live_bytes=3 * MIB, young_bytes=MIB, step_bytes=MIB)
    assert allocation(coarse) is None


def test_the_order_in_which_collections_are_told_does_not_matter() -> None:
    events = simulated(7e6, live_bytes=9 * MIB, young_bytes=4 * MIB, step_bytes=1)
    assert allocation(events[::-1]) == allocation(events)
