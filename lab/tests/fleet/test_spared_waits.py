"""The waits that a free connection of another host could have spared."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from runfair.fleet.spared_waits import Pool, first_free

Row = tuple[int, int, int]


def pool(*rows: Row, room: int = 1, uncertainty_ns: int = 0) -> Pool:
    """The requests of a host: when each was due, free to be sent, and done."""
    due, free, done = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Pool(due, free, done, room, uncertainty_ns)


def found(*pools: Pool) -> list[list[int]]:
    return [free.tolist() for free in first_free(pools)]


def test_an_idle_host_spares_the_whole_wait() -> None:
    waiting = pool((0, 0, 100), (10, 100, 150))
    assert found(waiting, pool((200, 200, 210))) == [[0, 10], [200]]


def test_a_busy_host_spares_a_wait_from_its_first_free_instant() -> None:
    waiting = pool((0, 0, 100), (10, 100, 150))
    assert found(waiting, pool((5, 5, 60))) == [[0, 60], [5]]
    assert found(waiting, pool((5, 5, 60), room=2)) == [[0, 10], [5]]


def test_a_host_with_a_request_that_waits_has_no_free_connection() -> None:
    # Between the answer to the first and the sending of the second, the connection is not idle.
    backlog = pool((5, 5, 60), (20, 62, 120))
    assert found(pool((0, 0, 100), (10, 100, 150)), backlog)[0] == [0, 100]


def test_both_clocks_widen_the_times_without_load() -> None:
    waiting = pool((0, 0, 100), (10, 100, 150), uncertainty_ns=3)
    assert found(waiting, pool((5, 5, 60), uncertainty_ns=2))[0] == [0, 55]


def test_a_single_host_keeps_its_waits() -> None:
    assert found(pool((0, 0, 100), (10, 100, 150))) == [[0, 100]]


ROWS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20), st.integers(0, 20)), max_size=20)


@given(ROWS, ROWS, st.integers(1, 3))
def test_the_instant_is_the_first_one_at_which_the_other_host_has_room(
    own: list[Row], other: list[Row], room: int
) -> None:
    def of(rows: list[Row]) -> Pool:
        return pool(*((due, due + wait, due + wait + took) for due, wait, took in rows), room=room)

    one, another = of(own), of(other)

    def has_room(at_ns: int) -> bool:
        under_way = (another.intended_ns <= at_ns) & (at_ns < another.done_ns)
        return int(np.count_nonzero(under_way)) < room

    expected = [
        next((at for at in range(due, free) if has_room(at)), free)
        for due, free in zip(one.intended_ns.tolist(), one.free_ns.tolist(), strict=True)
    ]
    assert found(one, another)[0] == expected
