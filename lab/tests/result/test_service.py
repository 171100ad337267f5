"""What is said of services, against a run whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evidence.honest_services import (
    FASTIFY,
    RATE_PER_S,
    SERVICES,
    VERTX,
    Service,
    ServiceRun,
    honest_services,
    service_cell,
)
from evidence.records import EXECUTIONS, Records
from evidence.served_loads import served_load
from result.test_run import result_of
from runfair.evidence.load import Probe
from runfair.fairness.figures import LATENCIES
from runfair.formats.execution import Execution, Outcome
from runfair.formats.finding import VerdictState
from runfair.formats.place import Link, Network, Traffic
from runfair.formats.result import CellResult
from runfair.formats.service import SHARES, CapacityFound, Objective, Percentile, Purpose
from runfair.formats.service_result import CurvePoint, Meets, ServiceResult
from simulated.requests import MILLISECOND, SECOND, true_percentile
from simulated.service_load import Load


def cell_of(run: Records, service: Service) -> CellResult:
    return next(one for one in result_of(run).cells if one.id == service_cell(service))


def service_of(run: Records, service: Service) -> ServiceResult:
    found = cell_of(run, service).service
    assert found is not None
    return found


def truth(service: Service, share: float) -> float:
    """The median of the executions' true percentiles, after the warm-up."""
    run = honest_services()
    from_ns = round(service.warm_up_seconds * SECOND)
    return float(
        np.median(
            [
                true_percentile(run.loads[name].requests.after(from_ns).latency_ns, share)
                for name in run.ids(service)
            ]
        )
    )


def beyond(load: Load) -> Load:
    """One server, 0.6 ms a request, one each 0.5 ms."""
    done = (np.arange(len(load.requests.kind)) + 1) * 600_000
    return load.with_requests(done_ns=np.maximum(done, load.requests.intended_ns + 600_000))


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_the_figures_are_the_truth(service: Service) -> None:
    cell = cell_of(honest_services(), service)
    assert tuple(cell.figures) == (*LATENCIES, "cpu", "memory", "start")
    for name, share in SHARES.items():
        figure = cell.figures[name]
        assert figure.verdict == "fair"
        assert figure.value == pytest.approx(truth(service, share), rel=0.002)
        assert figure.interval is not None
        assert figure.interval[0] <= truth(service, share) * 1.001 <= figure.interval[1] * 1.002
    assert cell.figures["cpu"].value == pytest.approx(service.cpu_ns, rel=0.01)
    assert cell.figures["memory"].value == service.peak_bytes
    assert cell.figures["start"].value == pytest.approx(service.first_answer_ns, rel=1e-6)
    assert (cell.mode, cell.executions, cell.failed) == ("service", EXECUTIONS, 0)


def test_the_first_that_is_named_is_the_baseline() -> None:
    base, other = (cell_of(honest_services(), one) for one in SERVICES)
    assert base.figures["p50"].relative is not None
    assert (base.figures["p50"].relative.value, base.figures["p50"].relative.p) == (1.0, None)
    relative = other.figures["p50"].relative
    assert relative is not None
    assert relative.baseline == FASTIFY.variant
    assert relative.value == pytest.approx(truth(VERTX, 0.5) / truth(FASTIFY, 0.5), rel=0.02)


@pytest.mark.parametrize(
    ("limit_ns", "meets"), [(25 * MILLISECOND, "yes"), (3 * MILLISECOND, "no")]
)
def test_an_objective_is_met_or_missed(limit_ns: int, meets: Meets) -> None:
    run = honest_services().with_point(objective=Objective(percentile="p99", limit_ns=limit_ns))
    assert service_of(run, FASTIFY).meets == meets


@pytest.mark.parametrize("percentile", ["p50", "p99", "p99_9"])
def test_in_the_middle_of_what_was_seen_it_cannot_be_told(percentile: Percentile) -> None:
    limit_ns = round(truth(FASTIFY, SHARES[percentile]))
    run = honest_services().with_point(
        objective=Objective(percentile=percentile, limit_ns=limit_ns)
    )
    assert service_of(run, FASTIFY).meets == "unclear"


def test_without_an_objective_nothing_is_met() -> None:
    assert service_of(honest_services().with_point(objective=None), FASTIFY).meets is None


def test_a_void_percentile_meets_nothing() -> None:
    """A tenth of the answers is an error, and the others are fast: the objective is missed."""
    run = honest_services().with_loads(FASTIFY, lambda one: one.failing(0.1))
    found = service_of(run, FASTIFY)
    assert cell_of(run, FASTIFY).figures["p99"].verdict == "void"
    assert cell_of(run, FASTIFY).figures["p99"].value is None
    assert found.meets == "no"
    assert (found.requests, found.failed) == (288_000, 28_800)
    assert service_of(run, VERTX).meets == "yes"


def test_a_service_beyond_its_capacity_has_no_latency_to_compare() -> None:
    cell = cell_of(honest_services().with_loads(FASTIFY, beyond), FASTIFY)
    assert {cell.figures[name].value for name in SHARES} == {None}
    assert {cell.figures[name].relative for name in SHARES} == {None}
    assert cell.service is not None
    assert cell.service.meets == "no"


def test_what_never_ran_is_asked_all_the_same() -> None:
    run = replace(honest_services(), executions=())
    found = service_of(run, FASTIFY)
    assert (found.rate_per_s, found.requests, found.meets) == (RATE_PER_S, 0, "unclear")
    assert (found.curve, found.capacity, found.warm_up, found.events) == ([], None, [], None)


def test_a_service_that_cannot_run_here_says_so() -> None:
    run = honest_services().with_cell(service_cell(VERTX), unsupported="no Java here")
    cell = cell_of(run, VERTX)
    assert (cell.unsupported, cell.figures) == ("no Java here", {})
    assert cell.service is not None
    assert cell.service.meets == "unclear"


def test_executions_that_failed_are_in_nothing() -> None:
    lost = Outcome(state="failed", reason="killed")
    run = honest_services().with_records(service_cell(FASTIFY), 2, outcome=lost)
    found = service_of(run, FASTIFY)
    assert found.requests == 4 * 48_000
    assert len(found.warm_up) == 4


def test_warm_up_is_told_from_the_processs_start() -> None:
    for service in SERVICES:
        for one in service_of(honest_services(), service).warm_up:
            assert one.first_answer_ns == service.first_answer_ns
            # The load began half a second after the first answer.
            assert one.steady_ns == (
                service.first_answer_ns + SECOND // 2 + round(service.warm_up_seconds * SECOND)
            )
    kinds = {one.classification for one in service_of(honest_services(), VERTX).warm_up}
    assert kinds == {"warmup"}


def test_what_was_never_loaded_has_no_warm_up() -> None:
    run = replace(honest_services(), loads={})
    for one in service_of(run, VERTX).warm_up:
        assert (one.classification, one.steady_ns) == ("never loaded", None)


def test_what_the_runtime_did() -> None:
    events = service_of(honest_services(), VERTX).events
    assert events is not None
    assert events.executions == EXECUTIONS
    # Those of the steady part, each of which stops the program once.
    (vertx,) = [
        one for one in honest_services().evidence().services if one.cell.id == service_cell(VERTX)
    ]
    stops = sum(len(one.pauses.pauses_ns) for one in vertx.completed if one.pauses is not None)
    assert events.collections == stops > EXECUTIONS
    assert events.longest_pause_ns == VERTX.pause_ns
    seconds = 24 - VERTX.warm_up_seconds
    assert events.pauses_per_s is not None
    assert events.paused_share == pytest.approx(
        events.pauses_per_s * VERTX.pause_ns / SECOND, rel=1e-6
    )
    assert events.pauses_per_s == pytest.approx(VERTX.pauses / seconds, rel=0.15)
    assert events.tail_share is not None
    assert events.chance_share is not None
    # 15 ms against a p99 of three: whoever met most of a pause is in the tail.
    assert events.tail_share > 10 * events.chance_share


def test_what_was_allocated() -> None:
    run = honest_services().with_loads(VERTX, lambda one: replace(one, allocated_per_s=5e6))
    events = service_of(run, VERTX).events
    assert events is not None
    assert events.allocated_bytes_per_s == pytest.approx(5e6, rel=1e-3)
    assert events.allocated_bytes_per_request == pytest.approx(5e6 / RATE_PER_S, rel=1e-3)
    assert (events.allocation_rounding, events.allocation_untold) == (0, "")
    seconds = EXECUTIONS * (24 - VERTX.warm_up_seconds)
    assert events.collections_per_s == pytest.approx(events.collections / seconds, rel=0.01)
    # Its collections stop the program, and nothing else does.
    assert events.collecting_share == pytest.approx(events.paused_share, rel=1e-6)


def test_what_was_allocated_is_not_told_by_every_runtime() -> None:
    for change, untold in (
        (lambda one: one, "this runtime does not report it"),
        (
            lambda one: replace(one, pauses_ns=one.pauses_ns[-1:], allocated_per_s=5e6),
            "too few garbage collections",
        ),
    ):
        events = service_of(honest_services().with_loads(VERTX, change), VERTX).events
        assert events is not None
        assert events.allocation_untold == untold
        assert (events.allocated_bytes_per_s, events.allocation_rounding) == (None, None)


def test_runtimes_that_tell_nothing_have_no_events() -> None:
    run = honest_services().with_loads(VERTX, lambda one: replace(one, pauses_ns=None))
    assert service_of(run, VERTX).events is None
    assert service_of(run, FASTIFY).events is not None


def probe(rate_per_s: float, p99_ns: int | None, verdict: VerdictState = "fair") -> Probe:
    told = {"p50": 1_000_000, "p90": 2_000_000, "p99": p99_ns, "p99_9": None, "p99_99": None}
    return Probe(rate_per_s, True, told, verdict)


def curve_of(*probes: Probe) -> list[CurvePoint]:
    return service_of(honest_services().with_probes(FASTIFY, *probes), FASTIFY).curve


def test_a_curve_rises_with_its_rates() -> None:
    slow, fast = 90 * MILLISECOND, 5 * MILLISECOND
    curve = curve_of(probe(4000, slow), probe(1000, fast))
    assert [point.rate_per_s for point in curve] == [1000, 4000]
    assert [point.p99_ns for point in curve] == [fast, slow]
    assert [point.objective_ns for point in curve] == [fast, slow]
    assert [point.executions for point in curve] == [EXECUTIONS, EXECUTIONS]
    assert [point.verdict for point in curve] == ["fair", "fair"]


def test_a_void_point_of_a_curve_has_no_number() -> None:
    (point,) = curve_of(probe(4000, 5 * MILLISECOND, "void"))
    assert (point.p50_ns, point.p99_ns, point.objective_ns) == (None, None, None)
    assert (point.meets, point.verdict) == ("unclear", "void")


def test_a_point_that_one_execution_flagged_is_flagged() -> None:
    (point,) = curve_of(probe(4000, 5 * MILLISECOND, "flagged"))
    assert (point.verdict, point.p99_ns) == ("flagged", 5 * MILLISECOND)


def test_what_a_probe_withheld_nobody_tells() -> None:
    (point,) = curve_of(probe(4000, None))
    assert (point.p50_ns, point.p99_ns, point.meets) == (1_000_000, None, "unclear")


def test_a_point_meets_the_objective_beyond_its_spread_or_it_cannot_be_told() -> None:
    run = honest_services()
    places = (10, 12, 14, 16, 18, 20)
    for offset, meets in ((0, "yes"), (20, "no"), (10, "unclear")):
        probes = {
            name: (probe(4000, (place + offset) * MILLISECOND),)
            for name, place in zip(run.ids(FASTIFY), places, strict=True)
        }
        (point,) = service_of(replace(run, probes=probes), FASTIFY).curve
        assert point.meets == meets
        assert point.p99_ns == (15 + offset) * MILLISECOND


def test_a_late_generator_is_not_the_services_miss() -> None:
    run = honest_services()
    own, *others = run.ids(FASTIFY)
    fine = {name: (probe(4000, (5 + n) * MILLISECOND),) for n, name in enumerate(others)}
    late = replace(probe(4000, 5 * MILLISECOND), served=False, achieved_share=0.95)
    verdicts: dict[VerdictState, Meets] = {"void": "yes", "fair": "no"}
    for verdict, meets in verdicts.items():
        probes = {**fine, own: (replace(late, verdict=verdict),)}
        (point,) = service_of(replace(run, probes=probes), FASTIFY).curve
        assert (point.meets, point.verdict) == (meets, "flagged")


def bending(*rates: float, saturated_from: float = 10_000) -> ServiceRun:
    """Latencies of a queue that serves 8,000 a second, at rates beside the operating point's 2,000;
    its p99 there, of 4 ms, lies above all of them."""
    probes = [
        replace(
            probe(rate, round(24e9 / (8_000 - min(rate, 7_900)))),
            achieved_share=1.0 if rate < saturated_from else 0.9,
        )
        for rate in rates
    ]
    return honest_services().with_probes(FASTIFY, *probes)


def test_a_curve_of_four_rates_or_more_has_its_knee() -> None:
    knee = service_of(bending(500, 3_000, 4_000, 5_000, 7_000), FASTIFY).knee
    assert knee is not None
    # Rate over latency is greatest at half of what a queue can serve.
    assert (knee.rate_per_s, knee.saturated_from_per_s) == (4_000, None)
    assert (knee.rates, knee.reason, knee.verdict) == (6, "", "fair")


def test_rates_that_were_not_kept_up_with_are_no_part_of_a_curve() -> None:
    knee = service_of(bending(3_000, 4_000, 5_000, 7_000, saturated_from=5_000), FASTIFY).knee
    assert knee is not None
    assert (knee.rate_per_s, knee.saturated_from_per_s) == (4_000, 5_000)


def test_three_rates_are_no_curve() -> None:
    knee = service_of(bending(3_000, 4_000), FASTIFY).knee
    assert knee is not None
    assert (knee.rate_per_s, knee.reason) == (
        None,
        "only 3 rates were measured, and at least 4 are needed",
    )
    assert service_of(honest_services(), FASTIFY).knee is None


def test_what_is_void_is_no_part_of_a_curve() -> None:
    void = probe(7_000, 90 * MILLISECOND, "void")
    run = bending(3_000, 4_000, 5_000)
    run = run.with_probes(FASTIFY, *run.probes[run.ids(FASTIFY)[0]], void)
    knee = service_of(run, FASTIFY).knee
    assert knee is not None
    assert (knee.rates, knee.verdict) == (4, "fair")


@pytest.mark.parametrize(("fifth", "least"), [(None, None), (6000.0, 1000.0)])
def test_capacity_is_what_all_executions_agree_on(fifth: float | None, least: float | None) -> None:
    run = honest_services()
    rates = (3000.0, 1000.0, 5000.0, 2000.0, fifth, 4000.0)
    highest = dict(zip(run.ids(FASTIFY), rates, strict=True))

    def change(record: Execution) -> Execution:
        assert record.served is not None
        met = highest[record.id]
        found = CapacityFound(
            highest_met_per_s=met,
            lowest_missed_per_s=met + 100 if met else 500,
            confidence=0.95 if met == 2000.0 else 0.97,
            observations=7,
        )
        return record.model_copy(
            update={"served": record.served.model_copy(update={"capacity": found})}
        )

    capacity = service_of(run.with_executions(service_cell(FASTIFY), change), FASTIFY).capacity
    assert capacity is not None
    assert capacity.highest_met_per_s == least
    assert capacity.lowest_missed_per_s == (fifth or 5000) + 100
    assert capacity.executions == 6
    assert capacity.observations == 6 * 7
    assert capacity.confidence == 0.95
    assert service_of(run, FASTIFY).capacity is None


def over_a_network(run: ServiceRun, purpose: Purpose, *loads: tuple[float, float]) -> ServiceRun:
    """The services over a link, with loads at other rates that used shares of its bandwidth."""
    link = Link(sender="service", receiver="lab", round_trip_ns=1, bits_per_s=1e9)
    hosts = {"service": "h2", "lab": "h1"}

    def traffic(share: float) -> list[Traffic]:
        values = {"sent_bits_per_s": share * 1e9, "received_bits_per_s": 0, "sent_segments": 1}
        values |= {"repeated_segments": 0}
        return [Traffic.model_validate({"place": one, **values}) for one in hosts]

    network = Network(hosts=hosts, links=[link], traffic=traffic(0.1))
    others = [served_load(purpose, rate, traffic(share)) for rate, share in loads]
    return run.with_served(FASTIFY, network=network, loads=others)


def test_a_point_of_a_curve_that_filled_the_link_is_flagged() -> None:
    run = honest_services().with_probes(FASTIFY, probe(1000, 5), probe(4000, 5))
    full = over_a_network(run, "curve", (1000, 0.5), (4000, 0.9))
    assert [one.verdict for one in service_of(full, FASTIFY).curve] == ["fair", "flagged"]


@pytest.mark.parametrize(
    ("full_per_s", "verdict"), [(4000, "flagged"), (5000, "flagged"), (9000, "fair")]
)
def test_a_capacity_that_filled_the_link_is_flagged(
    full_per_s: float, verdict: VerdictState
) -> None:
    found = CapacityFound(
        highest_met_per_s=4000, lowest_missed_per_s=5000, confidence=0.95, observations=7
    )
    run = honest_services().with_served(FASTIFY, capacity=found)
    full = over_a_network(run, "capacity", (1000, 0.5), (full_per_s, 0.9))
    capacity = service_of(full, FASTIFY).capacity
    assert capacity is not None
    assert capacity.verdict == verdict


def test_a_service_that_completes_no_request_has_no_allocation_per_request() -> None:
    def hanging(load: Load) -> Load:
        rate = {"offered_per_s": RATE_PER_S, "achieved_per_s": 0.0, "ratio": 0.0}
        allocating = replace(load, allocated_per_s=1e6)
        return allocating.telling(rate={**rate, "late_by_generator": 0})

    events = service_of(honest_services().with_loads(VERTX, hanging), VERTX).events
    assert events is not None and events.allocated_bytes_per_request is None
