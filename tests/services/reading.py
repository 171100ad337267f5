"""A service that reads a row for every request: `reading.py PORT [HOST]`, with DATABASE_URL and the
lab's own client of PostgreSQL on PYTHONPATH. Without its database it answers 500."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from runfair.serving.database_address import parse_address
from runfair.serving.postgresql_session import DatabaseSession, ServerError, SessionLost

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve

ADDRESS = parse_address(os.environ["DATABASE_URL"])
LIMIT_S = 1.0


async def read(_path: str) -> bytes:
    try:
        with DatabaseSession(ADDRESS, limit_s=LIMIT_S) as session:
            ((row,),) = session.query("SELECT 'hello'")
    except (ServerError, SessionLost) as error:
        return response(str(error).encode(), "500 Internal Server Error")
    return response((row or "").encode())


if __name__ == "__main__":
    serve(int(sys.argv[1]), read, *sys.argv[2:])
