"""The closing line and the exit status."""

from __future__ import annotations

import pytest

from checking.lane import Lane
from checking.step import Counted, Output, Skipped, Step
from checking.tally import Tally


def step(name: str, passed: int = 0, failed: int = 0, skipped: tuple[str, ...] = ()) -> Step:
    reasons = tuple(Skipped(name, reason) for reason in skipped)

    def run(output: Output) -> Counted:
        print(f"{name} speaks", file=output, flush=True)
        return Counted(passed, failed, reasons)

    return Step(name, run)


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


def test_each_reason_is_one_line_with_the_tests_it_costs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    closed(step("a", 1, 0, ("no memory group", "no memory group")), step("b", 0, 0, ("no go",)))
    lines = capsys.readouterr().out.splitlines()
    assert "    2  no memory group" in lines
    assert "    1  no go" in lines
    assert lines[-1] == "1 passed, 0 failed, 3 skipped"


def test_the_ten_slowest_steps_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    tally.took_s = [(float(seconds), f"step {seconds}") for seconds in range(12)]
    tally.close()
    said = capsys.readouterr().out
    assert "   11.0 s  step 11\n   10.0 s  step 10\n" in said
    assert "step 2\n" in said
    assert "step 1\n" not in said


def test_steps_side_by_side_are_printed_whole_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally()
    tally.take_stage([Lane((step("a", 1), step("b", 0, 1))), Lane(()), Lane((step("c", 2),))])
    said = capsys.readouterr().out
    for name in "abc":
        assert f"── {name}\n{name} speaks\n" in said
    assert "── b: 1 failed" in said
    assert (tally.total, tally.failures) == (Counted(3, 1), ["b"])


def test_a_single_lane_is_printed_while_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    tally.take_stage([Lane(()), Lane((step("a", 1), step("b", 1)))])
    assert capsys.readouterr().out.splitlines() == ["── a", "a speaks", "── b", "b speaks"]


def unsteady(name: str, *, failed: int = 1, passed: int = 1, then_failed: int = 0) -> Step:
    """A step with failed tests. When they are run again, `passed` pass and `then_failed` fail."""
    again = step(f"{name}, again", passed, then_failed)
    return Step(name, lambda _: Counted(5, failed, again=again))


def closed_after_again(*steps: Step) -> int:
    tally = Tally()
    for one in steps:
        tally.take(one)
    tally.take_again()
    return tally.close()


def test_a_test_that_passes_alone_is_passed_and_its_step_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = closed_after_again(step("good", 1), unsteady("shaky"))
    said = capsys.readouterr().out
    assert (status, said.splitlines()[-1]) == (0, "7 passed, 0 failed, 0 skipped")
    assert "unsteady: shaky" in said
    assert "failed: " not in said.replace("unsteady: shaky: failed", "")


def test_tests_that_passed_besides_the_failed_ones_are_counted_once() -> None:
    tally = Tally()
    for one in (unsteady("shaky", passed=12), unsteady("broken", passed=0, then_failed=1)):
        tally.take(one)
    tally.take_again()
    assert (tally.total, tally.failures) == (Counted(11, 1), ["broken"])


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([unsteady("broken", passed=0, then_failed=1)], id="it fails again"),
        pytest.param([unsteady("crashed", failed=2)], id="fewer ran than had failed"),
        pytest.param([unsteady("many", failed=4, passed=4)], id="too many failed"),
        pytest.param([unsteady("shaky"), step("lint", 0, 1)], id="another step failed as a whole"),
    ],
)
def test_other_failures_stay(steps: list[Step], capsys: pytest.CaptureFixture[str]) -> None:
    assert closed_after_again(*steps) == 1
    assert "unsteady" not in capsys.readouterr().out
