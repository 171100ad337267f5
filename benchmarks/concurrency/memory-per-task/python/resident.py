"""The resident memory of processes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Union


def resident_bytes() -> int:
    """The resident set size of this process."""
    return kibibytes("self", "Rss") * 1024


def proportional_bytes(pids: Iterable[int]) -> int:
    """The sum of the processes' proportional set sizes, in which a page that n processes share
    counts 1/n for each of them."""
    return sum(kibibytes(pid, "Pss") for pid in pids) * 1024


def kibibytes(process: Union[int, str], name: str) -> int:
    path = f"/proc/{process}/smaps_rollup"
    with open(path, encoding="ascii", errors="replace") as rollup:
        [value] = [int(line.split()[1]) for line in rollup if line.startswith(f"{name}:")]
    return value
