"""The programs against contract.md, from outside: their answers and their numbers of steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from built_program import built
from runfair.catalogue.benchmark import benchmarks
from transcription import fnv1a

FORMS = sorted(benchmarks()["sends-values"].text.forms)
TERMS = 1000  # of a sum


def stepped(seed: int, amount: int, added: Callable[[int], int] = lambda _: 0) -> int:
    x = seed
    for n in range(1, amount + 1):
        x = ((x + added(n)) * 1309 + 13849) % 65536
    return x


ADDED: dict[str, Callable[[int], int]] = {
    "callbacks": lambda _: 1,
    "callback-chains": lambda _: 1,
    "two-arguments": lambda n: n,
    "five-arguments": lambda n: n + 12,
    "ten-arguments": lambda n: 2 * n + 24,
    "values": lambda n: n,
}


def expected(form: str, amount: int, seed: int) -> tuple[int, int]:
    """The answer and the number of steps."""
    if form == "contexts":
        return seed + TERMS * amount + int(0.5 * amount + 0.25 * TERMS * amount), 2 * TERMS * amount
    return stepped(seed, amount, ADDED.get(form, lambda _: 0)), amount


@pytest.mark.parametrize("form", FORMS)
def test_recorded_answers_are_those_of_the_contract(form: str) -> None:
    benchmark = benchmarks()[f"sends-{form}"]
    for size in ("tiny", "steady", "small"):
        answer, steps = expected(form, int(benchmark.parameters(size)["amount"]), 1)
        recorded = benchmark.answer("classic", size, 1)
        assert recorded is not None
        assert recorded.digest == fnv1a(str(answer).encode())
        assert recorded.operations == {"steps": steps}


def check_work(form: str, amount: int, seed: int) -> None:
    answer, steps = expected(form, amount, seed)
    outcome = built(f"sends-{form}", "newspeak").say(
        count=1, iterations=3, amount=amount, seed=seed, threads=1
    )
    assert {one["digest"] for one in outcome.of_event("iteration")} == {fnv1a(str(answer).encode())}
    counted = [one["counters"] for one in outcome.of_event("operations")]
    assert counted == 3 * [{"steps": steps}]


def test_the_work_is_the_contracts_in_every_iteration() -> None:
    """More messages than a promise gets at once."""
    check_work("waiting-sends", 301, 2**16 - 1)


@pytest.mark.long
@pytest.mark.parametrize("amount", [1, 99, 100, 1001])
@pytest.mark.parametrize("form", FORMS)
def test_the_work_of_every_form_is_the_contracts(form: str, amount: int) -> None:
    check_work(form, amount, 7)
