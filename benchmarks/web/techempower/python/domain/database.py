"""The tables, through a pool of connections."""

from __future__ import annotations

from random import randint
from typing import Dict, List, NamedTuple, Tuple

from psycopg import AsyncConnection, Error, connect
from psycopg_pool import AsyncConnectionPool

from harness.python.harness import UsageError, quoted

MOST = 10000
READ = "SELECT id, randomnumber FROM world WHERE id = %s"
WRITE = (
    "UPDATE world SET randomnumber = v.r FROM unnest(%s::int[], %s::int[]) v(i, r) WHERE id = v.i"
)
FORTUNES = "SELECT id, message FROM fortune"

World = Tuple[int, int]  # the id and the random number
Connection = AsyncConnection[World]


class Fortune(NamedTuple):
    """A row of the table."""

    id: int
    message: str


def described(row: World) -> Dict[str, int]:
    """A row as an object of JSON."""
    return {"id": row[0], "randomNumber": row[1]}


def require_reachable(url: str) -> None:
    """Raises UsageError if the database cannot be reached. A pool would retry for ever, and servers
    would print a traceback."""
    try:
        connect(url).close()
    except Error as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"DATABASE_URL cannot be reached: {quoted(reason)}") from error


class Database:
    """A pool of connections to a database that can be reached."""

    def __init__(self, url: str, connections: int) -> None:
        self._pool = AsyncConnectionPool[Connection](
            url,
            min_size=connections,
            max_size=connections,
            # Otherwise each query would be wrapped in a transaction, which needs two more
            # statements.
            kwargs={"autocommit": True},
            open=False,
        )

    async def open(self) -> None:
        await self._pool.open(wait=True)

    async def close(self) -> None:
        await self._pool.close()

    async def random(self) -> World:
        async with self._pool.connection() as connection:
            return await _random(connection)

    async def rows(self, count: int) -> List[World]:
        """Reads rows one after another, on one connection."""
        async with self._pool.connection() as connection:
            return [await _random(connection) for _ in range(count)]

    async def update(self, count: int) -> List[World]:
        """Reads rows, changes them, and writes them in the order of their ids. Concurrent updates
        therefore lock rows in the same order."""
        async with self._pool.connection() as connection:
            read = [await _random(connection) for _ in range(count)]
            rows = [(number, randint(1, MOST)) for number, _ in sorted(read)]
            values = ([row[0] for row in rows], [row[1] for row in rows])
            await connection.execute(WRITE, values, prepare=True)
        return rows

    async def fortunes(self) -> List[Fortune]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(FORTUNES, prepare=True)
            return [Fortune(number, str(text)) for number, text in await cursor.fetchall()]


async def _random(connection: Connection) -> World:
    cursor = await connection.execute(READ, (randint(1, MOST),), prepare=True)
    row = await cursor.fetchone()
    assert row is not None, "every id up to 10,000 is there"
    return row
