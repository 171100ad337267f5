"""A service that stands still while its garbage is collected: `collecting.py PORT HOST`.

Three times a second it looks through a million objects for garbage. This takes longer than a busy
machine usually delays a request.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve

EVERY_S = 0.25
kept = [[number] for number in range(1_000_000)]
collecting: set[asyncio.Task[None]] = set()


async def collect() -> None:
    while True:
        gc.collect()
        await asyncio.sleep(EVERY_S)


async def answer(_path: str) -> bytes:
    if not collecting:
        collecting.add(asyncio.get_running_loop().create_task(collect()))
    return response()


if __name__ == "__main__":
    gc.disable()  # but for those above
    serve(int(sys.argv[1]), answer, sys.argv[2])
