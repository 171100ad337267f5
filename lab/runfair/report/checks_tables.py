"""Tables of the cost of V8's checks. Each table has one program, and a row for each kind of check.

The costs come from an execution that contributes to no other figure.
"""

from __future__ import annotations

from runfair.formats.checks import ChecksResult
from runfair.formats.probe import ProbedResult
from runfair.formats.result import RunResult
from runfair.wording.checks import (
    LOWER_BOUNDS,
    calls_of_builtins,
    places_text,
    removal_name,
    saving,
)
from runfair.wording.naming import condition_text, program_name, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import brief, plain

COLUMNS = ("removed", "checks", "CPU time saved", "source line:column × checks", "verdict")


def checks_tables(result: RunResult) -> list[Table]:
    return [
        checks_table(
            f"{program_name(cell)} · {workload(cell)} · {condition_text(cell)} · V8's checks",
            probed,
            probed.checks,
        )
        for cell in result.cells
        for probed in cell.probed
        if probed.checks is not None
    ]


def checks_table(title: str, probed: ProbedResult, checks: ChecksResult) -> Table:
    rows = [
        Row(
            (
                removal_name(cost),
                f"{cost.checks:,}",
                saving(cost),
                places_text(checks, cost),
                probed.verdict,
            ),
            probed.verdict,
        )
        for cost in checks.costs
    ]
    notes = (how_measured(checks), LOWER_BOUNDS, calls_of_builtins(checks), probed.reason)
    return Table(plain(title), COLUMNS, tuple(rows), tuple(note for note in notes if note))


def how_measured(checks: ChecksResult) -> str:
    functions = ", ".join(brief(name, 80) for name in checks.functions)
    return (
        f"In each of {checks.rounds} rounds, runfair removed each kind of check from the optimised "
        f"code of {functions} (node {brief(checks.version, 40)}) for {checks.iterations_each} "
        "iterations, and then restored it"
    )
