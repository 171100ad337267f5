"""The application that answers requests."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import AsyncIterator, Callable, Dict, List, Optional

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic import BaseModel

from web.techempower.python.domain.database import Database
from web.techempower.python.domain.database import World as Row
from web.techempower.python.domain.fortunes import render
from web.techempower.python.domain.queries import count
from web.techempower.python.domain.service import GREETING


class World(BaseModel):
    """A row of the table, as a response has it."""

    id: int
    randomNumber: int  # noqa: N815 - the answer's key


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
        return world(await database.random())

    @app.get("/queries")
    async def multiple(queries: str = "") -> List[World]:
        return [world(row) for row in await database.rows(count(queries))]

    @app.get("/updates")
    async def updates(queries: str = "") -> List[World]:
        return [world(row) for row in await database.update(count(queries))]

    @app.get("/fortunes", response_class=HTMLResponse)
    async def fortunes() -> str:
        return render(await database.fortunes())


def world(row: Row) -> World:
    return World(id=row[0], randomNumber=row[1])
