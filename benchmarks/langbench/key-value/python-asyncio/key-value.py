"""A server of keys and values on asyncio: langbench/key-value/contract.md."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping

from harness.services.python.service import serve

from ..python.store import Store, load
from .server import Server


def work(
    store: Store, listening: socket.socket, ready: Callable[[], None], _number: int
) -> Mapping[str, int]:
    server = Server(store)
    asyncio.run(server.run(listening, ready))
    return server.counters()


if __name__ == "__main__":
    serve("key-value", load, work, tier="asyncio", max_threads=1)
