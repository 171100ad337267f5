"""The service `payments` on FastAPI and uvicorn: benchmarks/services/payments/contract.md."""

from __future__ import annotations

import signal
import sys
from typing import Callable, Mapping

import uvicorn

from harness.python.harness import Options, UsageError, integer, quoted, read_input
from harness.python.service import Service, Worker, serve
from services.payments.python.fastapi.application import application
from services.payments.python.fastapi.data import Data
from services.payments.python.fastapi.orders import Orders

MOST_CONNECTIONS = 1000
# As behind any load balancer, longer than its clients keep a connection; uvicorn's own is 5.
KEEP_ALIVE_S = 75
STOP_LIMIT_S = 4  # the contract's 5, less what ending the process takes


def load(options: Options, parameters: Mapping[str, str]) -> Data:
    connections(parameters)
    path = options.inputs[0]
    try:
        return Data.parse(read_input(path))
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"--input {quoted(path)} is not the payments.json of the generator"
        ) from error


def connections(parameters: Mapping[str, str]) -> int:
    return integer(parameters["connections"], 1, MOST_CONNECTIONS, "--param connections")


def work(data: Data, worker: Worker, ready: Callable[[], None]) -> None:
    # uvicorn has its own handler while it serves; when it is done it raises the signal once more.
    signal.signal(signal.SIGTERM, lambda *_: None)
    url = worker.parameters["database"]
    orders = Orders(url, worker.share(connections(worker.parameters))) if url else None
    config = uvicorn.Config(
        application(data, orders, ready),
        access_log=False,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_LIMIT_S,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[worker.listening])
    if not server.started:
        sys.exit(1)  # it has said why


if __name__ == "__main__":
    serve(
        Service(
            name="payments",
            tier="fastapi",
            workloads=("pay", "route", "order"),
            parameters={"database": "", "connections": "16"},
            inputs=1,
            load=load,
            work=work,
        )
    )
