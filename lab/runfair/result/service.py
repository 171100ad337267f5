"""The result of a service over all its executions: objective, latencies, costs, curve, capacity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.costs import RelayEvidence, request_system_calls
from runfair.evidence.load import LoadEvidence
from runfair.evidence.pauses import PauseEvidence
from runfair.fairness.figures import execution_value
from runfair.fairness.objective import (
    capacity_of,
    deciding_doubt,
    limit_of,
    meets,
    requirement_outcome,
    slow_rates,
    slowed,
)
from runfair.formats.finding import FigureName, Verdict, VerdictState, worst
from runfair.formats.place import HERE
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import OperatingPoint, service_name
from runfair.formats.service_result import (
    CapacityResult,
    CurvePoint,
    Knee,
    Meets,
    RelayResult,
    RequestCost,
    RuntimeEvents,
    ServiceResult,
    WarmUp,
    WarmUpLevel,
)
from runfair.result.service_hosts import service_hosts
from runfair.statistics.capacity import ASSUMES, Point, curve
from runfair.statistics.headline import headline


def service_result(
    plan: Plan,
    cell: Cell,
    evidence: CellEvidence | None,
    verdicts: Mapping[FigureName, Verdict],
) -> ServiceResult | None:
    """The result of a service's cell; None for other cells. A void percentile neither meets nor
    misses an objective."""
    if cell.service is None:
        return None
    point = cell.service.point
    asked: FigureName = "p99" if point.objective is None else point.objective.percentile
    completed = evidence.completed if evidence is not None else ()
    loads = [one.load for one in completed if one.load is not None]
    curve = _curve(point, completed, verdicts)
    met, doubt = _answer(point, evidence, verdicts)
    return ServiceResult(
        service=service_name(cell.tier, cell.variant),
        group=next(one.id for one in plan.cells if one.group == cell.group),
        distinction=plan.distinction(cell),
        instances=cell.service.instances,
        rate_per_s=point.rate_per_s,
        protocol=point.protocol,
        objective=point.objective,
        meets=met,
        doubt=doubt,
        requirements=[requirement_outcome(one, evidence, verdicts) for one in point.require],
        requests=sum(load.result.requests.scheduled for load in loads),
        failed=sum(load.result.requests.failed for load in loads),
        curve=curve,
        knee=knee_of(point, curve, completed, _state(verdicts, asked)),
        capacity=_capacity(completed, verdicts),
        warm_up=[_warm_up(one, verdicts) for one in completed],
        events=_events(completed, verdicts),
        cost=_cost(loads, verdicts),
        relay=_relay(cell, loads, verdicts),
        hosts=service_hosts(completed, _state(verdicts, "cpu", "memory")),
        system_calls=request_system_calls(
            [one.record.served.system_calls for one in completed if one.record.served is not None],
            _state(verdicts, "cpu"),
        ),
    )


def _answer(
    point: OperatingPoint, evidence: CellEvidence | None, verdicts: Mapping[FigureName, Verdict]
) -> tuple[Meets | None, str]:
    """Whether the service meets its objective, and the doubt that makes this unclear."""
    if point.objective is None:
        return None, ""
    verdict = verdicts.get(point.objective.percentile)
    if evidence is None or verdict is None:
        return "unclear", ""
    met = meets(point.objective, evidence, verdict)
    return met, deciding_doubt(point.objective, evidence, verdict) if met == "unclear" else ""


def _curve(
    point: OperatingPoint,
    executions: Sequence[ExecutionEvidence],
    verdicts: Mapping[FigureName, Verdict],
) -> list[CurvePoint]:
    """The points of a service's curve. If a finding flags or voids the median at the operating
    point, the same finding flags the points at the other rates too. Examples of such findings are
    foreign time, too few executions, and a smoke run."""
    least = _at_other_rates(verdicts)
    rates = sorted({one.rate_per_s for run in executions for one in run.probes})
    points = [_curve_point(point, rate_per_s, executions) for rate_per_s in rates]
    slow = slow_rates(executions, "curve")

    def verdict(one: CurvePoint) -> VerdictState:
        network: VerdictState = "flagged" if one.rate_per_s in slow else "fair"
        return worst([one.verdict, least, network])

    return [one.model_copy(update={"verdict": verdict(one)}) for one in points]


def _at_other_rates(verdicts: Mapping[FigureName, Verdict]) -> VerdictState:
    return "flagged" if _state(verdicts, "p50") != "fair" else "fair"


def _state(verdicts: Mapping[FigureName, Verdict], *figures: FigureName) -> VerdictState:
    """The worst of the verdicts of these figures; void if the service was not judged."""
    return worst([verdicts[figure].state if figure in verdicts else "void" for figure in figures])


def _curve_point(
    point: OperatingPoint, rate_per_s: float, executions: Sequence[ExecutionEvidence]
) -> CurvePoint:
    probes = [one for run in executions for one in run.probes if one.rate_per_s == rate_per_s]
    known = [one for one in probes if one.verdict != "void"]
    judged = [one.percentiles for one in known]
    void = len(known) < len(probes)

    def middle(name: str) -> float | None:
        told = [value for one in judged if (value := one.get(name)) is not None]
        return median(told) if told else None

    met: Meets | None = None
    asked = None
    if point.objective is not None:
        asked = point.objective.percentile
        told = [value for one in judged if (value := one.get(asked)) is not None]
        met = limit_of(point.objective).met_by(
            headline(told) if told else None,
            # A void load does not show whether the service or the generator fell behind.
            served=all(one.served for one in known),
        )
    return CurvePoint(
        rate_per_s=rate_per_s,
        p50_ns=middle("p50"),
        p99_ns=middle("p99"),
        objective_ns=middle(asked) if asked is not None else None,
        meets=met,
        executions=len(judged),
        verdict="void"
        if not judged
        else "flagged"
        if void or any(one.verdict == "flagged" or not one.served for one in probes)
        else "fair",
    )


def _capacity(
    executions: Sequence[ExecutionEvidence], verdicts: Mapping[FigureName, Verdict]
) -> CapacityResult | None:
    found = capacity_of(executions)
    if found is None:
        return None
    return CapacityResult(
        verdict="flagged" if slowed(found, executions) else _at_other_rates(verdicts),
        highest_met_per_s=found.highest_met_per_s,
        lowest_missed_per_s=found.lowest_missed_per_s,
        confidence=found.confidence,
        assumes=ASSUMES,
        observations=found.observations,
        executions=sum(
            one.record.served is not None and one.record.served.capacity is not None
            for one in executions
        ),
    )


def _relay(
    cell: Cell, loads: Sequence[LoadEvidence], verdicts: Mapping[FigureName, Verdict]
) -> RelayResult | None:
    """The relay's figures. A void load has no such figures, because the queries of an overloaded
    service do not describe the relay."""
    told = [load.relay for load in loads if load.relay is not None]
    state = _state(verdicts, "p50")
    database = None if cell.service is None else cell.service.database
    if database is None or not told or state == "void":
        return None

    def middle(value: Callable[[RelayEvidence], float | None]) -> float | None:
        known = [found for one in told if (found := value(one)) is not None]
        return median(known) if known else None

    return RelayResult(
        verdict=state,
        round_trip_ns=None if database.of_network else database.round_trip_ns,
        queries_per_request=median(one.queries for one in told),
        added_p50_ns=middle(lambda one: one.added_ns["p50"]),
        added_p99_ns=middle(lambda one: one.added_ns["p99"]),
        cpu_per_query_ns=middle(lambda one: one.cpu_per_query_ns),
    )


def _cost(
    loads: Sequence[LoadEvidence], verdicts: Mapping[FigureName, Verdict]
) -> RequestCost | None:
    """The costs of a request other than its CPU time. The costs are void if the CPU time is
    void."""
    state = _state(verdicts, "cpu")
    if not loads or state == "void":
        return None

    def middle(value: Callable[[LoadEvidence], float | None]) -> float | None:
        told = [found for load in loads if (found := value(load)) is not None]
        return median(told) if told else None

    return RequestCost(
        verdict=state,
        system_share=middle(lambda load: load.own.system_share),
        run_queue_ns=middle(lambda load: load.own.run_queue_ns),
        switches=middle(lambda load: load.own.switches),
        database_ns=middle(lambda load: load.database_ns_per_request),
        database_cpu_ns=middle(lambda load: load.database.cpu_ns),
        sent_bytes=middle(_request_bytes),
        received_bytes=middle(lambda load: load.answer_bytes),
        cycles=middle(lambda load: load.own.cycles),
        instructions=middle(lambda load: load.own.instructions),
        user_only=any(load.own.user_only for load in loads),
    )


def _request_bytes(load: LoadEvidence) -> float | None:
    """The mean size of all requests. Failed requests are included, because all requests come from
    the same traffic."""
    sent = load.result.requests.sent
    return load.result.bytes.sent / sent if sent else None


def _events(
    executions: Sequence[ExecutionEvidence], verdicts: Mapping[FigureName, Verdict]
) -> RuntimeEvents | None:
    told = [
        (one.load, one.pauses)
        for one in executions
        if one.load is not None and one.pauses is not None
    ]
    if not told:
        return None
    steady_s = sum(load.result.elapsed_ns - load.steady_from_ns for load, _ in told) / 1e9
    pauses = [each for _, each in told]
    shares = [each.share for each in pauses if each.share is not None]
    tails = [one.tail for one in shares if one.tail is not None]
    known, shown = (_state(verdicts, name) != "void" for name in ("cpu", "p99"))
    stops = sum(len(each.pauses_ns) for each in pauses)
    paused_s = sum(each.paused_ns for each in pauses) / 1e9
    collections = sum(each.collections for each in pauses)
    collecting_s = sum(each.collecting_ns for each in pauses) / 1e9
    allocated = [(load, each.allocation) for load, each in told if each.allocation is not None]
    per_s = [found.bytes_per_s for _, found in allocated]
    answered = [(load.result.rate.achieved_per_s, found) for load, found in allocated]
    per_request = [found.bytes_per_s / rate for rate, found in answered if rate]
    roundings = [found.rounding for _, found in allocated]
    return RuntimeEvents(
        executions=len(told),
        collections=collections,
        pauses_per_s=stops / max(steady_s, 1e-9) if known else None,
        paused_share=paused_s / max(steady_s, 1e-9) if known else None,
        longest_pause_ns=max(each.longest_ns for each in pauses) if known else None,
        tail_share=median(tails) if tails and shown else None,
        tail_share_range=_tail_range(pauses) if tails and shown else None,
        chance_share=median(one.chance for one in shares) if shares and shown else None,
        late_compilations=sum(each.late_compilations for each in pauses),
        collections_per_s=collections / max(steady_s, 1e-9) if known else None,
        collecting_share=collecting_s / max(steady_s, 1e-9) if known else None,
        allocated_bytes_per_s=median(per_s) if per_s and known else None,
        allocated_bytes_per_request=median(per_request) if per_request and known else None,
        allocation_rounding=max(roundings) if roundings and known else None,
        allocation_untold="" if per_s else _untold(pauses),
        clock_uncertainty_ns=max(each.uncertainty_ns for each in pauses),
        verdict=_state(verdicts, "cpu", "p99"),
    )


def _tail_range(pauses: Sequence[PauseEvidence]) -> tuple[float, float] | None:
    """The smallest and the largest share that the clock offset allows; None if there is only one
    clock."""
    if not any(each.uncertainty_ns for each in pauses):
        return None
    least, most = (
        median(one.tail for one in shares if one is not None and one.tail is not None)
        for shares in (
            [each.share_least for each in pauses],
            [each.share_most for each in pauses],
        )
    )
    return least, most


def _untold(pauses: Sequence[PauseEvidence]) -> str:
    """The reason why the allocation is unknown."""
    if any(each.tells_heaps for each in pauses):
        return "too few garbage collections"
    return "this runtime does not report it"


def _warm_up(one: ExecutionEvidence, verdicts: Mapping[FigureName, Verdict]) -> WarmUp:
    cold = one.record.served.start if one.record.served is not None else None
    load, steady_ns, first_ns = one.load, None, None
    shown, settled = (_state(verdicts, name) != "void" for name in ("start", "p50"))
    if shown and cold is not None and cold.first_answer_ns is not None:
        first_ns = cold.first_answer_ns - cold.process_ns
    if settled and cold is not None and load is not None and load.steady.start is not None:
        began_ns = load.result.started.monotonic_ns - cold.process_ns
        steady_ns = began_ns + load.steady_from_ns
    return WarmUp(
        execution=one.record.id,
        classification=load.steady.classification if load is not None else "never loaded",
        first_answer_ns=first_ns,
        steady_ns=steady_ns,
        levels=_levels(load) if settled and load is not None else [],
        clock_uncertainty_ns=0 if load is None else HERE.uncertainty_to(load.place),
        verdict=_state(verdicts, "start", "p50"),
    )


def _levels(load: LoadEvidence) -> list[WarmUpLevel]:
    return [
        WarmUpLevel(
            from_ns=int(load.windows.start_ns[segment.start]), p50_ns=float(segment.median_ns)
        )
        for segment in load.steady.segments
    ]


def knee_of(
    point: OperatingPoint,
    points: Sequence[CurvePoint],
    executions: Sequence[ExecutionEvidence],
    own: VerdictState,
) -> Knee | None:
    """The knee over the rates of a curve and the operating point. `own` is the verdict at the
    operating point. The knee is computed from the percentile of the objective (p99 if there is no
    objective), and void points are left out. None if the run has no further rates."""
    if not points:
        return None
    asked: FigureName = "p99" if point.objective is None else point.objective.percentile
    shown = [
        Point(one.rate_per_s, _achieved(one.rate_per_s, executions), latency_ns)
        for one in points
        if (latency_ns := one.objective_ns or one.p99_ns)
    ]
    values = [value for one in executions if (value := execution_value(one, asked)) is not None]
    ratios = [
        ratio
        for one in executions
        if one.load is not None and (ratio := one.load.result.rate.ratio) is not None
    ]
    if own != "void" and values and ratios:
        rate = point.rate_per_s
        shown.append(Point(rate, rate * median(ratios), median(values)))
    found = curve(shown)
    return Knee(
        rate_per_s=found.knee_per_s,
        saturated_from_per_s=found.saturated_from_per_s,
        rates=len(shown),
        reason=found.reason,
        verdict=worst([one.verdict for one in points if one.verdict != "void"] + [own]),
    )


def _achieved(rate_per_s: float, executions: Sequence[ExecutionEvidence]) -> float:
    told = [
        one.achieved_share
        for each in executions
        for one in each.probes
        if one.rate_per_s == rate_per_s
    ]
    return rate_per_s * median(told)
