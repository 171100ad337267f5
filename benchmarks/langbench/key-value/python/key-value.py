"""A server of keys and values: langbench/key-value/contract.md."""

from __future__ import annotations

import socket
from typing import Callable, Mapping

from harness.services.python.service import serve

from .server import Server
from .store import Store, load


def work(
    store: Store, listening: socket.socket, ready: Callable[[], None], _number: int
) -> Mapping[str, int]:
    server = Server(store)
    server.run(listening, ready)
    return server.counters()


if __name__ == "__main__":
    serve("key-value", load, work)
