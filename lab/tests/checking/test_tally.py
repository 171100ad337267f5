"""The closing line and the exit status."""

from __future__ import annotations

import pytest

from checking.step import Counted, Step
from checking.tally import Tally


def step(name: str, passed: int = 0, failed: int = 0, skipped: tuple[str, ...] = ()) -> Step:
    return Step(name, lambda: Counted(passed, failed, skipped))


def closed(*steps: Step) -> int:
    tally = Tally()
    for one in steps:
        tally.take(one)
    return tally.close()


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_counts_of_all_steps_stand_alone_on_the_last_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = closed(step("one", 3), step("two", 4, 0, ("no compiler",)))
    assert (status, last_line(capsys)) == (0, "7 passed, 0 failed, 1 skipped")


def test_one_failure_among_many_passes_fails(capsys: pytest.CaptureFixture[str]) -> None:
    status = closed(step("good", 1000), step("bad", 5, 1))
    output = capsys.readouterr().out
    assert (status, output.splitlines()[-1]) == (1, "1005 passed, 1 failed, 0 skipped")
    assert "failed: bad" in output
    assert "failed: good" not in output


@pytest.mark.parametrize("steps", [[], [step("skipped", skipped=("why",))], [step("empty")]])
def test_nothing_that_passed_is_no_success(
    steps: list[Step], capsys: pytest.CaptureFixture[str]
) -> None:
    assert closed(*steps) == 1
    assert last_line(capsys).startswith("0 passed, 0 failed, ")


def test_every_reason_is_said_once_and_every_skip_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    closed(step("a", 1, 0, ("no memory group", "no memory group")), step("b", 0, 0, ("no go",)))
    output = capsys.readouterr().out
    assert output.count("no memory group") == 1
    assert output.count("no go") == 1
    assert output.splitlines()[-1] == "1 passed, 0 failed, 3 skipped"
