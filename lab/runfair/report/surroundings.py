"""What a cell was measured in, in words."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.plan import Factors
from runfair.formats.result import CellResult
from runfair.report import quantity


def surroundings(threads: int, factors: Factors) -> list[str]:
    """Threads, and the factors that are not as usual."""
    parts = [f"{threads} thread" + ("" if threads == 1 else "s")]
    if factors.instances > 1:
        parts.append(f"{factors.instances} instances")
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
    return parts


def common_surroundings(cells: Sequence[CellResult]) -> list[str]:
    """What all of them have in common, beyond one thread."""
    told = [surroundings(cell.threads, cell.factors) for cell in cells]
    alike = [word for word in told[0] if all(word in each for each in told)]
    return [word for word in alike if word != "1 thread"]
