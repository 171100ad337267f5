"""Every figure of a run, with a line for each: value, interval, verdict, findings and measuring
conditions. If a cell has no figures, it has one line that gives the reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from runfair.export.dataset import Dataset, Row, Type, Value
from runfair.formats.finding import FigureName
from runfair.formats.plan import Cell
from runfair.formats.result import CellResult, Figure
from runfair.formats.variant import Variant
from runfair.result.judged_run import JudgedRun, said
from runfair.result.run_differences import asked

COLUMNS: dict[str, Type] = {
    "run": "VARCHAR",
    "created_realtime_ns": "BIGINT",
    "experiment": "VARCHAR",
    "profile": "VARCHAR",
    "runfair": "VARCHAR",
    "machine": "VARCHAR",
    "kernel": "VARCHAR",
    "processor_model": "VARCHAR",
    "machine_processors": "BIGINT",
    "boot_id": "VARCHAR",
    "cell": "VARCHAR",
    "benchmark": "VARCHAR",
    "workload": "VARCHAR",
    "size": "VARCHAR",
    "tier": "VARCHAR",
    "mode": "VARCHAR",
    "threads": "BIGINT",
    "seed": "BIGINT",
    "variant": "VARCHAR",
    "language": "VARCHAR",
    "processors": "BIGINT",
    "heap_bytes": "BIGINT",
    "cpu_quota": "DOUBLE",
    "memory_limit_bytes": "BIGINT",
    "page_cache": "VARCHAR",
    "instances": "BIGINT",
    "cycles": "DOUBLE",
    "instructions": "DOUBLE",
    "connections": "BIGINT",
    "rate_per_s": "DOUBLE",
    "runtime_version": "VARCHAR",
    "runtime_sha256": "VARCHAR",
    "flags": "VARCHAR",
    "artefact_sha256": "VARCHAR",
    "work": "VARCHAR",
    "executions": "BIGINT",
    "failed": "BIGINT",
    "steady_state": "VARCHAR",
    "figure": "VARCHAR",
    "unit": "VARCHAR",
    "better": "VARCHAR",
    "value": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "bound_low": "DOUBLE",
    "bound_high": "DOUBLE",
    "verdict": "VARCHAR",
    "findings": "VARCHAR",
    "baseline": "VARCHAR",
    "ratio": "DOUBLE",
    "ratio_low": "DOUBLE",
    "ratio_high": "DOUBLE",
    "ratio_bound_low": "DOUBLE",
    "ratio_bound_high": "DOUBLE",
    "p": "DOUBLE",
    "within_noise_floor": "BOOLEAN",
    "unsupported": "VARCHAR",
    "failed_to_build": "VARCHAR",
}
"""The columns. `work` is a hash of the work (answer, operations, parameters, operating point):
figures of different work must not be compared. `runtime_sha256` is a hash of everything that the
runtime reports about itself, such as the date of its build. `p` is Holm-adjusted over the run's
table.
"""


def figures(run: JudgedRun) -> Dataset:
    return Dataset("figures", COLUMNS, lambda: _rows(run))


def _rows(run: JudgedRun) -> Iterator[Row]:
    planned = {cell.id: cell for cell in run.evidence.plan.cells}
    variants = {one.name: one for one in run.evidence.plan.variants}
    around = _of_run(run)
    for result in run.result.cells:
        cell = planned[result.id]
        known = around | _of_cell(result, cell, variants.get(cell.variant))
        shown: list[tuple[FigureName | None, Figure | None]] = [*result.figures.items()]
        for name, figure in shown or [(None, None)]:
            values = known | _of_figure(name, figure)
            yield tuple(values[column] for column in COLUMNS)


def _of_run(run: JudgedRun) -> dict[str, Value]:
    plan, host = run.evidence.plan, run.evidence.host
    return {
        "run": run.result.run,
        "created_realtime_ns": plan.created_realtime_ns,
        "experiment": plan.experiment,
        "profile": plan.profile,
        "runfair": plan.runfair,
        "machine": ", ".join(one.name for one in run.evidence.hosts),
        "kernel": host.kernel,
        "processor_model": host.processor_model,
        "machine_processors": len(host.processors),
        "boot_id": host.boot_id,
    }


def _counted(result: CellResult) -> dict[str, Value]:
    """The cycles and instructions that the processor counted: per request of a service, or for the
    whole process of a cold program.
    """
    cost = result.service.cost if result.service is not None else None
    found = result.processor if cost is None else cost
    if found is None:
        return {"cycles": None, "instructions": None}
    return {"cycles": found.cycles, "instructions": found.instructions}


def _connections(result: CellResult) -> int | None:
    loop = result.drive or result.peak
    return None if loop is None else loop.connections


def _of_cell(result: CellResult, cell: Cell, variant: Variant | None) -> dict[str, Value]:
    return {
        "cell": result.id,
        "benchmark": result.benchmark,
        "workload": result.workload,
        "size": result.size,
        "tier": result.tier,
        "mode": result.mode,
        "threads": result.threads,
        "seed": result.seed,
        "variant": result.variant,
        "language": result.language,
        "processors": result.factors.processors,
        "heap_bytes": result.factors.heap_bytes,
        "cpu_quota": result.factors.cpu_quota,
        "memory_limit_bytes": result.factors.memory_limit_bytes,
        "page_cache": result.factors.page_cache,
        **_counted(result),
        "instances": 1 if cell.service is None else cell.service.instances,
        "connections": _connections(result),
        "rate_per_s": None if result.service is None else result.service.rate_per_s,
        "runtime_version": None if variant is None else variant.version,
        "runtime_sha256": None if variant is None else _hash(variant.identity),
        "flags": cell.artefact.flags,
        "artefact_sha256": cell.artefact.sha256,
        "work": work(cell),
        "executions": result.executions,
        "failed": result.failed,
        "steady_state": result.steady_state,
        "unsupported": result.unsupported or None,
        "failed_to_build": result.failed_to_build or None,
    }


def _hash(identity: str) -> str | None:
    return hashlib.sha256(identity.encode()).hexdigest() if identity else None


def _of_figure(name: FigureName | None, figure: Figure | None) -> dict[str, Value]:
    if figure is None:
        empty = ("figure", "unit", "better", "value", "low", "high", "bound_low", "bound_high")
        return dict.fromkeys((*empty, "verdict", "findings", "baseline", *_RELATIVE))
    low, high = figure.interval or (None, None)
    bound_low, bound_high = figure.bounds or (None, None)
    relative: dict[str, Value] = dict.fromkeys(_RELATIVE)
    if figure.relative is not None:
        ratio_low, ratio_high = figure.relative.interval or (None, None)
        bounds = figure.relative.bounds or (None, None)
        relative = {
            "ratio": figure.relative.value,
            "ratio_low": ratio_low,
            "ratio_high": ratio_high,
            "ratio_bound_low": bounds[0],
            "ratio_bound_high": bounds[1],
            "p": figure.relative.p,
            "within_noise_floor": figure.relative.within_noise_floor,
        }
    return {
        "figure": name,
        "unit": figure.unit,
        "better": figure.better,
        "value": figure.value,
        "low": low,
        "high": high,
        "bound_low": bound_low,
        "bound_high": bound_high,
        "verdict": figure.verdict,
        "findings": said(figure) or None,
        "baseline": None if figure.relative is None else figure.relative.baseline,
        **relative,
    }


_RELATIVE = (
    *("ratio", "ratio_low", "ratio_high", "ratio_bound_low", "ratio_bound_high", "p"),
    "within_noise_floor",
)


def work(cell: Cell) -> str:
    """A short hash of the cell's work, long enough to distinguish cells."""
    return hashlib.sha256(repr(asked(cell)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
