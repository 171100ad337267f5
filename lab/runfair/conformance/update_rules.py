"""The rules of the test that reads rows of World, changes them and writes them back."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from runfair.conformance.row_rules import (
    ROWS,
    asked,
    counts_clamped,
    own_syncs,
    rows_of,
    table,
)
from runfair.conformance.rule import Rule, Service, require

# Two requests for 500 of 10,000 rows have 25 rows in common on average.
_CLIENTS, _REQUESTS, _COUNT = 4, 3, 500


def update_rules(path: str) -> list[Rule]:
    """The rules of the test updates, except those of HTTP."""
    twenty = f"{path}?queries=20"
    return [
        Rule("query counts", lambda service: counts_clamped(service, path)),
        Rule("written to the table", lambda service: _written(service, twenty)),
        Rule("one query a row", lambda service: _read_first(service, twenty)),
        Rule("a Sync for each query", lambda service: own_syncs(service, twenty)),
        Rule(
            "concurrent updates", lambda service: _concurrent(service, f"{path}?queries={_COUNT}")
        ),
    ]


def _written(service: Service, path: str) -> None:
    """Checks that the answered rows are in the table, and that they differ from the earlier
    rows.
    """
    before = table(service)
    rows = asked(service, path, 1, 20)
    after = table(service)
    require(
        len(after) == len(before),
        (
            f"the table had {len(before)} rows before the request, and has {len(after)} rows "
            "after it"
        ),
    )
    answered = Counter(row["id"] for row in rows)
    for row in rows:
        here = after.get(row["id"])
        # If a row was drawn twice, either of its numbers may have been written last.
        require(
            answered[row["id"]] > 1 or here == row["randomNumber"],
            f"row {row['id']} of the table contains {here}, but the service answered "
            f"{row['randomNumber']}",
        )
    changed = sum(before[number] != after[number] for number in before)
    require(
        changed <= len(answered),
        (f"{changed} rows of the table changed, but the answers contained {len(answered)} rows"),
    )
    # One in 10,000 new numbers equals the old one.
    require(
        changed >= len(answered) - 2,
        (f"only {changed} of the {len(answered)} answered rows changed in the database"),
    )


def _read_first(service: Service, path: str) -> None:
    """Checks that each row is read by a separate SELECT and is written. A statement may write
    several rows.
    """
    _, tap = service.database()
    requests, count = 3, 20
    tap.forget()
    rows = asked(service, path, requests, count)
    seen = tap.seen
    selects = seen.queries_of("SELECT")
    several = [one.rows_sent for one in selects if one.rows_sent > 1]
    require(not several, f"a SELECT returned {max(several, default=0)} rows")
    useful = sum(one.rows_sent == 1 for one in selects)
    require(
        useful >= requests * count,
        (
            f"each row needs its own SELECT, but the database received {useful} SELECTs for "
            f"{requests * count} rows"
        ),
    )
    written = sum(one.rows for one in seen.queries_of("UPDATE"))
    fewest = requests * count - 2 * (requests * count - len({row["id"] for row in rows}))
    require(
        written >= fewest,
        (
            f"the service answered {requests * count} rows, but wrote only {written} rows to the "
            "database"
        ),
    )


def _concurrent(service: Service, path: str) -> None:
    """Checks concurrent clients: every answer must be right, and the database must not report a
    deadlock."""
    query, _ = service.database()
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    before = query(deadlocks)

    def client(_: int) -> None:
        with service.connection() as connection:
            for _ in range(_REQUESTS):
                rows_of(connection.get(path), _COUNT)

    with ThreadPoolExecutor(_CLIENTS) as clients:
        list(clients.map(client, range(_CLIENTS)))
    after = query(deadlocks)
    require(
        before == after,
        (
            f"the database counted {before[0][0]} deadlocks before the requests, and {after[0][0]} "
            "after them"
        ),
    )
    outside = query(f"SELECT count(*) FROM world WHERE randomnumber NOT BETWEEN 1 AND {ROWS}")
    require(
        outside[0][0] == "0",
        (f"{outside[0][0]} random numbers in the database are outside the range from 1 to {ROWS}"),
    )
