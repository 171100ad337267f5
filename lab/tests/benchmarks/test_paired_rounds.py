"""Paired rounds: their order, and ratios whose truth is known."""

from __future__ import annotations

import pytest

from benchmarks.paired_rounds import Ratio, outcome, rounds
from checking.signed_ranks import Middle

ROUNDS = 16


def test_every_round_measures_every_subject_once_and_every_second_round_is_mirrored() -> None:
    order: list[str] = []

    def measure(subject: str) -> int:
        order.append(subject)
        return len(order)

    measured = list(rounds(["a", "b", "c"], measure, ROUNDS))
    assert all(sorted(one) == ["a", "b", "c"] for one in measured)
    triples = [order[at : at + 3] for at in range(0, len(order), 3)]
    assert all(
        first == second[::-1] for first, second in zip(triples[::2], triples[1::2], strict=True)
    )
    assert len({tuple(one) for one in triples[::2]}) > 1


def test_a_ratio_survives_a_machine_that_becomes_slower_and_disturbed_rounds() -> None:
    """The machine's speed halves. Two of the rounds have a disturbance of one side."""
    clock = 0

    def measure(subject: str) -> float:
        nonlocal clock
        clock += 1
        speed = 1 + clock / (2 * ROUNDS)
        disturbed = 3 if clock in (5, 20) else 1
        return {"probed": 1.07, "plain": 1.0}[subject] * speed * disturbed

    measured = list(rounds(["probed", "plain"], measure, ROUNDS))
    found = Ratio.of([one["probed"] for one in measured], [one["plain"] for one in measured])
    assert found.typical is not None
    assert found.typical.value == pytest.approx(1.07, rel=0.01)
    assert found.typical.low < 1.07 < found.typical.high
    assert found.typical.high < 1.15


def test_rounds_within_a_goal_are_counted() -> None:
    found = Ratio.of([1.0, 1.1, 1.2, 1.3], [1.0, 1.0, 1.0, 1.0])
    assert found.within(1.1) == 2
    assert found.typical is None  # too few rounds


def test_values_need_their_partners() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Ratio.of([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Middle(1.05, 1.03, 1.08), "met"),
        (Middle(1.05, 1.03, 1.12), "undecided"),
        (Middle(1.2, 1.15, 1.3), "missed"),
        (None, "undecided"),
    ],
)
def test_a_goal_is_met_if_the_whole_interval_is_below_it(
    found: Middle | None, expected: str
) -> None:
    assert outcome(found, 1.10) == expected
