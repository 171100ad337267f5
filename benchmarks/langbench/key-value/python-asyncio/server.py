"""A server in which each connection is a coroutine on a single event loop."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import signal
import socket
from collections.abc import Callable

from ..python.replies import error
from ..python.requests import RECEIVED_AT_ONCE_BYTES, ProtocolError
from ..python.session import Session
from ..python.statistics import Totals
from ..python.store import Store
from .requests import Requests

BACKLOG = 4096  # Linux's own limit (net.core.somaxconn)
LEAVE_LIMIT_S = 1.0
MANY_BYTES = 65536


class Replies:
    """The answers to a connection. The answers are kept until there are enough, or until the
    connection must wait for its next bytes."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._kept: list[bytes] = []
        self._kept_bytes = 0

    async def add(self, reply: bytes) -> None:
        self._kept.append(reply)
        self._kept_bytes += len(reply)
        if self._kept_bytes >= MANY_BYTES:
            await self.send()

    async def send(self) -> None:
        if self._kept:
            self._writer.write(b"".join(self._kept))
            self._kept.clear()
            self._kept_bytes = 0
            await self._writer.drain()


class Server:
    """Serves the connections of a listening socket from one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._totals = Totals()
        self._connections: dict[asyncio.Task[None], asyncio.StreamReader] = {}

    async def run(self, listening: socket.socket, ready: Callable[[], None]) -> None:
        """Serve until SIGTERM."""
        _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
        terminated = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
        server = await asyncio.start_server(
            self._begin, sock=listening, limit=RECEIVED_AT_ONCE_BYTES, backlog=BACKLOG
        )
        ready()
        await terminated.wait()
        server.close()
        for reader in self._connections.values():
            # Bytes that were already received are still read and answered.
            reader.feed_eof()
        if self._connections:
            # If a client does not read its answers, its connection is closed by the end of the
            # process.
            await asyncio.wait(self._connections, timeout=LEAVE_LIMIT_S)

    def counters(self) -> dict[str, int]:
        return self._totals.sum().counters(self._store.entries())

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections[task] = reader
        task.add_done_callback(self._connections.pop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = Session(self._store, self._totals)
        replies = Replies(writer)
        requests = Requests(reader, replies.send)
        # If the client closes or resets the connection, this is a normal end.
        with contextlib.suppress(EOFError, OSError):
            try:
                while session.open:
                    words = await requests.next()
                    if words:
                        await replies.add(session.answer(words))
            except ProtocolError as mistake:
                await replies.add(error(b"ERR Protocol error: %b" % str(mistake).encode("latin-1")))
            await replies.send()
        session.end()
        writer.close()
