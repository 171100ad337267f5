"""The little HTTP server that the services beside it are made of: GET, HTTP/1.1, kept alive."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from contextlib import suppress

HELLO = b"hello"

# What is to be answered to a path: a whole response, as `response` makes it.
Answer = Callable[[str], Awaitable[bytes]]


def response(body: bytes = HELLO, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def serve(port: int, answer: Answer, host: str = "127.0.0.1") -> None:
    """Answers on a port until the process is ended."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(await answer(head.split(b" ", 2)[1].decode()))
                await writer.drain()
        writer.close()

    async def listen() -> None:
        server = await asyncio.start_server(connection, host, port)
        await server.serve_forever()

    # The usual selector rounds what is slept up to whole milliseconds; this one does not.
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    loop.run_until_complete(listen())
