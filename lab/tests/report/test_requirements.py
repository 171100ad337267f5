"""What an experiment requires is met only if the whole interval says so, and the gate says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from decision.test_answer import foreign
from evidence.honest_services import FASTIFY, ServiceRun, honest_services, service_cell
from evidence.records import Records
from report.conclusion.concluded import question
from report.test_service_tables import failing, row_of, tables_of
from result.test_run import result_of
from result.test_service import beyond, service_of, truth
from runfair.catalogue.amount import parse_requirement
from runfair.errors import GateNotMet, InvalidResult
from runfair.formats.execution import Outcome
from runfair.report.requirements import require_met
from simulated.service_load import Load

NAME = f"{FASTIFY.name} ({FASTIFY.variant})"
LOST = Outcome(state="failed", reason="killed")


def requiring(*texts: str) -> ServiceRun:
    return honest_services().with_point(require=[parse_requirement(one) for one in texts])


def closed(run: Records) -> str:
    """What the gate says of a run that does not show what is required."""
    with pytest.raises(GateNotMet) as caught:
        require_met(result_of(run))
    assert caught.value.exit_status == 4
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_met_passes_and_is_shown_with_its_interval() -> None:
    run = requiring("p99 < 25 ms", "failed < 0.1%")
    require_met(result_of(run))
    p99, failed = service_of(run, FASTIFY).requirements
    assert (p99.meets, failed.meets) == ("yes", "yes")
    assert p99.interval is not None
    low, high = p99.interval
    assert low is not None
    assert high is not None
    assert low <= truth(FASTIFY, 0.99) <= high
    # None of 288,000 failed: with the greatest share, this has a probability of 2.5%.
    assert failed.interval == pytest.approx((0, 1 - 0.025 ** (1 / 288_000)), abs=1e-10)
    row = row_of(tables_of(run)["requirements"], NAME)
    assert (row["requirement"], row["met"]) == ("p99 < 25.0 ms", "yes")
    assert question(run).state == "answered"


def test_what_is_missed_or_inside_the_interval_closes_the_gate() -> None:
    said = closed(requiring("p99 < 1 ms"))
    assert said.startswith(f"2 of 2 requirements are not shown to be met: {NAME} misses p99 < 1.00")
    within = requiring(f"p99 < {truth(FASTIFY, 0.99) / 1e6:.4f} ms")
    assert f"{NAME} may miss p99 < " in closed(within)
    assert question(requiring("p99 < 1 ms")).state == "missed"


def test_failed_requests_are_held_to_their_interval() -> None:
    failed = requiring("failed < 5%").with_loads(FASTIFY, failing)
    assert closed(failed) == (
        f"1 of 2 requirements is not shown to be met: {NAME} misses failed < 5.00% "
        "(9.89% to 10.1%)."
    )
    allowed = requiring("failed < 11%").with_loads(FASTIFY, failing)
    require_met(result_of(allowed))


def sampled(load: Load) -> Load:
    """One in two hundred bodies was compared, and all of these were wrong."""
    return load.failing(0.005, "wrong_body").telling(check_share=0.005)


def older(load: Load) -> Load:
    """The same result before the bodies that could have been compared were counted."""
    told = load.result.requests
    requests = told.model_copy(update={"checkable": 0, "wrong_of_checked": 0})
    return replace(load, told=(*load.told, ("requests", requests.model_dump())))


@pytest.mark.parametrize("of", [sampled, lambda load: older(sampled(load))], ids=["new", "older"])
def test_a_sample_of_the_bodies_speaks_for_all_of_them(of: Callable[[Load], Load]) -> None:
    failed = requiring("failed < 1%").with_loads(FASTIFY, of)
    assert "misses failed < 1.00%" in closed(failed)


def test_an_older_result_does_not_say_how_a_wrong_body_was_found() -> None:
    """For gRPC, the wrong bodies may be the compared ones, or wrong whatever they should be."""

    def wrong(load: Load) -> Load:
        found = older(sampled(load))
        return replace(found, told=(*found.told, ("protocol", "grpc")))

    failed = requiring("failed < 1%").with_loads(FASTIFY, wrong)
    assert "may miss failed < 1.00%" in closed(failed)


def test_an_older_sample_without_a_wrong_body_is_a_sample() -> None:
    """Of 288,000 bodies, 288 were compared."""

    def right(load: Load) -> Load:
        return older(load.telling(check_share=0.001, protocol="grpc"))

    require_met(result_of(requiring("failed < 2%").with_loads(FASTIFY, right)))
    failed = requiring("failed < 1%").with_loads(FASTIFY, right)
    assert "may miss failed < 1.00%" in closed(failed)


def test_requests_without_a_rule_for_their_body_are_not_wrong() -> None:
    """A tenth of the requests has a rule. Half of their bodies were compared, and one in a hundred
    of these was wrong: a thousandth of all."""

    def mixed(load: Load) -> Load:
        seen = load.failing(0.0005, "wrong_body")
        count = seen.result.requests.scheduled
        update = {"checkable": count // 10, "checked": count // 20}
        told = seen.result.requests.model_copy(update=update)
        return seen.telling(check_share=0.5, requests=told.model_dump())

    require_met(result_of(requiring("failed < 0.5%").with_loads(FASTIFY, mixed)))


def test_what_is_wrong_without_a_comparison_stands_for_itself_alone() -> None:
    """One in two hundred requests asks for a key that has lost its value. Half of the other bodies
    were compared, and are right."""

    def missing(load: Load) -> Load:
        lost = load.failing(0.005, "wrong_body")
        good = lost.result.requests.good
        update = {"checkable": good, "checked": good // 2, "wrong_of_checked": 0}
        told = lost.result.requests.model_copy(update=update)
        return lost.telling(check_share=0.5, protocol="resp", requests=told.model_dump())

    require_met(result_of(requiring("failed < 0.6%").with_loads(FASTIFY, missing)))
    failed = requiring("failed < 0.4%").with_loads(FASTIFY, missing)
    assert "misses failed < 0.400%" in closed(failed)


def test_failures_that_came_together_are_few_events() -> None:
    """Half of a percent failed, in a few outages."""

    def outages(load: Load) -> Load:
        failing = load.failing(0.005)
        tests = failing.result.tests.model_copy(update={"failures_each": 100.0})
        return failing.telling(tests=tests.model_dump())

    require_met(result_of(requiring("failed < 1%").with_loads(FASTIFY, outages)))
    assert "may miss failed < 0.600%" in closed(
        requiring("failed < 0.6%").with_loads(FASTIFY, outages)
    )


def test_a_share_of_bodies_changes_nothing_if_no_request_has_a_rule() -> None:
    def unruled(load: Load) -> Load:
        told = load.result.requests.model_copy(update={"checkable": 0, "checked": 0})
        return load.telling(check_share=0.5, requests=told.model_dump())

    require_met(result_of(requiring("failed < 1%").with_loads(FASTIFY, unruled)))


def test_a_service_beyond_its_capacity_misses_every_latency() -> None:
    run = requiring("p99 < 60 min").with_loads(FASTIFY, beyond)
    assert "the service is beyond its capacity" in closed(run)


def test_a_failed_execution_shows_nothing() -> None:
    run = requiring("p99 < 25 ms").with_records(service_cell(FASTIFY), 2, outcome=LOST)
    assert "; 2 of 6 executions failed)" in closed(run)
    missed = requiring("p99 < 1 ms").with_records(service_cell(FASTIFY), 2, outcome=LOST)
    assert f"{NAME} misses p99" in closed(missed)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (replace(requiring("p99 < 25 ms"), executions=()), "not measured"),
        (
            requiring("failed < 1%").with_cell(service_cell(FASTIFY), unsupported="x"),
            "not measured",
        ),
        (replace(requiring("failed < 1%"), loads={}), "no load"),
        (replace(requiring("p99 < 1 s"), loads={}), "no value"),
        (foreign(requiring("p99 < 1 s").with_loads(FASTIFY, beyond)), "void"),
    ],
)
def test_what_nothing_is_known_of_is_not_judged(run: Records, said: str) -> None:
    with pytest.raises(InvalidResult, match=rf"not judged: .* may miss .* \({said}\)"):
        require_met(result_of(run))
