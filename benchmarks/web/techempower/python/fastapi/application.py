"""The application that answers requests."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import AsyncIterator, Callable, Dict, List, Optional

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, PlainTextResponse

from web.techempower.python.fastapi.database import Database, World
from web.techempower.python.fastapi.fortunes import render

GREETING = "Hello, World!"
MOST_QUERIES = 500


def application(database: Optional[Database], ready: Callable[[], None]) -> FastAPI:
    """Makes the application. `ready` is called when its database is open, or immediately if it has
    none."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if database is not None:
            await database.open()
        ready()
        yield
        if database is not None:
            await database.close()

    app = FastAPI(lifespan=lifespan, openapi_url=None)

    @app.get("/plaintext", response_class=PlainTextResponse)
    async def plaintext() -> str:
        return GREETING

    @app.get("/json")
    async def greeting() -> Dict[str, str]:
        return {"message": GREETING}

    if database is not None:
        add_database_routes(app, database)
    return app


def add_database_routes(app: FastAPI, database: Database) -> None:
    """Adds the routes of the tests that read or write tables."""

    @app.get("/db")
    async def single() -> World:
        return await database.random()

    @app.get("/queries")
    async def multiple(queries: str = "") -> List[World]:
        return await database.rows(count(queries))

    @app.get("/updates")
    async def updates(queries: str = "") -> List[World]:
        return await database.update(count(queries))

    @app.get("/fortunes", response_class=HTMLResponse)
    async def fortunes() -> str:
        return render(await database.fortunes())


def count(text: str) -> int:
    """The number of queries that a text states."""
    try:
        return max(1, min(int(text), MOST_QUERIES))
    except ValueError:
        return 1
