"""An objective is met or missed only if no doubt could change the answer."""

from __future__ import annotations

import numpy as np
import pytest

from evidence.honest_services import FASTIFY, honest_services, service_cell
from evidence.records import EXECUTIONS, Records
from runfair.fairness.bounds import bounds
from runfair.fairness.objective import deciding_doubt, meets, requirement_outcome
from runfair.fairness.verdict import judge
from runfair.formats.finding import Effect, Finding, Verdict
from runfair.formats.service import Objective
from runfair.formats.service_result import Meets, RequirementOutcome
from simulated.doubts import doubt
from simulated.requests import MILLISECOND
from simulated.service_load import Load

NAME = service_cell(FASTIFY)
MISSED = Objective(percentile="p99", limit_ns=3 * MILLISECOND)
MET = Objective(percentile="p99", limit_ns=25 * MILLISECOND)


def answer(run: Records, asked: Objective, *more: Finding) -> Meets:
    return outcome(run, asked, *more).meets


def outcome(run: Records, asked: Objective, *more: Finding) -> RequirementOutcome:
    """The answer about a run, with further findings about the percentile."""
    evidence = run.evidence()
    cell = next(one for one in evidence.cells if one.cell.id == NAME)
    judged = next(one for one in judge(evidence).cells if one.cell == NAME)
    own = judged.figures[asked.percentile]
    findings = [*own.findings, *more]
    found_bounds = bounds(cell, asked.percentile, findings)
    verdict = Verdict(state=own.state, bounds=found_bounds, findings=findings)
    found = requirement_outcome(asked, cell, {asked.percentile: verdict})
    assert meets(asked, cell, verdict) == found.meets
    return found


def warning(check: str, effect: Effect | None, size: float | None = None) -> Finding:
    own = {"severity": "warning", "cell": NAME, "figures": ["p99"]}
    return doubt(check, effect, size).model_copy(update=own)


def test_other_processes_may_have_made_the_whole_tail() -> None:
    """4% of the processors' time does not say which requests waited for it."""
    honest = honest_services()
    disturbed = honest.with_launch_share(NAME, "foreign_ns", 0.04)
    assert (answer(honest, MISSED), answer(honest, MET)) == ("no", "yes")
    assert (answer(disturbed, MISSED), answer(disturbed, MET)) == ("unclear", "yes")
    interval = outcome(disturbed, MISSED).interval
    assert interval is not None and interval[0] is None and interval[1] is not None


@pytest.mark.parametrize(
    ("found", "missed", "met"),
    [
        (warning("network", "longer"), "unclear", "yes"),
        (warning("disturbed_blocks", "longer"), "unclear", "yes"),
        (warning("some", "shorter"), "no", "unclear"),
        (warning("some", "either"), "unclear", "unclear"),
        (warning("some", "either", 0.01), "no", "yes"),
        (warning("some", None), "no", "yes"),
        (warning("errors", "either"), "no", "yes"),  # the requests give both limits
        (warning("network", "longer").model_copy(update={"severity": "limitation"}), "no", "yes"),
    ],
    ids=lambda one: f"{one.check} {one.effect}" if isinstance(one, Finding) else one,
)
def test_a_doubt_of_unknown_size_opens_its_side(found: Finding, missed: Meets, met: Meets) -> None:
    honest = honest_services()
    assert (answer(honest, MISSED, found), answer(honest, MET, found)) == (missed, met)


LONGER = warning("network", "longer").model_copy(update={"text": "it was longer"})
SHORTER = warning("network", "shorter").model_copy(update={"text": "it was shorter"})


@pytest.mark.parametrize(
    ("asked", "findings", "text"),
    [
        # The requests give both limits of failures.
        (MISSED, [warning("errors", "either"), LONGER], "it was longer"),
        (MISSED, [SHORTER, LONGER], "it was longer"),
        (MET, [LONGER, SHORTER], "it was shorter"),
        (MISSED, [SHORTER], ""),
        (MISSED, [], ""),
    ],
)
def test_the_doubt_that_decides_may_have_moved_the_percentile_over_the_limit(
    asked: Objective, findings: list[Finding], text: str
) -> None:
    evidence = honest_services().evidence()
    cell = next(one for one in evidence.cells if one.cell.id == NAME)
    assert deciding_doubt(asked, cell, Verdict(state="flagged", findings=findings)) == text


def slower(load: Load) -> Load:
    requests = load.requests
    latency_ns = (1.5 * requests.latency_ns).astype(np.int64)
    return load.with_requests(done_ns=requests.intended_ns + latency_ns)


@pytest.mark.parametrize("executions", [1, 2])
def test_a_doubt_tells_no_more_than_the_executions_do(executions: int) -> None:
    """A p99 of about 4 ms in one execution, and of about 6 ms in the other."""
    apart = honest_services().with_loads(FASTIFY, slower, 1)
    few = apart.without(NAME, EXECUTIONS - executions)
    effort = few.plan.effort.model_copy(update={"service_executions": executions})
    few = few.with_plan(effort=effort)
    near = Objective(percentile="p99", limit_ns=20 * MILLISECOND)
    doubt = warning("relay_delay", "longer", 0.01)
    assert answer(few, near) == "unclear"
    assert answer(few, near, doubt) == "unclear"


def test_bounds_of_two_executions_include_their_sampling_error() -> None:
    few = honest_services().with_loads(FASTIFY, slower, 1).without(NAME, EXECUTIONS - 2)
    interval = outcome(few, MET).interval
    bounded = outcome(few, MET, warning("relay_delay", "longer", 0.01)).interval
    assert interval is not None and bounded is not None
    assert interval[0] is not None and bounded[0] is not None
    assert bounded[0] == pytest.approx(0.99 * interval[0], rel=0.001)
    assert bounded[1] == interval[1]


def test_a_requirement_on_a_percentile_without_limits_says_why() -> None:
    found = outcome(honest_services(), MISSED, SHORTER, LONGER)
    assert (found.meets, found.interval) == ("unclear", None)
    assert found.reason == "the doubts leave no limit"
