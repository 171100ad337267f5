"""The application that answers requests."""

from __future__ import annotations

from typing import AsyncIterator, Callable, Optional

from blacksheep import Application, Response, html, json, text

from web.techempower.python.domain.database import Database, described
from web.techempower.python.domain.fortunes import render
from web.techempower.python.domain.queries import count
from web.techempower.python.domain.service import GREETING


def application(database: Optional[Database], ready: Callable[[], None]) -> Application:
    """Makes the application. `ready` is called when its database is open, or immediately if it has
    none."""
    app = Application()

    @app.lifespan
    async def lifespan() -> AsyncIterator[None]:
        if database is not None:
            await database.open()
        ready()
        yield
        if database is not None:
            await database.close()

    @app.router.get("/plaintext")
    async def plaintext() -> Response:
        return text(GREETING)

    @app.router.get("/json")
    async def greeting() -> Response:
        return json({"message": GREETING})

    if database is not None:
        add_database_routes(app, database)
    return app


def add_database_routes(app: Application, database: Database) -> None:
    """Adds the routes of the tests that read or write tables."""

    @app.router.get("/db")
    async def single() -> Response:
        return json(described(await database.random()))

    @app.router.get("/queries")
    async def multiple(queries: str = "") -> Response:
        return json([described(row) for row in await database.rows(count(queries))])

    @app.router.get("/updates")
    async def updates(queries: str = "") -> Response:
        return json([described(row) for row in await database.update(count(queries))])

    @app.router.get("/fortunes")
    async def fortunes() -> Response:
        return html(render(await database.fortunes()))
