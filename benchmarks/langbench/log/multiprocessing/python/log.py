"""The benchmark log with processes as workers: langbench/log/contract.md, "Threads"."""

from __future__ import annotations

import multiprocessing
from functools import partial

from langbench.log.python.log import program, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Tuple

_works: list[Callable[[int], Any]] = []  # what a forked process is to do; inherited, not pickled


def in_processes(
    work: Callable[[int], Any], workers: int, deliver: Callable[[int, Any], None]
) -> None:
    """Run every worker in a process, and deliver the result that each sends back."""
    if workers == 1:
        deliver(0, work(0))
        return
    _works.append(work)
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for worker, outcome in pool.imap_unordered(_perform, range(workers)):
            deliver(worker, outcome)
        # The processes are joined, so that their CPU time belongs to the iteration.
        pool.close()
        pool.join()
    _works.pop()


def _perform(worker: int) -> Tuple[int, Any]:
    return worker, _works[-1](worker)


if __name__ == "__main__":
    program("multiprocessing", partial(run, in_parallel=in_processes))
