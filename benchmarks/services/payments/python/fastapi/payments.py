"""The service `payments` on FastAPI and uvicorn: benchmarks/services/payments/contract.md."""

from __future__ import annotations

import os
import signal
import socket
import sys
from typing import Callable, List, NamedTuple

import uvicorn

from harness.python.harness import Options, UsageError, quoted, read_input
from harness.services.python.service import serve
from services.payments.python.fastapi.application import application
from services.payments.python.fastapi.data import Data
from services.payments.python.fastapi.orders import Orders, require_reachable

# As behind a load balancer, the time is longer than clients keep an idle connection. uvicorn's
# default is 5.
KEEP_ALIVE_S = 75
STOP_LIMIT_S = 4  # the contract's 5, minus the time for ending the process


class Loaded(NamedTuple):
    """The data that all worker processes share. The URL of the database is empty if there is none.
    `connections` has the number of connections of each worker to the database."""

    data: Data
    database: str
    connections: List[int]


def load(options: Options) -> Loaded:
    path = options["input"]
    try:
        data = Data.parse(read_input(path))
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"input {quoted(path)} is not the payments.json of the generator"
        ) from error
    database = os.environ.get("DATABASE_URL", "")
    if database:
        require_reachable(database)
    workers = int(options["threads"])
    share, left = divmod(int(options["connections"]), workers)
    return Loaded(data, database, [max(1, share + (n < left)) for n in range(workers)])


def work(loaded: Loaded, listening: socket.socket, ready: Callable[[], None], number: int) -> None:
    # While uvicorn serves, it has its own handler. When it has ended, it raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: None)
    orders = None
    if loaded.database:
        orders = Orders(loaded.database, loaded.connections[number])
    config = uvicorn.Config(
        application(loaded.data, orders, ready),
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
    serve("payments", load, work, tier="fastapi", processes=True)
