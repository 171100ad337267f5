"""Verdicts on services that could not serve the offered rate."""

from dataclasses import replace

from decision.constructed import CRITERIA, service
from decision.verdict import BASE, CPU_BOUND, FASTER, MISSING, told
from runfair.decision.sentence import sentence, standing
from runfair.decision.service_cost import ServiceCost

BEYOND = (
    "the service is beyond its capacity, because the achieved rate was only 83.3% of the "
    "offered rate"
)


def beyond(one: ServiceCost) -> ServiceCost:
    """Its latencies grew as long as the load lasted: void, and certainly no service."""
    return replace(one, state="void", unserved=BEYOND)


def test_a_baseline_beyond_its_capacity_misses_the_objective() -> None:
    decision, reason = told(beyond(BASE), FASTER)
    assert (reason, decision.outcome) == ("it meets what the baseline misses", "justified")
    assert (decision.baseline.meets, decision.gain.percentile) == ("no", None)
    assert decision.gain.pairs == 10
    assert sentence(decision, CRITERIA) == (
        f"Justified: other meets p99 < 25 ms and base does not: {BEYOND}."
    )
    assert standing(decision.baseline) == f"misses it: {BEYOND}"


def test_two_services_beyond_their_capacity_are_no_reason_for_a_rewrite() -> None:
    for base, words in ((MISSING, "misses p99 < 25 ms too"), (BASE, "misses p99 < 25 ms")):
        decision, reason = told(base, beyond(FASTER))
        assert (reason, decision.outcome) == ("the candidate misses it", "not justified")
        assert f"other {words}: {BEYOND}." in sentence(decision, CRITERIA)
    decision, reason = told(beyond(CPU_BOUND), beyond(FASTER))
    assert reason == "the candidate misses it"
    # Where its time goes is not known: nothing can be advised.
    assert sentence(decision, CRITERIA).endswith(f"{BEYOND}.")
    assert decision.remedies == ()


def test_what_else_is_amiss_beside_a_service_beyond_its_capacity_still_counts() -> None:
    for other, reason in (
        (replace(FASTER, state="void"), "void figures"),
        (replace(FASTER, executions=FASTER.executions[:4]), "too few executions"),
        (service("other", p99_ms=25, own_cpu_ms=1, database_ms=0.5), "objective unclear"),
    ):
        assert told(beyond(BASE), other)[1] == reason
    assert told(replace(BASE, state="void"), beyond(FASTER))[1] == "void figures"
