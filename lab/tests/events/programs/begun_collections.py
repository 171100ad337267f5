"""Begins collections in PyPy, and has `gc.collect` end each of them and carry out another, between
two monotonic readings that it prints."""

from __future__ import annotations

import gc
import time
from typing import Any

COLLECTIONS = 5
OBJECTS = 200_000


def main() -> None:
    kept = [[i] for i in range(OBJECTS)]
    step: Any = vars(gc)["collect_step"]
    gc.disable()
    gc.collect()
    for _ in range(COLLECTIONS):
        time.sleep(0.03)
        step()
        before_ns = time.monotonic_ns()
        gc.collect()
        after_ns = time.monotonic_ns()
        print(f'{{"before_ns":{before_ns},"after_ns":{after_ns}}}', flush=True)
    assert len(kept) == OBJECTS


if __name__ == "__main__":
    main()
