"""The web tests on FastAPI and uvicorn: benchmarks/web/techempower/contract.md."""

from __future__ import annotations

import os
import signal
import socket
import sys
from typing import Callable, List, NamedTuple

import uvicorn

from harness.python.harness import Options
from harness.services.python.service import serve
from web.techempower.python.fastapi.application import application
from web.techempower.python.fastapi.database import Database, require_reachable

# As behind a load balancer, the time is longer than clients keep an idle connection. uvicorn's
# default is 5.
KEEP_ALIVE_S = 75
STOP_LIMIT_S = 4  # the contract's 5, minus the time for ending the process


class Settings(NamedTuple):
    """The database's URL (empty if there is no database), and the number of connections of each
    worker process."""

    url: str
    connections: List[int]


def load(options: Options) -> Settings:
    url = os.environ.get("DATABASE_URL", "")
    if url:
        require_reachable(url)
    workers = int(options["threads"])
    share, left = divmod(int(options["connections"]), workers)
    return Settings(url, [max(1, share + (n < left)) for n in range(workers)])


def work(settings: Settings, listening: socket.socket, ready: Callable[[], None], n: int) -> None:
    # While uvicorn serves, it has its own handler. When it has ended, it raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: None)
    database = Database(settings.url, settings.connections[n]) if settings.url else None
    config = uvicorn.Config(
        application(database, ready),
        access_log=False,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_LIMIT_S,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listening])
    if not server.started:
        sys.exit(1)  # uvicorn has printed the reason


if __name__ == "__main__":
    serve("techempower", load, work, tier="fastapi", processes=True)
