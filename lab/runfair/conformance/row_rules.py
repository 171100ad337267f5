"""The rules of the tests that read rows of the table World (single-query and multiple-queries), and
of the test that also changes the rows and writes them back (updates)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from runfair.conformance.rule import (
    Answer,
    Broken,
    Rule,
    Service,
    answers_at_once,
    json_of,
    require,
)
from runfair.conformance.statement_tap import Seen, values
from runfair.conformance.sync_rule import sync_rule

ROWS = 10_000
# The number of rows for each query; the contract prescribes the meaning of a missing, empty,
# malformed or excessive count.
COUNTS = {"": 1, "?queries=": 1, "?queries=foo": 1, "?queries=0": 1, "?queries=-3": 1} | {
    "?queries=20x": 1,
    "?queries=2_0": 1,
    "?queries=%2B20": 1,
    "?queries=2": 2,
    "?first=3&queries=20": 20,
    "?queries=20": 20,
    "?queries=500": 500,
    "?queries=501": 500,
    "?queries=99999999999999999999": 500,
}
# The number of rows that are requested before the table changes, and again after it. If a service
# caches rows by id, it then returns outdated rows: about one row in 20 is requested a second time.
# Of 500 ids drawn from 10,000, 488 are different on average. That none of them is in a given tenth
# of the ids has a chance of 1 in 10^22.
_ASKED_ROWS, _FEWEST_IDS, _TENTH = 500, 460, ROWS // 10

World = dict[str, int]


def row_of(value: Any) -> World:
    """A JSON value as a row of World. Raises Broken."""
    require(isinstance(value, dict), f"a row must be a JSON object, but it is {value!r:.80}")
    names = list(value)
    require(
        names == ["id", "randomNumber"],
        f"a row must have the keys id and randomNumber, but it has the keys {names}",
    )
    for name in names:
        number = value[name]
        whole = isinstance(number, int) and not isinstance(number, bool)
        require(
            whole and 1 <= number <= ROWS,
            f"the value of {name} must be an integer from 1 to {ROWS}, but it is {number!r}",
        )
    return {name: value[name] for name in names}


def rows_of(answer: Answer, count: int) -> list[World]:
    """An answer's array of `count` rows. Raises Broken if the answer is not an array of `count`
    rows."""
    value = json_of(answer)
    require(isinstance(value, list), f"the answer must be a JSON array, but it is {value!r:.80}")
    require(len(value) == count, f"the answer has {len(value)} rows, but it must have {count}")
    return [row_of(each) for each in value]


def right_row(answer: Answer) -> None:
    """Raises Broken if the answer is not a single row."""
    row_of(json_of(answer))


def single_query_rules(path: str) -> list[Rule]:
    """The rules of the test single-query, except those of HTTP."""
    return [
        Rule("rows of the table", lambda service: _of_the_table(service, path, 1)),
        Rule("one query a row", lambda service: _one_query_a_row(service, path, 1)),
        sync_rule(path),
    ]


def multiple_query_rules(path: str) -> list[Rule]:
    """The rules of the test multiple-queries, except those of HTTP."""
    twenty = f"{path}?queries=20"
    return [
        Rule("query counts", lambda service: counts_clamped(service, path)),
        Rule("rows of the table", lambda service: _of_the_table(service, twenty, 20)),
        Rule("one query a row", lambda service: _one_query_a_row(service, twenty, 20)),
        sync_rule(twenty),
    ]


def counts_clamped(service: Service, path: str) -> None:
    """Checks the number of rows for every way to state the count."""
    with service.connection() as connection:
        for query, count in COUNTS.items():
            try:
                rows_of(connection.get(f"{path}{query}"), count)
            except Broken as seen:
                raise Broken(f"with the query string {query or '(none)'}: {seen}") from None


def asked(service: Service, path: str, requests: int, count: int) -> list[World]:
    """The rows of several answers, one after another. If `count` is 1, an answer may be a row
    without an array.
    """
    found: list[World] = []
    with service.connection() as connection:
        for _ in range(requests):
            found += _rows_in(connection.get(path), count)
    return found


def _asked_at_once(service: Service, path: str, count: int) -> list[World]:
    """The rows of the answers to concurrent requests, as `asked`."""
    answers = answers_at_once(service, path)
    return [row for answer in answers for row in _rows_in(answer, count)]


def _rows_in(answer: Answer, count: int) -> list[World]:
    value = json_of(answer)
    alone = count == 1 and isinstance(value, dict)
    return [row_of(value)] if alone else rows_of(answer, count)


def table(service: Service) -> dict[int, int]:
    """The table World: a dictionary from ids to random numbers."""
    query, _ = service.database()
    rows = query("SELECT id, randomnumber FROM world")
    return {int(number or 0): int(value or 0) for number, value in rows}


def _of_the_table(service: Service, path: str, count: int) -> None:
    """Checks that answers follow the table when it changes, and that their ids are random."""
    query, _ = service.database()
    requests = _ASKED_ROWS // count
    for change in (False, True):
        if change:
            query(f"UPDATE world SET randomnumber = randomnumber % {ROWS} + 1")
        rows, truth = asked(service, path, requests, count), table(service)
        for row in rows:
            here = truth.get(row["id"])
            after = " after the table was changed" if change else ""
            require(
                here == row["randomNumber"],
                f"row {row['id']} of the table contains {here}, but the service answered "
                f"{row['randomNumber']}{after}",
            )
        ids = {row["id"] for row in rows}
        require(
            len(ids) >= _FEWEST_IDS,
            (
                f"the service must choose random rows, but of {len(rows)} rows that it chose, "
                f"only {len(ids)} are different"
            ),
        )
        least, greatest = min(ids), max(ids)
        require(
            least <= _TENTH and greatest > ROWS - _TENTH,
            f"the service must choose ids from 1 to {ROWS}, but of {len(rows)} ids that it chose, "
            f"the least is {least} and the greatest is {greatest}",
        )


def _one_query_a_row(service: Service, path: str, count: int) -> None:
    """Checks that each row is read by a separate SELECT."""
    _, tap = service.database()
    tap.forget()
    rows = _asked_at_once(service, path, count)
    _require_own_selects(tap.seen, [(row["id"], row["randomNumber"]) for row in rows])


def _require_own_selects(seen: Seen, answered: Sequence[tuple[int, ...]]) -> None:
    """Requires a SELECT for each answered row that returned nothing but this row. `answered` has
    the first columns of the rows."""
    selects = seen.queries_of("SELECT")
    several = [one.rows_sent for one in selects if one.rows_sent > 1]
    require(
        not several,
        f"each row needs its own SELECT, but one SELECT returned {max(several, default=0)} rows",
    )
    width = len(answered[0])
    sent = Counter(_numbers(one.sent[0])[:width] for one in selects if one.rows_sent == 1)
    missing = Counter(answered) - sent
    require(
        not missing,
        (
            "each row needs its own SELECT, which returns its id and its random number, but for "
            f"{missing.total()} of {len(answered)} rows the database returned no such row"
        ),
    )


def _numbers(row: bytes) -> tuple[int, ...]:
    """The values of a DataRow message as numbers. An int4 is sent as text or in binary."""
    return tuple(
        int(value) if value.isdigit() else int.from_bytes(value, "big") for value in values(row)
    )


# Two requests for 500 of 10,000 rows have 25 rows in common on average.
_CLIENTS, _REQUESTS, _COUNT = 4, 3, 500
# A response that does not wait for the lock needs milliseconds, or 0.2 s on a very busy machine.
_LOCKED_S, _LOCK_LOOK_S = 1.0, 0.01


def update_rules(path: str) -> list[Rule]:
    """The rules of the test updates, except those of HTTP."""
    twenty = f"{path}?queries=20"
    return [
        Rule("query counts", lambda service: counts_clamped(service, path)),
        Rule("written to the table", lambda service: _written(service, twenty)),
        Rule("one query a row", lambda service: _read_first(service, twenty)),
        sync_rule(twenty),
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
        f"the requests changed the number of rows in the table from {len(before)} to {len(after)}",
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
        (
            f"the requests changed {changed} rows of the table, but the service's answers "
            f"contained only {len(answered)} rows"
        ),
    )
    # One in 10,000 new numbers equals the old one.
    require(
        changed >= len(answered) - 2,
        (
            f"the service's answers contain {len(answered)} changed rows, but only {changed} rows "
            "changed in the database"
        ),
    )
    _require_written_first(service, path)


def _require_written_first(service: Service, path: str) -> None:
    """Requires that a response arrives only after its rows are written: not while a lock holds up
    every UPDATE. Reading is not held up."""
    query, _ = service.database()
    hold = f"BEGIN; LOCK TABLE world IN EXCLUSIVE MODE; SELECT pg_sleep({_LOCKED_S}); COMMIT"
    with ThreadPoolExecutor(1) as other, service.connection() as connection:
        lock = other.submit(query, hold)
        while not _is_locked(service) and not lock.done():
            time.sleep(_LOCK_LOOK_S)
        rows_of(connection.get(path), 20)
        # If the response waited for the lock, the lock is gone now, however busy the machine is.
        require(
            not _is_locked(service),
            "the service must respond after its rows are written, but it responded while its "
            "UPDATE waited for a lock",
        )
        lock.result()


def _is_locked(service: Service) -> bool:
    query, _ = service.database()
    held = "locktype = 'relation' AND relation = 'world'::regclass AND mode = 'ExclusiveLock'"
    return query(f"SELECT count(*) FROM pg_locks WHERE {held} AND granted") != [("0",)]


def _read_first(service: Service, path: str) -> None:
    """Checks that each row is read by a separate SELECT and is written. A statement may write
    several rows of the same request.
    """
    _, tap = service.database()
    count = 20
    tap.forget()
    rows = _asked_at_once(service, path, count)
    seen = tap.seen
    _require_own_selects(seen, [(row["id"],) for row in rows])
    updates, requests = seen.queries_of("UPDATE"), len(rows) // count
    require(
        len(updates) >= requests,
        (
            "each request needs its own UPDATE, but the database received "
            f"{len(updates)} UPDATEs for {requests} requests"
        ),
    )
    written = sum(one.rows for one in updates)
    fewest = len(rows) - 2 * (len(rows) - len({row["id"] for row in rows}))
    require(
        written >= fewest,
        (
            f"the service's answers contain {len(rows)} updated rows, but the service "
            f"wrote only {written} rows to the database"
        ),
    )


def _concurrent(service: Service, path: str) -> None:
    """Checks concurrent clients: every answer must be right, its rows must be in the table, and the
    database must not report a deadlock."""
    query, _ = service.database()
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    before = query(deadlocks)

    def client(_: int) -> list[World]:
        return asked(service, path, _REQUESTS, _COUNT)

    with ThreadPoolExecutor(_CLIENTS) as clients:
        rows = [row for mine in clients.map(client, range(_CLIENTS)) for row in mine]
    after = query(deadlocks)
    require(
        before == after,
        (
            "concurrent requests must not cause a deadlock in the database, but the database's "
            f"count of deadlocks rose from {before[0][0]} to {after[0][0]}"
        ),
    )
    # If a row was drawn twice, either of its numbers may have been written last.
    times, now = Counter(row["id"] for row in rows), table(service)
    once = [row for row in rows if times[row["id"]] == 1]
    lost = sum(now.get(row["id"]) != row["randomNumber"] for row in once)
    require(
        lost == 0,
        f"of {len(once)} rows in the responses to concurrent requests, {lost} are not in the table",
    )
    outside = query(f"SELECT count(*) FROM world WHERE randomnumber NOT BETWEEN 1 AND {ROWS}")
    require(
        outside[0][0] == "0",
        f"{outside[0][0]} random numbers in the database are outside the range from 1 to {ROWS}",
    )
