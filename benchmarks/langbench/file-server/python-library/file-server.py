"""Static files by http.server, a thread a connection: langbench/file-server/contract.md."""

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
    # Head and body are two writes: the second would wait for a delayed acknowledgement (40 ms).
    disable_nagle_algorithm = True

    def log_message(self, format: str, *_: Any) -> None:
        """Say nothing of requests."""


class Server(ThreadingHTTPServer):
    """On a socket that listens already."""

    def __init__(self, listening: socket.socket, folder: str) -> None:
        handler = partial(Handler, directory=folder)
        super().__init__(listening.getsockname(), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening

    def handle_error(self, *_: Any) -> None:
        """A client that leaves is no error of the server's."""


def work(folder: str, listening: socket.socket, ready: Callable[[], None], _number: int) -> None:
    # Blocked in this thread and those that it starts, so that it comes to sigwait alone.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    allow_open_files()
    server = Server(listening, folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ready()
    signal.sigwait([signal.SIGTERM])
    server.shutdown()


if __name__ == "__main__":
    serve("file-server", load, work, tier="library")
