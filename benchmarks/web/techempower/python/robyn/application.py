"""The application that answers requests."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional

from robyn import Config, Headers, Request, Response, Robyn

from web.techempower.python.domain.database import Database, described
from web.techempower.python.domain.fortunes import render
from web.techempower.python.domain.queries import count
from web.techempower.python.domain.service import GREETING

HTML = Headers({"Content-Type": "text/html; charset=utf-8"})


def application(database: Optional[Database], ready: Callable[[], None]) -> Robyn:
    """Makes the application. `ready` is called when its database is open, or immediately if it has
    none."""
    config = Config()
    config.log_level = "WARN"
    config.disable_openapi = True
    app = Robyn(__file__, config)
    app.set_response_header("Server", "robyn")

    @app.startup_handler
    async def start() -> None:
        if database is not None:
            await database.open()
        ready()

    @app.shutdown_handler
    async def stop() -> None:
        if database is not None:
            await database.close()

    @app.get("/plaintext")
    async def plaintext() -> str:
        return GREETING

    @app.get("/json")
    async def greeting() -> Dict[str, str]:
        return {"message": GREETING}

    if database is not None:
        add_database_routes(app, database)
    return app


def add_database_routes(app: Robyn, database: Database) -> None:
    """Adds the routes of the tests that read or write tables."""

    @app.get("/db")
    async def single() -> Dict[str, int]:
        return described(await database.random())

    @app.get("/queries")
    async def multiple(request: Request) -> List[Dict[str, int]]:
        return [described(row) for row in await database.rows(queries(request))]

    @app.get("/updates")
    async def updates(request: Request) -> List[Dict[str, int]]:
        return [described(row) for row in await database.update(queries(request))]

    @app.get("/fortunes")
    async def fortunes() -> Response:
        return Response(200, HTML, render(await database.fortunes()))


def queries(request: Request) -> int:
    """The number of queries that a request states."""
    return count(request.query_params.get("queries", ""))
