"""A loop whose number of dispatches is known. The loop confirms the result of the search before
this result is used."""

import time

SHORT, LONG = 1_000, 3_000
TIMINGS = 15
MOST_OF_AN_ITERATION = 12
MOST_AROUND = 16


def loop(times):
    total = 0
    for number in range(times):
        total += number
    return total


def counted_right(counts_of, names):
    """Whether the probe counts the known loop correctly. `counts_of(call)` calls a function under
    the probe and returns 256 counts. The loop is run with two lengths. The differences of the
    counts must fit the difference of iterations, for each opcode."""
    for _ in range(100):
        loop(50)  # by then the loop is specialised, and stays so
    few, many = counts_of(short), counts_of(long)
    more = LONG - SHORT
    grown = {
        name: after - before
        for name, before, after in zip(names, few, many, strict=True)
        if name is not None and after != before
    }
    # While the loop runs, the code around it becomes specialised.
    exact = {name: count for name, count in grown.items() if abs(count) > MOST_AROUND}
    return (
        all(count % more == 0 for count in exact.values())
        and more == _of(exact, "FOR_ITER")
        and more in (_of(exact, "INPLACE_ADD"), _of(exact, "BINARY_OP"))
        and sum(exact.values()) <= more * MOST_OF_AN_ITERATION
    )


def short():
    loop(SHORT)


def long():
    loop(LONG)


def shortest_ns():
    """The shortest time of the long loop. The shortest is used because disturbances only make the
    loop slower."""
    found = []
    for _ in range(TIMINGS):
        before_ns = time.perf_counter_ns()
        long()
        found.append(time.perf_counter_ns() - before_ns)
    return min(found)


def _of(grown, family):
    return sum(count for name, count in grown.items() if name.startswith(family))
