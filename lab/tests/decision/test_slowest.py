"""The slowest requests laid against what was seen meanwhile: queries, looks, pauses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from runfair.decision.slowest import slowest
from runfair.decision.tail import Tail, tail_account, tail_words
from runfair.evidence.load import Queries, examine
from runfair.evidence.pauses import examine_pauses
from runfair.evidence.reading import Traces
from runfair.formats.decision import Cause
from runfair.formats.place import Clock, Location
from runfair.formats.service import Usage
from simulated.asking import MILLISECOND, Asking, IntArray, asking
from simulated.requests import GOOD, KINDS, SECOND, Requests
from simulated.service_load import Load

REQUESTS = 4_000
RATE_PER_S = 100.0
BEGAN_NS = 5 * SECOND


@dataclass(frozen=True, eq=False)
class Observed:
    """A load that asks a database; `truth` is what each request waited for it."""

    load: Load
    queries: Queries
    truth_ns: IntArray

    def tail(self, usage: list[Usage] | None = None, share: float = 0.95) -> Tail:
        load = self.load
        looks = load.usage if usage is None else usage
        evidence = examine(load.result, load.intervals, looks, 0.0, self.queries, load.records)
        pauses = None
        if load.events is not None:
            pauses = examine_pauses(load.events, evidence, load.records)
        found = slowest(evidence, pauses, Traces(load.records, self.queries, looks), share)
        assert found is not None
        return found

    def truth_of(self, intended_ns: int) -> int:
        place = np.flatnonzero(self.load.requests.intended_ns == intended_ns)[0]
        return int(self.truth_ns[place])


def observed(one: Asking, stalls: IntArray | None = None) -> Observed:
    """`stalls`: a pause of the runtime after each request's queries, in ns."""
    pauses = None
    done = one.done_ns
    if stalls is not None:
        done = done + stalls
        pauses = np.stack((one.done_ns, done), axis=1)[stalls > 0]
    kind = np.full(len(done), GOOD, dtype=np.int64)
    requests = Requests(one.sent_ns, one.sent_ns, done, kind)
    load = Load(requests, RATE_PER_S, BEGAN_NS, cpu_ns=200_000, pauses_ns=pauses)
    queries = Queries(one.arrived_ns + BEGAN_NS, one.delivered_ns + BEGAN_NS, one.due_ns + BEGAN_NS)
    return Observed(load, queries, one.waited_ns)


def served(seed: int = 1, slow_share: float = 0.05) -> Asking:
    counts = np.ones(REQUESTS, dtype=np.int64)
    return asking(np.random.default_rng(seed), counts, RATE_PER_S, slow_share=slow_share)


def test_slow_queries_are_found_one_by_one() -> None:
    seen = observed(served())
    found = seen.tail()
    assert found.dominant == "database"
    assert found.count == len(found.slowest) > 100
    assert not found.doubt
    for one in found.slowest:
        least, most = one.parts_ns["database"]
        assert least <= seen.truth_of(one.intended_ns) <= most
    widths = [one.parts_ns["database"][1] - one.parts_ns["database"][0] for one in found.slowest]
    assert np.median(widths) < 0.01 * found.slowest[0].latency_ns


def test_pauses_are_found_beside_queries_that_always_take_their_time() -> None:
    stalls = np.zeros(REQUESTS, dtype=np.int64)
    # One every half second or so: the slow ones, and those that they meet.
    stalls[::60] = 30 * MILLISECOND
    found = observed(served(slow_share=0), stalls).tail(share=0.985)
    assert found.slowed["pause"] > 0.9
    assert found.slowed["database"] == 0


def looks_of(load: Load, cpu_share: float, queued_share: float) -> list[Usage]:
    """A service that uses this share of its processor all the time, and waits so much for it."""
    return [
        one.model_copy(
            update={
                "cpu_ns": round(cpu_share * (one.monotonic_ns - BEGAN_NS)),
                "run_queue_ns": round(queued_share * (one.monotonic_ns - BEGAN_NS)),
            }
        )
        for one in load.usage
    ]


def without_relay(seen: Observed, usage: list[Usage]) -> Tail:
    evidence = examine(seen.load.result, seen.load.intervals, usage, 0.0)
    found = slowest(evidence, None, Traces(seen.load.records, None, usage), 0.95)
    assert found is not None
    return found


def test_looks_say_what_can_have_been_at_most() -> None:
    seen = observed(served())
    idle = without_relay(seen, looks_of(seen.load, 0.001, 0.0001))
    # In a quarter of a second it used 0.25 ms at most, and a request takes 20 more than usual.
    assert idle.dominant == "other waits"
    assert idle.sampling_interval_ns == 250 * MILLISECOND
    last_ns = seen.load.usage[-1].monotonic_ns - BEGAN_NS
    between = [one for one in idle.slowest if one.intended_ns < last_ns - SECOND]
    assert len(between) > 100
    for one in between:
        assert one.parts_ns["own CPU"][1] < 0.6 * MILLISECOND
        assert one.parts_ns["run queue"][1] < 0.06 * MILLISECOND
    busy = without_relay(seen, looks_of(seen.load, 0.9, 0.0001))
    assert busy.dominant is None
    together: tuple[Cause, ...] = ("own CPU", "other waits")
    assert busy.undecided[together] > 0.9


def test_what_lies_outside_all_looks_is_not_known() -> None:
    seen = observed(served())
    few = looks_of(seen.load, 0.001, 0.0)[:2]
    last_ns = few[-1].monotonic_ns - BEGAN_NS
    for one in without_relay(seen, few).slowest:
        if one.intended_ns > last_ns:
            assert one.parts_ns["own CPU"][1] == one.latency_ns
    assert without_relay(seen, few[:1]).sampling_interval_ns is None


def test_a_run_queue_that_the_kernel_does_not_tell_is_left_out() -> None:
    seen = observed(served())
    silent = [one.model_copy(update={"run_queue_ns": None}) for one in seen.load.usage]
    assert "run queue" not in seen.tail(silent).time_shares
    assert "run queue" in seen.tail().time_shares


@pytest.mark.parametrize("offset_ms", [-3, 1, 40])
def test_a_mistaken_clock_is_said_and_nothing_is_built_on_it(offset_ms: int) -> None:
    found = observed(served().apart(offset_ms * MILLISECOND)).tail()
    assert "happened while no request was under way" in found.doubt
    assert "database" not in found.time_shares
    assert found.dominant != "database"
    assert found.doubt in tail_account(found).doubts


def test_requests_without_an_answer_may_own_every_later_query() -> None:
    seen = observed(served())
    kinds = seen.load.requests.kind.copy()
    kinds[0] = KINDS.index("timed_out")
    lost = replace(seen, load=seen.load.with_requests(kind=kinds))
    found = lost.tail()
    assert all(one.parts_ns["database"][0] == 0 for one in found.slowest)
    assert all(
        lost.truth_of(one.intended_ns) <= one.parts_ns["database"][1] for one in found.slowest
    )


def test_the_generators_own_lateness_is_nobody_elses() -> None:
    one = served(slow_share=0)
    intended = one.sent_ns.copy()
    intended[::50] -= 15 * MILLISECOND
    seen = observed(one)
    late = replace(seen, load=seen.load.with_requests(intended_ns=intended))
    records = late.load.records
    records.rows["free_ns"] = records.rows["intended_ns"]
    found = late.tail(share=0.98)
    assert found.dominant == "send lag"


def test_in_words_and_as_json() -> None:
    account = tail_account(observed(served()).tail())
    first, *others = tail_words(account)
    assert first.startswith(f"causes of the slowest {account.count} requests: ")
    assert "% because of database" in first
    assert first.endswith(
        "(CPU time and waits for a processor were read only every 250 ms, "
        "so they are uncertain for a single request)"
    )
    assert len(others) == 5
    slow = account.slowest[0]
    assert f"at {slow.intended_ns / 1e9:.3f} s took {slow.latency_ns / 1e6:,.2f} ms, " in others[0]
    assert "because of database: " in others[0]
    assert len(account.slowest) == min(100, account.count)
    assert sum(one.share for one in account.slowed) == pytest.approx(1)
    assert type(account).model_validate_json(account.model_dump_json()) == account


@pytest.mark.parametrize("error_ms", [-4, 0, 4])
def test_pauses_of_another_place_have_limits_that_hold(error_ms: int) -> None:
    stalls = np.zeros(REQUESTS, dtype=np.int64)
    stalls[::60] = 30 * MILLISECOND
    seen = observed(served(slow_share=0), stalls)
    truth = {one.intended_ns: one.parts_ns["pause"][0] for one in seen.tail(share=0.985).slowest}
    found = from_elsewhere(seen, 4 * MILLISECOND, error_ms * MILLISECOND)
    assert found.clock_uncertainty_ns == 4 * MILLISECOND
    for one in found.slowest:
        least, most = one.parts_ns["pause"]
        assert least <= truth[one.intended_ns] <= most
        assert least < most
    assert ("offset between these clocks is known only to ±4 ms)") in tail_words(
        tail_account(found)
    )[0]


def test_an_attribution_that_the_uncertainty_could_change_names_both_causes() -> None:
    """A pause of 30 ms beside a clock known to 40 ms: it may be the cause, and so may others."""
    stalls = np.zeros(REQUESTS, dtype=np.int64)
    stalls[::60] = 30 * MILLISECOND
    seen = observed(served(slow_share=0), stalls)
    assert seen.tail(share=0.985).slowed["pause"] > 0.9
    found = from_elsewhere(seen, 40 * MILLISECOND, 0)
    assert found.slowed["pause"] == 0
    assert found.dominant is None
    together = [causes for causes in found.undecided if "pause" in causes and len(causes) > 1]
    assert sum(found.undecided[one] for one in together) > 0.9


def from_elsewhere(seen: Observed, uncertainty_ns: int, error_ns: int) -> Tail:
    """The tail of a service elsewhere, whose clock is ahead by an error that is not known."""
    load = seen.load
    place = Location(name="there", clock=Clock(uncertainty_ns=uncertainty_ns))
    evidence = examine(load.result, load.intervals, load.usage, 0.0, seen.queries, load.records)
    events = [one.to_lab(Clock(offset_ns=-error_ns)) for one in load.events or ()]
    pauses = examine_pauses(events, evidence, load.records, place)
    traces = Traces(load.records, seen.queries, load.usage)
    found = slowest(evidence, pauses, traces, 0.985)
    assert found is not None
    return found
