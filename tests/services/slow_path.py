"""A service with a slow path: `slow_path.py PORT` computes for some 50 ms at every 30th request."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve

EVERY = 30
STEPS = 1_000_000
requests = count(1)


def discount(steps: int) -> int:
    total = 0
    for step in range(steps):
        total += step * step % 7  # the slow path
    return total


async def answer(_path: str) -> bytes:
    if next(requests) % EVERY == 0:
        discount(STEPS)
    return response()


if __name__ == "__main__":
    serve(int(sys.argv[1]), answer)
