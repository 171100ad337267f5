"""What services cost, taken from a run's evidence and its verdicts."""

from __future__ import annotations

from runfair.decision.contenders import service_name
from runfair.decision.database_floor import least_percentile_ns
from runfair.decision.service_cost import ExecutionCost, ServiceCost
from runfair.evidence.reading import TracesOf
from runfair.evidence.run import CellEvidence, ExecutionEvidence
from runfair.fairness.capacity_evidence import capacity_of
from runfair.fairness.figures import execution_value
from runfair.fairness.objective_evidence import why_unserved
from runfair.formats.finding import CellVerdicts, VerdictFile
from runfair.formats.service import SHARES, Objective


def cost_of(
    one: CellEvidence,
    judged: VerdictFile,
    objective: Objective,
    traces_of: TracesOf = lambda _: None,
) -> ServiceCost | None:
    """The costs of a service; None where no execution can tell them. What single requests and
    queries tell is asked of `traces_of`, for a service with a database."""
    database = one.cell.service.database if one.cell.service is not None else None
    looked_at: TracesOf = traces_of if database is not None else lambda _: None
    executions = tuple(
        cost
        for (block, half), each in one.half_blocks.items()
        if each.completed
        and (cost := _execution(each, 2 * block + half, objective, looked_at)) is not None
    )
    if not executions:
        return None
    verdicts = next(cell for cell in judged.cells if cell.cell == one.cell.id)
    verdict = verdicts.figures[objective.percentile]
    return ServiceCost(
        name=service_name(one.cell),
        executions=executions,
        state=verdict.state,
        cpu_void=verdicts.figures["cpu"].state == "void",
        findings=_findings(verdicts, objective),
        capacity=capacity_of(one.completed),
        instances=one.cell.service.instances if one.cell.service is not None else 1,
        unserved=why_unserved(one, verdict),
        bounds_ns=verdict.bounds,
    )


def _execution(
    each: ExecutionEvidence, half_block: int, objective: Objective, traces_of: TracesOf
) -> ExecutionCost | None:
    load = each.load
    percentile_ns = execution_value(each, objective.percentile)
    memory_bytes = execution_value(each, "memory")
    if load is None or percentile_ns is None or load.mean_ns is None:
        return None
    if not load.own.cpu_ns:
        return None
    traces = traces_of(each.record)
    database_ns = None
    if traces is not None:
        database_ns = least_percentile_ns(load, traces, SHARES[objective.percentile])
    return ExecutionCost(
        half_block=half_block,
        percentile_ns=percentile_ns,
        mean_latency_ns=load.mean_ns,
        own_cpu_ns=load.own.cpu_ns,
        run_queue_ns=load.own.run_queue_ns,
        database_ns=load.database_ns_per_request or 0.0,
        peak_memory_bytes=round(memory_bytes or 0),
        database_percentile_ns=database_ns,
    )


def _findings(verdicts: CellVerdicts, objective: Objective) -> tuple[str, ...]:
    """What speaks against the figures that a decision stands on."""
    used = [verdicts.figures[name] for name in (objective.percentile, "cpu")]
    findings = (each for one in used for each in one.findings if each.severity != "limitation")
    return tuple(dict.fromkeys(finding.text for finding in findings))
