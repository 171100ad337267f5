"""A conclusion is red only where an answer is."""

from __future__ import annotations

import pytest

from decision.test_answer import beyond
from fairness.runs import GO, Records, cell_id, honest_run
from fairness.service_runs import FASTIFY, honest_services
from report.conclusion.concluded import concluded, one_group
from report.page.hostile import HOSTILE, hostile_programs
from report.page.test_poor_runs import without_executions


@pytest.mark.parametrize(
    ("run", "state", "badge"),
    [
        (honest_run(), "fair", "answered"),
        # The wall time is void, and CPU time was asked for.
        (one_group().with_launch_share(cell_id(GO), "foreign_ns", 0.2), "flagged", "with doubts"),
        (one_group().failing(cell_id(GO), 6), "void", "not answered"),
        (honest_services().with_loads(FASTIFY, beyond), "void", "objective missed"),
        (without_executions(), None, "nothing yet"),
    ],
)
def test_its_state(run: Records, state: str | None, badge: str) -> None:
    found = concluded(run)
    assert (found.state, found.badge) == (state, badge)


def test_open_questions_are_those_without_an_answer() -> None:
    assert concluded(honest_run()).open == ()
    assert len(concluded(one_group().failing(cell_id(GO), 6)).open) == 1


def test_texts_are_plain() -> None:
    found = concluded(hostile_programs())
    texts = [text for _, text in found.facts] + list(found.doubts)
    for question in found.questions:
        texts += [
            question.title,
            *question.sentences,
            *(one for row in question.rows for one in row),
        ]
    assert "\x1b" in HOSTILE
    assert all(text.isprintable() for text in texts)
