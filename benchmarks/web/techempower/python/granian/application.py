"""The RSGI application that answers requests."""

from __future__ import annotations

import json
from asyncio import AbstractEventLoop
from typing import Any, Awaitable, Callable, Dict, Optional
from urllib.parse import parse_qs

from granian.rsgi import HTTPProtocol, Scope

from web.techempower.python.domain.database import Database, described
from web.techempower.python.domain.fortunes import render
from web.techempower.python.domain.queries import count
from web.techempower.python.domain.service import GREETING

TEXT = [("content-type", "text/plain")]
JSON = [("content-type", "application/json")]
HTML = [("content-type", "text/html; charset=utf-8")]

Handler = Callable[[Scope, HTTPProtocol], Awaitable[None]]


class Application:
    """The application of a worker process. `ready` is called when its database is open, or
    immediately if it has none."""

    def __init__(self, database: Optional[Database], ready: Callable[[], None]) -> None:
        self._database = database
        self._ready = ready
        self._handlers: Dict[str, Handler] = {"/plaintext": plaintext, "/json": greeting}
        if database is not None:
            self._handlers.update(database_handlers(database))

    def __rsgi_init__(self, loop: AbstractEventLoop) -> None:
        if self._database is not None:
            loop.run_until_complete(self._database.open())
        self._ready()

    def __rsgi_del__(self, loop: AbstractEventLoop) -> None:
        if self._database is not None:
            loop.run_until_complete(self._database.close())

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        await self._handlers.get(scope.path, unknown)(scope, protocol)


async def plaintext(_: Scope, protocol: HTTPProtocol) -> None:
    protocol.response_str(200, TEXT, GREETING)


async def greeting(_: Scope, protocol: HTTPProtocol) -> None:
    send_json(protocol, {"message": GREETING})


async def unknown(_: Scope, protocol: HTTPProtocol) -> None:
    protocol.response_str(404, TEXT, "no such path")


def database_handlers(database: Database) -> Dict[str, Handler]:
    """The handlers of the tests that read or write tables."""

    async def single(_: Scope, protocol: HTTPProtocol) -> None:
        send_json(protocol, described(await database.random()))

    async def multiple(scope: Scope, protocol: HTTPProtocol) -> None:
        send_json(protocol, [described(row) for row in await database.rows(queries(scope))])

    async def updates(scope: Scope, protocol: HTTPProtocol) -> None:
        send_json(protocol, [described(row) for row in await database.update(queries(scope))])

    async def fortunes(_: Scope, protocol: HTTPProtocol) -> None:
        protocol.response_str(200, HTML, render(await database.fortunes()))

    return {"/db": single, "/queries": multiple, "/updates": updates, "/fortunes": fortunes}


def queries(scope: Scope) -> int:
    """The number of queries that a request states."""
    return count(parse_qs(scope.query_string).get("queries", [""])[0])


def send_json(protocol: HTTPProtocol, value: Any) -> None:
    protocol.response_str(200, JSON, json.dumps(value, separators=(",", ":")))
