"""The orders of the database, through a pool of connections."""

from __future__ import annotations

from typing import Optional

from psycopg import AsyncConnection, Error, connect
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from harness.python.harness import UsageError, quoted
from services.payments.python.fastapi import libpq
from services.payments.python.fastapi.messages import Order

QUERY = "SELECT id, customer, status, amount, note FROM orders WHERE id = %s"


def require_reachable(url: str) -> None:
    """Raises UsageError if the database cannot be reached. A pool would retry for ever, and uvicorn
    would print a traceback."""
    libpq.adapt()
    try:
        connect(url).close()
    except Error as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"DATABASE_URL cannot be reached: {quoted(reason)}") from error


class Orders:
    """A pool of connections to a database that can be reached."""

    def __init__(self, url: str, connections: int) -> None:
        self._pool = AsyncConnectionPool[AsyncConnection[DictRow]](
            url,
            min_size=connections,
            max_size=connections,
            # Otherwise each query would be wrapped in a transaction, which needs two more
            # statements.
            kwargs={"autocommit": True, "row_factory": dict_row},
            open=False,
        )

    async def open(self) -> None:
        await self._pool.open(wait=True)

    async def close(self) -> None:
        await self._pool.close()

    async def find(self, number: int) -> Optional[Order]:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(QUERY, (number,), prepare=True)
            row = await cursor.fetchone()
        return Order(**row) if row else None
