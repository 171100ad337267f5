"""The web tests on Robyn: benchmarks/web/techempower/contract.md."""

from __future__ import annotations

import asyncio
import signal
import socket
from functools import partial
from typing import Any, Callable

from harness.services.python.service import serve
from harness.services.python.workers import in_processes
from web.techempower.python.domain.database import Database
from web.techempower.python.domain.service import KEEP_ALIVE_S, Settings, load
from web.techempower.python.robyn.application import application

# Robyn does not say when it has sent the last response.
LAST_RESPONSES_S = 1.0


def work(settings: Settings, listening: socket.socket, ready: Callable[[], None], _: int) -> None:
    """Runs the worker processes. Robyn would kill its own without their last responses."""
    address = listening.getsockname()
    listening.close()  # each worker process listens on the address for itself
    in_processes(partial(serve_on_robyn, settings, address), len(settings.connections), ready)


def serve_on_robyn(settings: Settings, address: Any, ready: Callable[[], None], n: int) -> None:
    # Robyn's server stops at the signal, but its process goes on.
    signal.signal(signal.SIGTERM, lambda *_: end_later())
    database = Database(settings.url, settings.connections[n]) if settings.url else None
    application(database, ready).start(
        host=address[0],
        port=address[1],
        _check_port=False,
        keep_alive_timeout=KEEP_ALIVE_S,
    )


def end_later() -> None:
    asyncio.get_event_loop().call_later(LAST_RESPONSES_S, interrupt)


def interrupt() -> None:
    """Makes Robyn run its shutdown handler and end the process."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    serve("techempower", load, work, tier="robyn")
