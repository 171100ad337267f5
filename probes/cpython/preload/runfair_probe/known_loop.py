"""A loop whose dispatches are known, to confirm what the search found before it is trusted."""

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
    """`counts_of(call)` calls it under the probe and returns 256 counts. Of two lengths of the loop
    the differences must be those of the iterations, opcode by opcode."""
    for _ in range(100):
        loop(50)  # until it is specialised and stays so
    few, many = counts_of(short), counts_of(long)
    more = LONG - SHORT
    grown = {
        name: after - before
        for name, before, after in zip(names, few, many, strict=True)
        if name is not None and after != before
    }
    # The code around the loop becomes specialised meanwhile.
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
    """Of the long loop: what disturbs it only makes it longer."""
    found = []
    for _ in range(TIMINGS):
        before_ns = time.perf_counter_ns()
        long()
        found.append(time.perf_counter_ns() - before_ns)
    return min(found)


def _of(grown, family):
    return sum(count for name, count in grown.items() if name.startswith(family))
