"""Executions that failed."""

from __future__ import annotations

from dataclasses import replace

from fairness.runs import EXECUTIONS, Records, honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.failures import check
from runfair.formats.execution import Outcome

ALSO = frozenset({"executions"})


def never_carried_out(run: Records) -> Records:
    kept = tuple(record for record in run.executions if record.cell != SMALL)
    return replace(run, executions=kept)


STORIES = (
    Story(
        "nothing was carried out, so that nothing failed either",
        never_carried_out,
        "fault",
        also=ALSO | {"order"},
    ),
    Story("one failed", lambda run: run.failing(SMALL, 1), "warning", also=ALSO),
    Story("all but one", lambda run: run.failing(SMALL, EXECUTIONS - 1), "warning", also=ALSO),
    Story("all failed", lambda run: run.failing(SMALL, EXECUTIONS), "fault", also=ALSO),
    Story(
        "a pilot failed, and nothing set the stopping rule's floor",
        lambda run: run.with_pilot(SMALL, failed=True),
        "warning",
    ),
    Story("a pilot completed", lambda run: run.with_pilot(SMALL, failed=False), None),
)


def test_failures_are_counted_and_the_first_reason_is_told() -> None:
    run = honest_run().failing(SMALL, 2, reason="ended by signal 11").evidence()
    (finding,) = check(run)
    assert finding.values == {"failed": 2, "executions": EXECUTIONS}
    assert "2 of 6" in finding.text and "ended by signal 11" in finding.text


def test_an_unsupported_cell_has_no_evidence() -> None:
    run = honest_run().failing(SMALL, EXECUTIONS).with_cell(SMALL, unsupported="no generics")
    evidence = run.evidence()
    assert SMALL not in {one.cell.id for one in evidence.cells}
    assert list(check(evidence)) == []


def test_an_execution_that_failed_has_no_iterations_to_average() -> None:
    run = honest_run().failing(SMALL, 1).evidence()
    cell = next(one for one in run.cells if one.cell.id == SMALL)
    assert [len(one.wall_ns) for one in cell.failed] == [0]


def test_a_pilot_that_failed_tells_what_is_lost_and_why() -> None:
    run = honest_run().with_pilot(SMALL, failed=True)
    (finding,) = check(run.evidence())
    assert finding.text == "1 of 1 pilots failed: nothing could set the stopping rule's floor"
    assert finding.values == {"failed_pilots": 1, "pilots": 1}
    lost = Outcome(state="failed", reason="time-out")
    pilot = run.executions[0].model_copy(update={"outcome": lost})
    (finding,) = check(replace(run, executions=(pilot, *run.executions[1:])).evidence())
    assert finding.text.startswith("1 of 1 pilots failed (time-out): nothing")
