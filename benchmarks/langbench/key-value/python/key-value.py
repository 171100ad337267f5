"""A server of keys and values: langbench/key-value/contract.md."""

from __future__ import annotations

from typing import Callable

from harness.python.service import Worker, serve

from .description import service
from .server import Server
from .store import Store


def work(store: Store, worker: Worker, ready: Callable[[], None]) -> None:
    Server(store).run(worker.listening, ready)


if __name__ == "__main__":
    serve(service("standard", work))
