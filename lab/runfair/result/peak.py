"""The result of a service at its peak over all its executions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median

from runfair.evidence.cell import CellEvidence
from runfair.evidence.costs import request_system_calls
from runfair.evidence.peak import PeakEvidence, peak_evidence
from runfair.fairness.checks import database_bound
from runfair.formats.finding import FigureName
from runfair.formats.peak import REQUESTS
from runfair.formats.peak_result import Measured, PeakResult
from runfair.formats.plan import Cell
from runfair.formats.result import Figure

NOT_MEASURED = Measured(value=None, verdict="void")
NS_PER_S = 1e9


def peak_result(
    cell: Cell, evidence: CellEvidence | None, figures: Mapping[FigureName, Figure]
) -> PeakResult | None:
    """The result of a cell at its peak; None for other cells. `figures` are the cell's figures."""
    if cell.peak is None:
        return None
    completed = evidence.completed if evidence is not None else ()
    found = [one for one in map(peak_evidence, completed) if one is not None]
    rate, cpu = rate_of(figures.get("wall")), cpu_of(figures.get("cpu"))
    void = cpu.verdict == "void"

    def middle(value: Callable[[PeakEvidence], float | None]) -> float | None:
        told = [one for each in found if (one := value(each)) is not None]
        return median(told) if told and not void else None

    calls = [one.record.peak.system_calls for one in completed if one.record.peak is not None]
    wall = figures.get("wall")
    return PeakResult(
        service=cell.tier,
        connections=cell.peak.connections,
        pipeline=cell.peak.pipeline,
        with_database=cell.peak.database is not None,
        rate_per_s=rate,
        rate_per_processor_s=None if rate.value is None else rate.value / cell.factors.processors,
        cpu_ns=cpu,
        database_cpu_ns=middle(lambda one: one.database_cpu_ns),
        switches=middle(lambda one: one.switches),
        server_share=middle(lambda one: one.server_share),
        database_share=middle(lambda one: one.database_share),
        paused_share=middle(lambda one: one.paused_share),
        collecting_share=middle(lambda one: one.collecting_share),
        database_bound=wall is not None
        and any(one.check == database_bound.NAME for one in wall.findings),
        system_calls=request_system_calls(calls, cpu.verdict),
    )


def cpu_of(figure: Figure | None) -> Measured:
    """The CPU time of a request in the server, from the CPU time of an iteration."""
    return _measured(figure, lambda time_ns: time_ns / REQUESTS)


def rate_of(figure: Figure | None) -> Measured:
    """The requests per second, from the wall time of an iteration. The longest time gives the
    lowest rate, so the ends of interval and bounds change places."""
    found = _measured(figure, lambda time_ns: REQUESTS * NS_PER_S / time_ns)
    return found.model_copy(
        update={
            "interval": None if found.interval is None else found.interval[::-1],
            "bounds": None if found.bounds is None else found.bounds[::-1],
        }
    )


def _measured(figure: Figure | None, of: Callable[[float], float]) -> Measured:
    if figure is None:
        return NOT_MEASURED

    def end(value: float | None) -> float | None:
        return None if value is None or value <= 0 else of(value)

    interval, bounds = figure.interval, figure.bounds
    return Measured(
        value=end(figure.value),
        interval=None
        if interval is None or interval[0] <= 0
        else (of(interval[0]), of(interval[1])),
        bounds=None if bounds is None else (end(bounds[0]), end(bounds[1])),
        verdict=figure.verdict,
    )
