"""Processes that survived their program."""

from __future__ import annotations

from evidence.honest_run import honest_run
from evidence.honest_services import FASTIFY, honest_services, on_services, service_cell
from fairness.stories import SMALL, Story
from runfair.fairness.checks.left_behind import check

STORIES = (
    Story("one", lambda run: run.with_launches(SMALL, 1, left_behind=1), "warning"),
    Story(
        "a service that would not end",
        on_services(lambda run: run.with_served(FASTIFY, ignored_stop=True)),
        "limitation",
        service_cell(FASTIFY),
    ),
    Story("services that ended when asked to", on_services(lambda run: run), None),
    Story(
        "children that ended",
        lambda run: run.with_launches(SMALL, processes_started=5),
        None,
        also=frozenset({"foreign_time"}),
    ),
)


def test_all_are_counted() -> None:
    (finding,) = check(honest_run().with_launches(SMALL, 3, left_behind=2).evidence())
    assert finding.values == {"processes": 6}


def test_by_which_signal_it_was_asked_is_told() -> None:
    (finding,) = check(honest_services().with_served(FASTIFY, ignored_stop=True).evidence())
    assert finding.text == (
        "in 6 of 6 executions, the service did not exit after the signal SIGTERM, so runfair "
        "killed it"
    )
