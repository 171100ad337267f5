"""The answer to `./runfair decide`: what is printed, and its JSON form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf

from runfair.decision.costs import cost_of, objective_of, operating_points, service_name
from runfair.decision.question import Question, Saving
from runfair.decision.sentence import account, most, sentence, standing
from runfair.decision.service_cost import ServiceCost, State
from runfair.decision.sizing import Need
from runfair.decision.slowest import slowest
from runfair.decision.tail import Tail
from runfair.decision.verdict import Decision, Outcome, Reason, Standing, decide
from runfair.fairness.evidence import CellEvidence, RunEvidence
from runfair.formats.execution import Execution
from runfair.formats.finding import VerdictFile
from runfair.formats.load_records import Records
from runfair.formats.record import Record
from runfair.formats.service import SHARES
from runfair.statistics.comparison import Ratio
from runfair.statistics.objective import Objective

RecordsOf = Callable[[Execution], Records | None]


class ServiceLine(Record):
    """A service against the objective; `instances` at the stated load, fewest and most. Void
    figures are no numbers."""

    service: str
    baseline: bool
    verdict: State
    meets: str
    percentile_ns: float | None
    interval_ns: tuple[float, float] | None
    instances: tuple[int, int] | None
    text: str


class CandidateAnswer(Record):
    """What can be said of one candidate."""

    service: str
    outcome: Outcome
    reason: Reason
    sentence: str
    gain: float | None
    gain_interval: tuple[float, float] | None
    doubts: list[str]


class Answer(Record):
    """The decision at one operating point."""

    title: str
    services: list[ServiceLine]
    account: list[str]
    candidates: list[CandidateAnswer]


def answer(
    run: RunEvidence,
    judged: VerdictFile,
    records_of: RecordsOf,
    saving: Saving | None,
    least_gain: float,
) -> list[Answer]:
    """One answer for each operating point of the run. UserMistake where there is none to decide."""
    return [
        _answer(run, group, judged, records_of, saving, least_gain)
        for group in operating_points(run)
    ]


def _answer(
    run: RunEvidence,
    group: Sequence[CellEvidence],
    judged: VerdictFile,
    records_of: RecordsOf,
    saving: Saving | None,
    least_gain: float,
) -> Answer:
    asked = objective_of(group)
    assert asked is not None
    objective = Objective(SHARES[asked.percentile], asked.limit_ns)
    calibration = run.host.calibration
    floor = calibration.noise_floor_wall if calibration is not None else 0.0
    question = Question(objective, floor, saving, least_gain)
    costs = [cost_of(one, judged, asked) for one in group]
    known = [cost for cost in costs if cost is not None]
    missing = [
        _missing(one, place == 0)
        for place, (one, cost) in enumerate(zip(group, costs, strict=True))
        if cost is None
    ]
    title = _title(group[0], objective)
    if costs[0] is None or len(known) < 2:
        return Answer(title=title, services=missing, account=[], candidates=[])
    baseline, candidates = known[0], known[1:]
    tail = _tail(group[0], records_of, objective.share)
    decisions = decide(question, baseline, candidates, tail)
    return Answer(
        title=title,
        services=[
            _line(decisions[0].baseline, baseline.state, None),
            *(
                _line(each.candidate, cost.state, each)
                for each, cost in zip(decisions, candidates, strict=True)
            ),
            *missing,
        ],
        account=_account(decisions[0], baseline, tail) if baseline.state != "void" else [],
        candidates=[_candidate(each, question) for each in decisions],
    )


def _title(one: CellEvidence, objective: Objective) -> str:
    service = one.cell.service
    assert service is not None
    title = f"{one.cell.benchmark} {one.cell.workload} at {service.point.rate_per_s:g}/s, "
    title += f"objective {objective}"
    if service.database is not None:
        title += f", round trip to the database {service.database.round_trip_ns / 1e6:g} ms"
    return title


def _missing(one: CellEvidence, baseline: bool) -> ServiceLine:
    """A service of which nothing can be decided, and why."""
    reason = "its processes could not be seen, so what it costs is not known"
    if not one.completed:
        reason = "no execution completed"
        if one.failed:
            reason += f": {one.failed[0].record.outcome.reason}"
    return ServiceLine(
        service=service_name(one),
        baseline=baseline,
        verdict="void",
        meets="unclear",
        percentile_ns=None,
        interval_ns=None,
        instances=None,
        text=f"cannot be decided on: {reason}",
    )


def _tail(one: CellEvidence, records_of: RecordsOf, share: float) -> Tail | None:
    """Of the baseline's middle execution: a tail over several would mix their levels."""
    loaded = [each for each in one.completed if each.load is not None]
    if not loaded:
        return None
    middle = sorted(loaded, key=lambda each: each.load.mean_ns or 0.0 if each.load else 0.0)[
        len(loaded) // 2
    ]
    records = records_of(middle.record)
    if records is None or middle.load is None:
        return None
    return slowest(middle.load, middle.pauses, records, share)


def _line(one: Standing, state: State, decision: Decision | None) -> ServiceLine:
    if state == "void":
        return ServiceLine(
            service=one.name,
            baseline=decision is None,
            verdict=state,
            meets="unclear",
            percentile_ns=None,
            interval_ns=None,
            instances=None,
            text="void",
        )
    head = one.headline
    known = head.low is not None and head.high is not None
    text = standing(one)
    # A ratio to a void figure is none; that reason comes before all others.
    compared = decision is not None and decision.reason != "void figures"
    if compared and decision is not None and decision.gain.percentile is not None:
        text += f", {_times(decision.gain.percentile)}"
    if state == "flagged":
        text += " · flagged"
    if one.need is not None:
        text += f" · {_instances(one.need)}"
    return ServiceLine(
        service=one.name,
        baseline=decision is None,
        verdict=state,
        meets=one.meets,
        percentile_ns=head.value,
        interval_ns=(head.low, head.high) if known and head.low and head.high else None,
        instances=(one.need.fewest, one.need.most) if one.need is not None else None,
        text=text,
    )


def _times(ratio: Ratio) -> str:
    faster = ratio.value >= 1
    value = ratio.value if faster else 1 / ratio.value
    return f"{value:.2f} times {'faster' if faster else 'slower'}"


def _instances(need: Need) -> str:
    counts = str(need.fewest) if need.fewest == need.most else f"{need.fewest} to {need.most}"
    return f"{counts} instance{'' if counts == '1' else 's'}"


def _account(decision: Decision, baseline: ServiceCost, tail: Tail | None) -> list[str]:
    lines = [f"of {baseline.name}, {account(decision.split)}", most(decision.bound)]
    if tail is not None and tail.count and tail.dominant is not None:
        share = tail.slowed[tail.dominant]
        lines.append(f"its slowest {tail.count:,} requests: {share:.0%} slow by {tail.dominant}")
    elif tail is not None and tail.count and not tail.reason:
        parts = ", ".join(f"{cause} {share:.0%}" for cause, share in tail.slowed.items() if share)
        lines.append(f"its slowest {tail.count:,} requests: no one cause ({parts})")
    return lines


def _candidate(one: Decision, question: Question) -> CandidateAnswer:
    ratio = one.gain.percentile
    limits = None
    void = one.reason == "void figures"
    if ratio is not None and ratio.low is not None and ratio.high is not None:
        limits = (ratio.low, ratio.high)
    return CandidateAnswer(
        service=one.candidate.name,
        outcome=one.outcome,
        reason=one.reason,
        sentence=sentence(one, question),
        gain=None if void or ratio is None or isinf(ratio.value) else ratio.value,
        gain_interval=None if void else limits,
        doubts=list(one.doubts),
    )
