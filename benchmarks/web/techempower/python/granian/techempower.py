"""The web tests on Granian: benchmarks/web/techempower/contract.md."""

from __future__ import annotations

import socket
import time
from functools import partial
from multiprocessing import SimpleQueue, set_start_method
from threading import Thread
from typing import Any, Callable

from granian import Granian
from granian.http import HTTP1Settings

from harness.services.python.service import serve
from web.techempower.python.domain.database import Database
from web.techempower.python.domain.service import KEEP_ALIVE_S, STOP_LIMIT_S, Settings, load
from web.techempower.python.granian.application import Application

POLL_S = 0.005


def work(settings: Settings, listening: socket.socket, ready: Callable[[], None], _: int) -> None:
    """Runs Granian, which starts the worker processes itself."""
    address: Any = listening.getsockname()
    listening.close()  # each worker process listens on the address for itself
    set_start_method("fork")  # the worker processes inherit the function that makes the application
    shares: SimpleQueue[int] = SimpleQueue()
    opened: SimpleQueue[None] = SimpleQueue()
    for share in settings.connections:
        shares.put(share)

    def application() -> Application:
        share = shares.get()
        database = Database(settings.url, share) if settings.url else None
        return Application(database, partial(opened.put, None))

    def wait() -> None:
        for _ in settings.connections:
            opened.get()
        while not reachable(address):
            time.sleep(POLL_S)
        ready()

    Thread(target=wait, daemon=True).start()
    Granian(
        "techempower",  # a name only: the application is made by the function below
        address=address[0],
        port=address[1],
        workers=len(settings.connections),
        workers_kill_timeout=STOP_LIMIT_S,
        http1_settings=HTTP1Settings(header_read_timeout=KEEP_ALIVE_S * 1000),
        websockets=False,
        log_enabled=False,
    ).serve(target_loader=application, wrap_loader=False)


def reachable(address: Any) -> bool:
    try:
        socket.create_connection(address[:2]).close()
    except ConnectionRefusedError:
        return False
    return True


if __name__ == "__main__":
    serve("techempower", load, work, tier="granian")
