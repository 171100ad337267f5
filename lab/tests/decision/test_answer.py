"""The answer from a run's evidence: the same words as the tables, and what a load takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from decision.test_contenders import alone, without
from evidence.honest_services import (
    FASTIFY,
    SERVICES,
    VERTX,
    Service,
    ServiceRun,
    honest_services,
    service_cell,
    services_of,
)
from evidence.records import Records
from report.conclusion.concluded import default_experiment
from report.test_service_tables import row_of, tables_of
from result.test_service import over_a_network
from runfair.decision.answer import Requirements, answer, next_measurement
from runfair.decision.contenders import contenders
from runfair.decision.sizing import Demand, Price
from runfair.evidence.run import RunEvidence
from runfair.fairness.verdict import judge
from runfair.formats.decision import Answer, ServiceLine
from runfair.formats.finding import LoadFinding
from runfair.formats.plan import GreaterProfile
from runfair.formats.service import CapacityFound
from simulated.requests import MILLISECOND, frozen
from simulated.service_load import Load, Relayed

NAMES = {FASTIFY: "fastify (node-20.20.2)", VERTX: "vertx (temurin-25+g1-gc)"}


def answered(run: Records, requirements: Requirements | None = None) -> Answer:
    evidence = run.evidence()
    (found,) = answer(evidence, judge(evidence), lambda _: None, requirements or Requirements())
    return found


def line_of(found: Answer, service: Service) -> ServiceLine:
    return next(one for one in found.services if one.service == NAMES[service])


def beyond(load: Load) -> Load:
    """One server, 0.6 ms a request, one each 0.5 ms."""
    done = (np.arange(len(load.requests.kind)) + 1) * 600_000
    return load.with_requests(done_ns=np.maximum(done, load.requests.intended_ns + 600_000))


def test_a_baseline_beyond_its_capacity_misses_it_here_as_in_the_tables() -> None:
    run = honest_services().with_loads(FASTIFY, beyond)
    found = answered(run)
    line = line_of(found, FASTIFY)
    assert (line.meets, line.verdict, line.percentile_ns) == ("no", "void", None)
    assert line.text == (
        "misses it: the service is beyond its capacity, because the achieved rate was only "
        "83.3% of the offered rate"
    )
    assert row_of(tables_of(run)["latency"], NAMES[FASTIFY])["objective"] == "misses it"
    (candidate,) = found.candidates
    assert candidate.outcome == "justified"
    assert candidate.reason == "it meets what the baseline misses"
    assert (candidate.gain, found.account) == (None, [])


def test_the_title_names_the_threads_and_the_factors() -> None:
    run = honest_services()
    title = answered(run).title
    cells = [one.model_copy(update={"threads": 2}) for one in run.plan.cells]
    assert answered(run.with_plan(cells=cells)).title == f"{title}, 2 threads, 1 processor"


def test_the_title_names_what_other_operating_points_have_otherwise() -> None:
    run = honest_services()
    cell = run.plan.cells[0]
    assert cell.service is not None
    point = cell.service.point.model_copy(update={"connections": 5})
    service = cell.service.model_copy(update={"point": point})
    evidence = services_of(run.with_cell(cell.id, service=service)).evidence()
    found = answer(evidence, judge(evidence), lambda _: None, Requirements())
    titles = [one.title.rpartition(", ")[2] for one in found]
    assert titles == ["5 connections", "200 connections"]


def test_the_largest_possible_gain_over_a_single_service_is_told() -> None:
    both = answered(honest_services())
    found = answered(alone(honest_services()))
    assert found.account == both.account[:2]
    assert "if the service's own CPU time were zero" in found.account[1]
    assert (found.candidates, found.services) == ([], both.services[:1])


def test_the_doubts_about_a_single_service_are_told() -> None:
    found = answered(alone(withholding(WITHHELD)))
    assert found.doubts == found.all_doubts != []
    assert all(doubt.startswith(NAMES[FASTIFY]) for doubt in found.doubts)
    (candidate,) = answered(withholding(WITHHELD)).candidates
    assert set(found.doubts) <= set(candidate.doubts)


@pytest.mark.parametrize(("full_per_s", "doubted"), [(5_000, True), (9_000, False)])
def test_a_capacity_that_the_network_may_have_limited_is_doubted(
    full_per_s: float, doubted: bool
) -> None:
    found = CapacityFound(
        highest_met_per_s=4_000, lowest_missed_per_s=5_000, confidence=0.95, observations=7
    )
    run = honest_services().with_served(FASTIFY, capacity=found)
    doubts = answered(over_a_network(run, "capacity", (full_per_s, 0.9))).doubts
    assert any("so the true capacity may be higher" in doubt for doubt in doubts) == doubted


def test_a_candidate_beyond_its_capacity_is_not_justified() -> None:
    (candidate,) = answered(honest_services().with_loads(VERTX, beyond)).candidates
    assert (candidate.outcome, candidate.reason) == ("not justified", "the candidate misses it")


OWN_FAULT = LoadFinding(
    check="rate", severity="fault", figures=[], message="its own fault", advice=""
)


def foreign(run: Records) -> Records:
    return run.with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.2)


def late(run: ServiceRun) -> ServiceRun:
    return run.with_loads(FASTIFY, lambda one: replace(one, findings=(OWN_FAULT,)))


@pytest.mark.parametrize("disturbed", [late, foreign], ids=["generator", "others"])
def test_who_was_disturbed_did_not_miss_anything(disturbed: Callable[[Any], Records]) -> None:
    run = honest_services().with_loads(FASTIFY, beyond)
    assert answered(run).candidates[0].outcome == "justified"
    spoilt = disturbed(run)
    found = answered(spoilt)
    line = line_of(found, FASTIFY)
    assert (line.meets, line.text) == ("unclear", "void, unclear")
    assert found.candidates[0].reason == "void figures"
    assert row_of(tables_of(spoilt)["latency"], NAMES[FASTIFY])["objective"] == "unclear"


WITHHELD = LoadFinding(
    check="send_lag", severity="warning", figures=["latency_ns.p99"], message="late", advice=""
)
HIDDEN = LoadFinding(
    check="failures", severity="warning", figures=["latency_ns.p99"], message="lost", advice=""
)


def withholding(*findings: LoadFinding) -> ServiceRun:
    """The generator withheld the objective's percentile, for these reasons."""
    return honest_services().with_loads(
        FASTIFY,
        lambda one: replace(one, findings=findings, withheld=(("p99", "its own lateness"),)),
    )


def test_bounds_are_numbers_too() -> None:
    line = line_of(answered(withholding(WITHHELD)), FASTIFY)
    assert line.bounds_ns is not None
    _, high = line.bounds_ns
    assert high is not None and f"{high / 1e6:.2f} ms meets it" in line.text
    assert line_of(answered(honest_services()), FASTIFY).bounds_ns is None


def slower_than_the_limit(load: Load) -> Load:
    return load.with_requests(done_ns=load.requests.done_ns + 30 * MILLISECOND)


@pytest.mark.parametrize(
    "run",
    [withholding(WITHHELD), foreign(honest_services()), foreign(withholding(WITHHELD))],
    ids=["the generator", "others", "both"],
)
def test_what_was_made_longer_meets_what_it_meets_all_the_same(run: Records) -> None:
    line = line_of(answered(run), FASTIFY)
    assert (line.meets, line.verdict) == ("yes", "flagged")
    assert (line.text.endswith("ms meets it · flagged") and "≤" in line.text) or " to " in line.text
    row = row_of(tables_of(run)["latency"], NAMES[FASTIFY])
    assert row["objective"] == "meets it" and row["p99"].endswith("*")
    assert answered(run).candidates[0].reason not in ("void figures", "objective unclear")


@pytest.mark.parametrize(
    "run",
    [
        withholding(),
        withholding(HIDDEN),
        withholding(WITHHELD, HIDDEN),
        withholding(WITHHELD, OWN_FAULT),
    ],
    ids=["unknown why", "failures", "failures too", "void load"],
)
def test_any_other_void_percentile_meets_nothing(run: Records) -> None:
    assert line_of(answered(run), FASTIFY).meets == "unclear"
    assert row_of(tables_of(run)["latency"], NAMES[FASTIFY])["objective"] == "unclear"


def test_what_was_made_longer_and_lies_beyond_the_limit_may_meet_it_or_not() -> None:
    """Others took its processors: how long it would have taken without them, nobody knows."""
    run = foreign(honest_services().with_loads(FASTIFY, slower_than_the_limit))
    assert line_of(answered(run), FASTIFY).meets == "unclear"


def test_the_words_of_the_tables() -> None:
    run = honest_services()
    table = tables_of(run)["latency"]
    for service in SERVICES:
        line = line_of(answered(run), service)
        assert row_of(table, NAMES[service])["objective"] in line.text
    assert [one.meets for one in answered(run).services] == ["yes", "yes"]


def test_where_the_time_of_each_goes_is_told() -> None:
    found = answered(honest_services())
    accounts = [line for line in found.account if line.startswith("in ")]
    assert [line.split(",")[0] for line in accounts] == [f"in {NAMES[one]}" for one in SERVICES]
    for service, line in zip(SERVICES, accounts, strict=True):
        parts = line_of(found, service).parts_ns
        assert parts is not None
        assert parts["own CPU"] == pytest.approx(service.cpu_ns, rel=0.01)
        assert f"own CPU {parts['own CPU'] / 1e6:.2f} ·" in line
    void = answered(withholding())
    assert line_of(void, FASTIFY).parts_ns is None


def test_what_stands_in_for_a_baseline_is_said() -> None:
    assert "the baseline is" in answered(without(FASTIFY)).note
    assert answered(honest_services()).note == ""


def sought(run: ServiceRun) -> ServiceRun:
    found = CapacityFound(
        highest_met_per_s=2_000, lowest_missed_per_s=2_100, confidence=0.95, observations=7
    )
    return run.with_served(FASTIFY, capacity=found)


def test_a_load_alone_is_answered_with_instances() -> None:
    requirements = Requirements(demand=Demand(10_000))
    line = line_of(answered(sought(honest_services()), requirements), FASTIFY)
    # 10,000 / (2,000 × 0.7) = 7.1 and 10,000 / (2,100 × 0.7) = 6.8, of 90 MiB each.
    assert (line.instances, line.cost_per_month) == ((7, 8), None)
    assert line.memory_bytes == (7 * 90 * 2**20, 8 * 90 * 2**20)
    assert line.text.endswith(" · needs 7 to 8 instances and 0.62 to 0.7 GiB")
    other = line_of(answered(sought(honest_services()), requirements), VERTX)
    assert other.text.endswith(
        "the run did not measure the capacity; set `capacity = true` in the experiment"
    )
    assert "instance" not in line_of(answered(sought(honest_services())), FASTIFY).text


def test_a_capacity_with_one_limit_says_what_is_known() -> None:
    requirements = Requirements(demand=Demand(10_000))
    for met, missed, told in (
        (6_400, None, " · needs 1 to 3 instances and 0.088 to 0.26 GiB"),
        (
            None,
            25,
            " the search for the capacity found no rate that certainly meets the objective; ",
        ),
    ):
        found = CapacityFound(
            highest_met_per_s=met, lowest_missed_per_s=missed, confidence=0.95, observations=7
        )
        run = honest_services().with_served(FASTIFY, capacity=found)
        assert told in line_of(answered(run, requirements), FASTIFY).text


def test_a_price_says_what_they_cost() -> None:
    for price, cost in ((Price(100), (700, 800)), (Price(0, gib_per_month=1024), (630, 720))):
        requirements = Requirements(demand=Demand(10_000, price))
        line = line_of(answered(sought(honest_services()), requirements), FASTIFY)
        assert line.cost_per_month == cost
        assert line.text.endswith(f"GiB, and costs {cost[0]} to {cost[1]} a month")


WORK_NS = 40 * MILLISECOND


def waiting(took_ns: int, queries: int = 1) -> Callable[[Load], Load]:
    """40 ms each, of which each query takes so much and the round trip."""

    def change(load: Load) -> Load:
        count = len(load.requests.kind)
        requests = frozen(load.requests.intended_ns, np.full(count, WORK_NS))
        relayed = Relayed(np.zeros(count, dtype=np.int64), took_ns, queries)
        return replace(load, requests=requests, relayed=relayed, pauses_ns=None)

    return change


@pytest.mark.parametrize(
    ("took_ns", "reason"),
    [
        (30 * MILLISECOND, "no runtime could meet it"),
        (20 * MILLISECOND, "the candidate misses it"),
    ],
)
def test_a_database_that_misses_the_objective_by_itself_leaves_nothing_to_gain(
    took_ns: int, reason: str
) -> None:
    """p99 < 25 ms is asked for, and both services take 40."""
    run = honest_services().with_database(*SERVICES)
    for service in SERVICES:
        run = run.with_loads(service, waiting(took_ns))
    evidence = run.evidence()
    (found,) = answer(evidence, judge(evidence), run.traces, Requirements())
    (candidate,) = found.candidates
    assert (candidate.outcome, candidate.reason) == ("not justified", reason)


def test_the_largest_gain_does_not_assume_that_queries_follow_one_another() -> None:
    """Four queries of 5 ms may have been under way at the same time."""
    run = honest_services().with_database(*SERVICES)
    for service in SERVICES:
        run = run.with_loads(service, waiting(4 * MILLISECOND, 4))
    evidence = run.evidence()
    judged = judge(evidence)
    known, unknown = (
        answer(evidence, judged, traces_of, Requirements())[0].account[1]
        for traces_of in (run.traces, lambda _: None)
    )
    assert "if the request then waited only for the database, it would be 2 times faster" in unknown
    assert "if the request then waited only for the database, it would be 8 times faster" in known


def capacities(met: float, theirs: float) -> ServiceRun:
    run = honest_services()
    for service, rate in ((FASTIFY, met), (VERTX, theirs)):
        found = CapacityFound(
            highest_met_per_s=rate, lowest_missed_per_s=rate, confidence=0.95, observations=7
        )
        run = run.with_served(service, capacity=found)
    return run


@pytest.mark.parametrize(
    ("theirs", "saving", "months", "text"),
    [
        # 10,000 / (1,000 × 0.7) = 14.3, and 2.9 or 28.6: 15 instances, and 3 or 29.
        (5_000, 1_200, 5.0, "saves 1,200 a month, and pays for the effort in 5 months"),
        (500, -1_400, None, "costs 1,400 more a month, and never pays for the effort"),
    ],
)
def test_a_break_even_is_told_whatever_the_outcome_rests_on(
    theirs: float, saving: float, months: float | None, text: str
) -> None:
    """Of a baseline beyond its capacity no saving needs to be weighed."""
    requirements = Requirements(demand=Demand(10_000, Price(100), effort=6_000))
    run = capacities(1_000, theirs)
    for changed, rests_on_it in ((run, True), (run.with_loads(FASTIFY, beyond), False)):
        (candidate,) = answered(changed, requirements).candidates
        assert (candidate.reason in ("it pays", "it does not pay")) == rests_on_it
        found = candidate.payback
        assert found is not None
        assert found.saving_per_month == (saving, saving)
        assert (found.soonest_months, found.latest_months) == (months, months)
        assert found.text == text
    assert answered(run, Requirements(demand=Demand(10_000))).candidates[0].payback is None


def test_a_service_beyond_its_capacity_still_says_what_the_load_takes() -> None:
    run = sought(honest_services()).with_loads(FASTIFY, beyond)
    line = line_of(answered(run, Requirements(demand=Demand(1_000))), FASTIFY)
    assert (line.percentile_ns, line.instances) == (None, (1, 1))
    assert line.text.endswith(" offered rate · needs 1 instance and 0.088 GiB")


def longer(run: Records) -> RunEvidence:
    greater = GreaterProfile(name="full", effort=run.plan.effort)
    return run.with_plan(greater=greater).evidence()


def test_the_next_measurement_leaves_other_benchmarks_out() -> None:
    services, mixed = map(longer, (honest_services(), default_experiment()))
    asked, among = (next_measurement(one, *contenders(one)) for one in (services, mixed))
    command, _, minutes = asked.partition(" (")
    assert "--only" not in command
    assert among.endswith(f" --profile full --only pay ({minutes}")


def test_the_next_measurement_says_if_it_cannot_leave_other_benchmarks_out() -> None:
    mixed = default_experiment()
    of_the_user = [
        one.model_copy(
            update={"service": one.service and one.service.model_copy(update={"kind": "command"})}
        )
        for one in mixed.plan.cells
    ]
    evidence = longer(mixed.with_plan(cells=of_the_user))
    asked = next_measurement(evidence, *contenders(evidence))
    assert "--only" not in asked
    assert asked.endswith(" min, and further time for the other benchmarks of the experiment)")


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("", "./runfair run services --profile "),
        ("order", "./runfair run order --profile "),
        ("/home/me/my services/order.toml", "./runfair run '/home/me/my services/order.toml' "),
    ],
)
def test_the_next_measurement_is_of_the_same_experiment(source: str, command: str) -> None:
    evidence = longer(honest_services().with_plan(source=source))
    (found,) = contenders(evidence)
    assert next_measurement(evidence, found).startswith(command)
