"""Executions that failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import honest_run
from evidence.records import EXECUTIONS, Records
from fairness.stories import SMALL, Story
from runfair.fairness.checks.failures import check
from runfair.fairness.verdict import judge
from runfair.formats.execution import Outcome

ALSO = frozenset({"executions"})


def late(execution: int, iteration: int) -> list[int]:
    """A tenth of the samples are 2 ms, the others 1 ms: more or less."""
    return [1_000_000 + 10 * execution + iteration] * 90 + [2_000_000] * 10


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
    Story(
        "cut short, of a program that records samples",
        lambda run: run.sampling(SMALL, late).cut_short(SMALL, 1, [7_000_000]),
        "warning",
        also=ALSO,
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
    assert finding.text == (
        "1 of 1 pilots (long first executions, from which runfair computes how long an "
        "execution must be) failed, so no pilot could be used"
    )
    assert finding.values == {"failed_pilots": 1, "pilots": 1}
    lost = Outcome(state="failed", reason="time-out")
    pilot = run.executions[0].model_copy(update={"outcome": lost})
    (finding,) = check(replace(run, executions=(pilot, *run.executions[1:])).evidence())
    assert finding.text.startswith(
        "1 of 1 pilots (long first executions, from which runfair computes how long an "
        "execution must be) failed (time-out), so no pilot"
    )


@pytest.mark.parametrize("count", [1, EXECUTIONS])
def test_percentiles_of_what_was_cut_short_are_flagged_and_not_void(count: int) -> None:
    """A runtime that never returns is shown with what it recorded until its watchdog ended it."""
    run = honest_run().sampling(SMALL, late).cut_short(SMALL, count, [7_000_000])
    (cell,) = [one for one in judge(run.evidence()).cells if one.cell == SMALL]
    for figure in ("lateness.p50", "lateness.p99", "lateness.max"):
        assert cell.figures[figure].state == "flagged"
    assert cell.figures["wall"].state == ("flagged" if count == 1 else "void")
    (said,) = [
        one.text for one in cell.figures["lateness.p99"].findings if "ended early" in one.text
    ]
    assert said.startswith(f"{count} of {EXECUTIONS} executions were ended early")


def test_all_figures_are_void_where_nothing_was_recorded() -> None:
    run = honest_run().sampling(SMALL, lambda *_: []).cut_short(SMALL, EXECUTIONS, [])
    (cell,) = [one for one in judge(run.evidence()).cells if one.cell == SMALL]
    assert {one.state for one in cell.figures.values()} == {"void"}
