"""Measurements in which the runtime's own pauses do not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evidence.honest_services import VERTX, honest_services, on_loads, on_services, service_cell
from fairness.stories import Story
from runfair.fairness.checks.omitted_pauses import check
from simulated.requests import MILLISECOND, SECOND, frozen
from simulated.service_load import Load

CELL = service_cell(VERTX)
LONG_NS = 80 * MILLISECOND


def unseen(load: Load) -> Load:
    """Timed from the actual send, on a generator that waits: who was meant to go in a pause went
    after it, and is written down as though nothing had happened."""
    requests = load.requests
    work = np.full(len(requests.kind), 1_500_000, dtype=np.int64)
    return replace(load, requests=frozen(requests.intended_ns, work))


def discarding(load: Load) -> Load:
    """Who met a pause is left out altogether."""
    assert load.pauses_ns is not None
    requests = load.requests
    met = np.zeros(len(requests.kind), dtype=np.bool_)
    for start_ns, end_ns in load.pauses_ns:
        met |= (requests.done_ns > start_ns) & (requests.intended_ns < end_ns)
    return replace(load, requests=requests.chosen(~met))


def stopped_once(load: Load) -> Load:
    """A stop of 80 ms in the middle, which every request waits for."""
    assert load.pauses_ns is not None
    pauses = np.array([[12 * SECOND, 12 * SECOND + LONG_NS]])
    requests = load.requests
    work = np.full(len(requests.kind), 1_500_000, dtype=np.int64)
    return replace(load, requests=frozen(requests.intended_ns, work, pauses), pauses_ns=pauses)


def told_in_the_warm_up(load: Load) -> Load:
    """What was before the steady part is in no figure."""
    return replace(load, pauses_ns=np.array([[100 * MILLISECOND, 200 * MILLISECOND]]))


def short(load: Load) -> Load:
    """Pauses of less than five medians drown in what requests take anyway."""
    assert load.pauses_ns is not None
    pauses = load.pauses_ns.copy()
    pauses[:, 1] = pauses[:, 0] + 5 * MILLISECOND
    return replace(load, pauses_ns=pauses)


# Constant work, steady at once: as the other five executions are not, where one alone is changed.
OTHERWISE = frozenset({"warm_up"})

STORIES = (
    Story("no latency shows them", on_loads(unseen, VERTX), "fault", CELL),
    Story("in one execution alone", on_loads(unseen, VERTX, 1), "fault", CELL, OTHERWISE),
    Story("those who met one are left out", on_loads(discarding, VERTX), "fault", CELL),
    Story(
        "a runtime that tells nothing",
        on_loads(lambda one: replace(one, pauses_ns=None), VERTX),
        "limitation",
        CELL,
    ),
    Story(
        "a line that another thread's output tore",
        on_services(lambda run: run.with_served(VERTX, unread=1)),
        "limitation",
        CELL,
    ),
    Story("a long one that shows", on_loads(stopped_once, VERTX), None),
    Story("told, but before the steady part", on_loads(told_in_the_warm_up, VERTX), None),
    Story("too short to be told", on_loads(lambda one: short(unseen(one)), VERTX), None),
    Story(
        "no pause at all",
        on_loads(
            lambda one: (
                replace(one, pauses_ns=one.pauses_ns[:0]) if one.pauses_ns is not None else one
            ),
            VERTX,
        ),
        None,
    ),
    Story("as they were", on_services(lambda run: run), None),
)


def test_they_are_counted_over_all_executions() -> None:
    (finding,) = check(honest_services().with_loads(VERTX, unseen).evidence())
    assert finding.text == (
        "the latencies leave out 48 of 48 long pauses of the runtime, because these pauses "
        "delayed no request (coordinated omission); the longest of them lasted 15.0 ms"
    )


def test_pauses_that_nobody_met_are_counted_too() -> None:
    (finding,) = check(honest_services().with_loads(VERTX, discarding, 2).evidence())
    assert finding.severity == "fault"
    assert "pauses of the runtime (coordinated omission): at the offered rate" in finding.text


def test_the_longest_pause_of_all_is_told() -> None:
    def longer(load: Load) -> Load:
        assert load.pauses_ns is not None
        pauses = load.pauses_ns.copy()
        pauses[-1, 1] += 6 * MILLISECOND
        return replace(unseen(load), pauses_ns=pauses)

    run = honest_services().with_loads(VERTX, unseen).with_loads(VERTX, longer, 1)
    (finding,) = check(run.evidence())
    assert finding.text.endswith("the longest of them lasted 21.0 ms")


def test_several_processes_are_noted() -> None:
    run = honest_services().evidence()
    (service,) = (one for one in run.services if one.cell.id == CELL)
    first = service.executions[0]
    assert first.pauses is not None
    two = replace(first, pauses=replace(first.pauses, processes=2))
    changed = replace(service, executions=(two, *service.executions[1:]))
    (finding,) = check(replace(run, cells=(changed,)))
    assert finding.severity == "limitation"
    assert finding.text.startswith("the service has several processes")
