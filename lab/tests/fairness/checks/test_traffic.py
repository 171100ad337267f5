"""Traffic that stands for nothing, and answers that are less than they should be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_services import (
    FASTIFY,
    VERTX,
    honest_services,
    on_loads,
    on_services,
    service_cell,
)
from fairness.stories import Story
from runfair.fairness.checks.traffic import check
from runfair.formats.finding import Severity
from simulated.service_load import Load

CELL = service_cell(FASTIFY)
OTHER = service_cell(VERTX)


def always_the_same(load: Load) -> Load:
    return replace(load, templates=("GET /",))


def answering(size_bytes: int) -> Story:
    severity: Severity | None = "warning" if abs(size_bytes - 1500) > 375 else None
    return Story(
        f"answers of {size_bytes:,} bytes where the baseline's have 1,500",
        on_services(
            lambda run: run.with_loads(
                FASTIFY, lambda one: replace(one, answer_bytes=1500)
            ).with_loads(VERTX, lambda one: replace(one, answer_bytes=size_bytes))
        ),
        severity,
        OTHER,
    )


STORIES = (
    Story("one single request", on_loads(always_the_same), "warning", CELL),
    Story("in one execution alone", on_loads(always_the_same, FASTIFY, 1), "warning", CELL),
    answering(500),
    answering(1120),
    answering(1130),
    answering(1870),
    answering(1880),
    answering(4500),
    Story(
        "a few bytes of headers more",
        on_loads(lambda one: replace(one, answer_bytes=590), VERTX),
        None,
    ),
    Story(
        "two requests",
        on_loads(lambda one: replace(one, templates=("GET /", "GET /about"))),
        None,
    ),
    Story("fields that change", on_services(lambda run: run), None),
)


@pytest.mark.parametrize("size_bytes", [500, 4500])
def test_it_is_the_other_that_differs_from_the_baseline(size_bytes: int) -> None:
    found = list(check(answering(size_bytes).tell(honest_services()).evidence()))
    assert [(one.cell, one.text) for one in found] == [
        (
            OTHER,
            "the services send different amounts of data: an answer of this service has "
            f"{size_bytes:,} bytes on average, and an answer of fastify has 1,500, so "
            "the services do different amounts of work",
        )
    ]
