"""The remarks at the end of a row: the doubt about its figures, and the failed executions."""

from __future__ import annotations

from dataclasses import replace

from evidence.honest_run import GO, cell_id
from report.conclusion.concluded import one_group
from runfair.fairness.checks import CHECKS
from runfair.fairness.verdict import judge
from runfair.formats.finding import Finding, Severity
from runfair.formats.result import CellResult
from runfair.report.conclusion.question import marks
from runfair.result.run import assemble

LONGEST = 17  # characters: a row with a ratio and a doubt fits into 80 characters


def finding(check: str, severity: Severity) -> Finding:
    return Finding(check=check, severity=severity, cell=None, figures=["cpu"], text="a doubt")


def doubted(*findings: Finding) -> CellResult:
    evidence = one_group().evidence()
    result = assemble("run", evidence, judge(evidence))
    (cell,) = [one for one in result.cells if one.id == cell_id(GO)]
    cpu = replace(cell.figures["cpu"], verdict="flagged", findings=list(findings))
    return cell.model_copy(update={"figures": {**cell.figures, "cpu": cpu}})


def test_a_fault_is_named_before_a_warning() -> None:
    cell = doubted(finding("warm_up", "warning"), finding("foreign_time", "fault"))
    assert marks([cell], ["cpu"]) == ("flagged: other processes",)


def test_a_limitation_is_no_reason() -> None:
    cell = doubted(finding("machine", "limitation"), finding("warm_up", "warning"))
    assert marks([cell], ["cpu"]) == ("flagged: not steady",)


def test_the_doubt_of_a_figure_that_is_not_shown_is_not_named() -> None:
    assert marks([doubted(finding("warm_up", "warning"))], ["wall"]) == ()


def test_each_check_raises_a_doubt_of_its_own_in_few_words() -> None:
    doubts = [one.DOUBT for one in CHECKS]
    assert len(set(doubts)) == len(doubts)
    assert max(map(len, doubts)) <= LONGEST
