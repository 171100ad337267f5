"""A small HTTP server with a thread a connection, for loads of a few hundred requests a second."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class _Connection(socketserver.BaseRequestHandler):
    """One client: each request's end is answered at once."""

    server: Server

    def handle(self) -> None:
        unread = b""
        with suppress(OSError):
            while data := self.request.recv(1 << 16):
                *whole, unread = (unread + data).split(b"\r\n\r\n")
                with self.server.lock:
                    self.server.requests += len(whole)
                self.request.sendall(ANSWER * len(whole))


class Server(socketserver.ThreadingTCPServer):
    """Answers every request the same; counts them."""

    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hello"
        self.requests = 0
        self.lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self.lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def stop(self) -> None:
        """No new connections; those there are end, and their threads with them."""
        self.shutdown()
        with self.lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
