"""A small HTTP server in a thread of its own, for loads of a few hundred requests a second."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


@dataclass
class Server:
    """Answers every request the same; counts them."""

    url: str = ""
    requests: int = 0
    _ready: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/hello"
        self._ready.set()
        async with server:
            await server.serve_forever()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await reader.readuntil(b"\r\n\r\n")
                    self.requests += 1
                    writer.write(ANSWER)
                    await writer.drain()
        finally:
            writer.transport.abort()  # closed at once, whatever is unsent

    def run(self) -> None:
        task = self._loop.create_task(self._serve())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(task)
        self._loop.run_until_complete(self._close())
        self._loop.close()

    async def _close(self) -> None:
        """Connections end with their tasks, and their sockets in the loop's next round."""
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*rest, return_exceptions=True)
        await asyncio.sleep(0)

    def stop(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            self._loop.call_soon_threadsafe(task.cancel)


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert server._ready.wait(10)
        yield server
    finally:
        server.stop()
        thread.join()
