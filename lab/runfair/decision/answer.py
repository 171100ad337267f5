"""The answer to `./runfair decide`, as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from statistics import fmean

from runfair.decision.breakdown import bound, breakdown
from runfair.decision.contenders import Contenders, contender_name, contenders
from runfair.decision.rules import (
    LEAST_GAIN,
    Criteria,
    Decision,
    Standing,
    decide,
    doubts_about,
    standing_of,
)
from runfair.decision.sentence import account, most, saving, sentence, short, standing
from runfair.decision.service_cost import ServiceCost, cost_of
from runfair.decision.sizing import GIB, BreakEven, Demand, Need
from runfair.decision.slowest import slowest
from runfair.decision.tail import Tail, tail_account
from runfair.evidence.cell import CellEvidence
from runfair.evidence.hosts import noise_floor
from runfair.evidence.reading import TracesOf
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import interval
from runfair.fairness.objective import limit_of
from runfair.formats.decision import Answer, CandidateAnswer, Payback, ServiceLine
from runfair.formats.finding import VerdictFile
from runfair.formats.plan import Plan, ProfileName
from runfair.formats.service import spoken
from runfair.statistics.comparison import Ratio
from runfair.statistics.log_interval import telling
from runfair.statistics.objective import Objective
from runfair.wording.naming import surroundings


@dataclass(frozen=True)
class Requirements:
    """The user's requirements: a baseline other than the first service, the smallest gain that is
    worth a rewrite, and the load to serve."""

    baseline: str | None = None
    least_gain: float = LEAST_GAIN
    demand: Demand | None = None


def answer(
    run: RunEvidence, judged: VerdictFile, traces_of: TracesOf, requirements: Requirements
) -> list[Answer]:
    """The answer for each operating point of the run. Raises UserMistake if no decision is possible
    at any operating point."""
    return [
        _answer(run, one, judged, traces_of, requirements)
        for one in contenders(run, requirements.baseline)
    ]


def _answer(
    run: RunEvidence,
    found: Contenders,
    judged: VerdictFile,
    traces_of: TracesOf,
    requirements: Requirements,
) -> Answer:
    objective = limit_of(found.objective)
    floor = noise_floor(run.hosts, "wall")
    criteria = Criteria(
        objective,
        floor,
        requirements.demand,
        requirements.least_gain,
        measure=next_measurement(run, found),
        again=_command(run.plan, run.plan.profile, found),
        rate_per_s=found.service.point.rate_per_s,
    )
    title = _title(run.plan, found, objective)
    base, others = found.baseline, found.candidates
    cells = [one.cell.id for one in (base, *others)]
    baseline = cost_of(base, judged, found.objective, traces_of)
    costs = [cost_of(one, judged, found.objective) for one in others]
    candidates = [cost for cost in costs if cost is not None]
    missing = [_missing(one) for one, cost in zip(others, costs, strict=True) if cost is None]
    if baseline is None:
        return Answer(
            title=title,
            cells=cells,
            note=found.note,
            services=[_missing(base, baseline=True), *missing],
            account=[],
            candidates=[],
        )
    void = baseline.state == "void"
    tail = None if void else _tail(base, traces_of, objective.share)
    decisions = decide(criteria, baseline, candidates, tail)
    lines = [_line(standing_of(baseline, criteria), None, requirements.demand, baseline)]
    lines += [
        _line(each.candidate, each, requirements.demand, cost)
        for each, cost in zip(decisions, candidates, strict=True)
    ]
    return Answer(
        title=title,
        cells=cells,
        note=found.note,
        services=[*lines, *missing],
        account=[] if void else _account(baseline, candidates),
        candidates=[_candidate(each, criteria) for each in decisions],
        tail=None if tail is None else tail_account(tail),
        doubts=list(doubts_about([baseline], tail)),
    )


def _title(plan: Plan, found: Contenders, objective: Objective) -> str:
    cell, service = found.baseline.cell, found.service
    title = f"{cell.benchmark} {cell.workload} at {service.point.rate_per_s:g}/s"
    title += f"{spoken(service.point.protocol)}, "
    title += f"objective {objective}"
    parts = [one for one in surroundings(cell.threads, cell.factors) if one != "1 thread"]
    parts += [] if service.database is None else [service.database.distance]
    parts += plan.distinction(cell)
    return ", ".join([title, *dict.fromkeys(parts)])


def _missing(one: CellEvidence, *, baseline: bool = False) -> ServiceLine:
    """A service without a possible decision, with the reason."""
    reason = (
        "the processes of the service are not visible on this machine, so the service's CPU time "
        "and memory are unknown"
    )
    if not one.completed:
        reason = "no execution of the service completed"
        if one.failed:
            reason += f": {one.failed[0].record.outcome.reason}"
    elif not any(each.load is not None and each.load.latency.total for each in one.completed):
        reason = "no request received the expected answer"
    return ServiceLine(
        service=contender_name(one.cell),
        baseline=baseline,
        verdict="void",
        meets="unclear",
        percentile_ns=None,
        interval_ns=None,
        instances=None,
        memory_bytes=None,
        cost_per_month=None,
        text=f"cannot be judged: {reason}",
    )


def _tail(one: CellEvidence, traces_of: TracesOf, share: float) -> Tail | None:
    """The tail of the baseline's median execution. A tail over several executions would mix the
    different levels of these executions."""
    loaded = [each for each in one.completed if each.load is not None]
    if not loaded:
        return None
    middle = sorted(loaded, key=lambda each: each.load.mean_ns or 0.0 if each.load else 0.0)[
        len(loaded) // 2
    ]
    traces = traces_of(middle.record)
    if traces is None or middle.load is None:
        return None
    return slowest(middle.load, middle.pauses, traces, share)


def _line(
    one: Standing, decision: Decision | None, demand: Demand | None, found: ServiceCost
) -> ServiceLine:
    head = one.headline
    void = one.state == "void"
    text = standing(one)
    # A void figure has no ratio. This reason comes before all others.
    compared = decision is not None and decision.reason != "void figures"
    if compared and decision is not None and decision.gain.percentile is not None:
        text += f", {_times(decision.gain.percentile)}"
    if one.state == "flagged":
        text += " · flagged"
    need = one.need
    cost = None
    if demand is not None:
        if need is not None and demand.price is not None:
            cost = need.cost_per_month(demand.price)
        text += f" · {_needed(need, cost) if need is not None else _unsized(found)}"
    return ServiceLine(
        service=one.name,
        baseline=decision is None,
        verdict=one.state,
        meets=one.meets,
        percentile_ns=None if void else head.value,
        interval_ns=None if void else interval(head),
        instances=(need.fewest, need.most) if need is not None else None,
        memory_bytes=(need.fewest_memory_bytes, need.most_memory_bytes) if need else None,
        cost_per_month=cost,
        text=text,
        parts_ns=None if void else breakdown(found).parts_ns(),
        bounds_ns=(one.limits.low, one.limits.high) if one.bounded and not void else None,
    )


def _times(ratio: Ratio) -> str:
    faster = ratio.value >= 1
    value = ratio.value if faster else 1 / ratio.value
    return f"{value:.2f} times {'faster' if faster else 'slower'}"


def _unsized(found: ServiceCost) -> str:
    """The reason why no number of instances can be stated."""
    unknown = "the number of instances is unknown, because"
    if found.capacity is None:
        return (
            f"{unknown} the run did not measure the capacity; set `capacity = true` in the "
            "experiment"
        )
    return (
        f"{unknown} in at least one execution the search for the capacity found no rate that "
        "certainly meets the objective; measure at a lower `rate`"
    )


def _needed(need: Need, cost: tuple[float, float] | None) -> str:
    counts = _range(f"{need.fewest:,}", f"{need.most:,}")
    gib = _range(*(short(one / GIB) for one in (need.fewest_memory_bytes, need.most_memory_bytes)))
    text = f"needs {counts} instance{'' if need.most == 1 else 's'}"
    if need.measured > 1:
        text += f" (the run measured {need.measured} instances together)"
    text += f" and {gib} GiB"
    return (
        text
        if cost is None
        else (f"{text}, and costs {_range(*(f'{one:,.0f}' for one in cost))} a month")
    )


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def _account(baseline: ServiceCost, candidates: Sequence[ServiceCost]) -> list[str]:
    """The breakdown of each service's mean request, and the largest possible gain over the
    baseline."""
    theirs = [
        f"in {one.name}, {account(breakdown(one))}" for one in candidates if one.state != "void"
    ]
    split = breakdown(baseline)
    return [
        f"in {baseline.name}, {account(split)}",
        most(bound(split)),
        *theirs,
    ]


def _candidate(one: Decision, criteria: Criteria) -> CandidateAnswer:
    ratio = one.gain.percentile
    void = one.reason == "void figures"
    return CandidateAnswer(
        service=one.candidate.name,
        outcome=one.outcome,
        reason=one.reason,
        sentence=sentence(one, criteria),
        gain=None if void or ratio is None or isinf(ratio.value) else ratio.value,
        gain_interval=None if void or ratio is None else telling(ratio.low, ratio.high),
        doubts=list(one.doubts),
        payback=None if one.break_even is None else _payback(one.break_even),
    )


def _payback(found: BreakEven) -> Payback:
    soonest, latest = (
        None if isinf(months) else months for months in (found.soonest_months, found.latest_months)
    )
    return Payback(
        saving_per_month=(found.least_saving_per_month, found.greatest_saving_per_month),
        soonest_months=soonest,
        latest_months=latest,
        text=saving(found),
    )


OTHERS = ", and further time for the other benchmarks of the experiment"


def next_measurement(run: RunEvidence, found: Contenders) -> str:
    """The command of a longer measurement with its time, for example `./runfair run order --profile
    full (about 40 min)`. The command is empty if this run had the longest profile. The time is
    estimated for all services of the benchmark, from the profile's loads and from the time that an
    execution of this run took besides its load. If the command also measures other benchmarks of
    the experiment, it says so."""
    plan, benchmark = run.plan, found.baseline.cell.benchmark
    services = [one for one in run.services if one.cell.benchmark == benchmark]
    took_ns = [each.record.launch.wall_ns for one in services for each in one.completed]
    if plan.greater is None or not took_ns:
        return ""
    effort = plan.greater.effort
    beside_s = max(0.0, fmean(took_ns) / 1e9 - plan.effort.load_seconds)
    probes = sum(len(one.cell.service.point.curve_per_s) for one in services if one.cell.service)
    a_round_s = len(services) * (beside_s + effort.load_seconds) + probes * effort.probe_seconds
    minutes = effort.service_executions * a_round_s / 60
    others = "" if _alone(plan, found) or _chosen(found) else OTHERS
    command = _command(plan, plan.greater.name, found)
    return f"{command} (about {max(1, round(minutes))} min{others})"


def _alone(plan: Plan, found: Contenders) -> bool:
    """Whether the experiment contains only the benchmark of these services."""
    return all(one.benchmark == found.baseline.cell.benchmark for one in plan.cells)


def _chosen(found: Contenders) -> bool:
    """Whether `--only` can name these services. A service of the user has no name there."""
    return found.baseline.cell.hosting.kind == "program"


def _command(plan: Plan, profile: ProfileName, found: Contenders) -> str:
    """The command that measures these services. If the experiment contains other benchmarks, they
    are left out, unless they cannot be."""
    command = f"./runfair run {shlex.quote(plan.source or plan.experiment)} --profile {profile}"
    if _alone(plan, found) or not _chosen(found):
        return command
    return f"{command} --only {found.baseline.cell.benchmark}"
