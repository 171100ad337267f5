"""The names of figures and cells."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.finding import FigureName
from runfair.formats.place import LOCAL
from runfair.formats.plan import Factors
from runfair.formats.result import (
    CellResult,
)
from runfair.formats.service import FailureLimit, Objective, Requirement, service_label
from runfair.wording import quantity
from runfair.wording.text import plain, short

NAMES: dict[FigureName, str] = {
    "cpu": "CPU time",
    "wall": "wall time",
    "memory": "peak memory",
    "p50": "p50",
    "p90": "p90",
    "p99": "p99",
    "p99_9": "p99.9",
    "p99_99": "p99.99",
    "max": "max",
    "start": "start-up",
    "first": "before work",
    "work": "work",
    "idle": "idle",
    "queued": "queued",
}
_GROUPS: dict[FigureName, str] = {
    "all": "all figures",
    "timed": "all times",
    "clocked": "wall-clock times",
    "elapsed": "wall-clock times",
    "sampled": "distributions",
}


def name_of(figure: FigureName) -> str:
    """The name of a figure, or of a group of figures, as people read it: `CPU time`, `lateness
    p99.9`."""
    if figure in NAMES:
        return NAMES[figure]
    distribution, _, share = figure.partition(".")
    return _GROUPS[figure] if figure in _GROUPS else f"{distribution} {NAMES.get(share, share)}"


def spread(factors: Factors) -> list[str]:
    """The numbers of instances and hosts of a service that has several, as texts."""
    parts = []
    if factors.instances > 1:
        each = "" if factors.hosts == 1 else " on each host"
        parts.append(f"{factors.instances} instances{each}")
    if factors.hosts > 1:
        parts.append(f"{factors.hosts} hosts")
    return parts


def surroundings(threads: int, factors: Factors) -> list[str]:
    """The number of threads and the factors that differ from their defaults, as texts."""
    parts = [f"{threads} thread" + ("" if threads == 1 else "s")]
    parts += spread(factors)
    if factors.processors != threads * factors.instances:
        parts.append(f"{factors.processors} processor" + ("" if factors.processors == 1 else "s"))
    if factors.heap_bytes is not None:
        parts.append(f"heap {quantity.size(factors.heap_bytes)}")
    if factors.cpu_quota is not None:
        parts.append(f"quota {factors.cpu_quota:g} CPU")
    if factors.memory_limit_bytes is not None:
        parts.append(f"memory limit {quantity.size(factors.memory_limit_bytes)}")
    if factors.page_cache != "warm":
        parts.append(f"{factors.page_cache} page cache")
    if factors.place != LOCAL:
        parts.append(f"in {factors.place}")
    return parts


def common_surroundings(cells: Sequence[CellResult]) -> list[str]:
    """The conditions that all cells have in common, as texts. A single thread is not mentioned."""
    told = [surroundings(cell.threads, cell.factors) for cell in cells]
    alike = [word for word in told[0] if all(word in each for each in told)]
    return [word for word in alike if word != "1 thread"]


def label(cell: CellResult) -> str:
    """The label of a cell: the variant, and all other properties that distinguish the cell."""
    variant = short(cell.variant)
    if cell.served is None:
        return variant if cell.tier == "standard" else f"{variant} ({short(cell.tier)})"
    return service_label(short(cell.served.service), variant)


def program_name(cell: CellResult) -> str:
    """The full name of a program in a table: its variant, and its tier if it is not the default."""
    return plain(cell.variant if cell.tier == "standard" else f"{cell.variant} ({cell.tier})")


def workload(cell: CellResult) -> str:
    """The name of a cell's workload: the benchmark, the workload, and the seed if it is not the
    default."""
    parts = [short(cell.benchmark), short(cell.workload)]
    if cell.own:
        parts.append(short(cell.own))
    if cell.seed != 1:
        parts.append(f"seed {cell.seed}")
    if cell.drive is not None:
        count = cell.drive.connections
        parts.append(f"{count} connection" + ("" if count == 1 else "s"))
    if cell.peak is not None:
        parts.append(f"peak · {connections_text(cell.peak.connections, cell.peak.pipeline)}")
    return " · ".join(parts)


def connections_text(connections: int, pipeline: int) -> str:
    """The connections of a peak as text: `64 connections`, `64 connections × 16 requests`."""
    text = f"{connections} connection" + ("" if connections == 1 else "s")
    return text if pipeline == 1 else f"{text} × {pipeline} requests"


def condition_text(cell: CellResult) -> str:
    """The condition of a cell as text."""
    return " · ".join([short(cell.size), cell.mode, *surroundings(cell.threads, cell.factors)])


def objective_text(objective: Objective) -> str:
    return f"{name_of(objective.percentile)} < {quantity.duration(objective.limit_ns)}"


def requirement_text(requirement: Requirement) -> str:
    if isinstance(requirement, FailureLimit):
        return f"failed < {quantity.percent(requirement.failed_share)}"
    return objective_text(requirement)
