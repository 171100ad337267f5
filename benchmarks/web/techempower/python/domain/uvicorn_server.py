"""Services on uvicorn: a worker process a thread, which share the listening socket."""

from __future__ import annotations

import signal
import socket
import sys
from functools import partial
from typing import Any, Callable, Optional

import uvicorn

from harness.services.python.service import serve
from web.techempower.python.domain.database import Database
from web.techempower.python.domain.service import KEEP_ALIVE_S, STOP_LIMIT_S, Settings, load

# Makes the ASGI application. It opens its database (if there is one) and calls the function when it
# is started.
Make = Callable[[Optional[Database], Callable[[], None]], Any]


def serve_on_uvicorn(tier: str, make: Make) -> None:
    serve("techempower", load, partial(work, make), tier=tier, processes=True)


def work(
    make: Make,
    settings: Settings,
    listening: socket.socket,
    ready: Callable[[], None],
    n: int,
) -> None:
    # While uvicorn serves, it has its own handler. When it has ended, it raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: None)
    database = Database(settings.url, settings.connections[n]) if settings.url else None
    config = uvicorn.Config(
        make(database, ready),
        access_log=False,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_LIMIT_S,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listening])
    if not server.started:
        sys.exit(1)  # uvicorn has printed the reason
