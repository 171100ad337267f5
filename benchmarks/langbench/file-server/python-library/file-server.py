"""Static files by http.server, with a thread for each connection:
langbench/file-server/contract.md."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harness.services.python.service import serve

from ..python.server import allow_open_files, load


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are written separately. Without TCP_NODELAY the body would wait for a delayed
    # acknowledgement (40 ms).
    disable_nagle_algorithm = True

    def log_message(self, format: str, *_: Any) -> None:
        """Print nothing about requests."""


class Server(ThreadingHTTPServer):
    """A server for a socket that already listens."""

    def __init__(self, listening: socket.socket, folder: str) -> None:
        handler = partial(Handler, directory=folder)
        super().__init__(listening.getsockname(), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening

    def handle_error(self, *_: Any) -> None:
        """If a client leaves, this is not an error of the server."""


def work(folder: str, listening: socket.socket, ready: Callable[[], None], _number: int) -> None:
    # The signal is blocked in this thread and all threads that it starts, so that only sigwait
    # receives it.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    allow_open_files()
    server = Server(listening, folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ready()
    signal.sigwait([signal.SIGTERM])
    server.shutdown()


if __name__ == "__main__":
    serve("file-server", load, work, tier="library")
