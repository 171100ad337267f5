"""Workers that are threads."""

from __future__ import annotations

from threading import Lock, Thread

from harness.python.harness import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

    # The work of a worker. Its arguments are the worker's number, the number of workers, and the
    # function that takes a result.
    InParallel = Callable[[Callable[[int], Any], int, Callable[[int, Any], None]], None]


def in_threads(
    work: Callable[[int], Any], workers: int, deliver: Callable[[int, Any], None]
) -> None:
    """Run every worker, and deliver their results, one at a time. Raises UsageError if a worker
    raised it."""

    def perform(worker: int) -> None:
        try:
            outcome = work(worker)
        except UsageError as mistake:
            mistakes[worker] = mistake
            return
        with lock:
            deliver(worker, outcome)
            delivered.append(worker)

    if workers == 1:
        deliver(0, work(0))
        return
    mistakes: Dict[int, UsageError] = {}
    delivered: List[int] = []
    lock = Lock()
    threads = [Thread(target=perform, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if mistakes:
        raise mistakes[min(mistakes)]
    if len(delivered) < workers:
        raise RuntimeError("a worker failed, with the traceback above")
