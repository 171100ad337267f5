"""A server of keys and values on asyncio: langbench/key-value/contract.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from harness.python.service import Worker, serve

from ..python.description import service
from ..python.store import Store
from .server import Server


def work(store: Store, worker: Worker, ready: Callable[[], None]) -> None:
    asyncio.run(Server(store).run(worker.listening, ready))


if __name__ == "__main__":
    serve(service("asyncio", work, max_threads=1))
