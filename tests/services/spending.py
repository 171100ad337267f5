"""A service whose time goes where it is told: `spending.py PORT computing` takes 5 ms of CPU time a
request, `spending.py PORT asking` waits for one answer of its database, at DATABASE_PORT."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve

COMPUTES_S = 0.005
CONNECTIONS = 8

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def computing(_path: str) -> bytes:
    until_s = time.thread_time() + COMPUTES_S
    while time.thread_time() < until_s:
        pass
    return response()


class Pool:
    """Connections to the database, opened at the first request."""

    def __init__(self) -> None:
        self._free: asyncio.Queue[Connection] = asyncio.Queue()
        self._opened = 0

    async def asking(self, _path: str) -> bytes:
        if self._free.empty() and self._opened < CONNECTIONS:
            self._opened += 1
            port = int(os.environ["DATABASE_PORT"])
            self._free.put_nowait(await asyncio.open_connection("127.0.0.1", port))
        reader, writer = await self._free.get()
        writer.write(b"?")
        await reader.readexactly(1)
        self._free.put_nowait((reader, writer))
        return response()


if __name__ == "__main__":
    serve(int(sys.argv[1]), computing if sys.argv[2] == "computing" else Pool().asking)
