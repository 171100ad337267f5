"""Each measured value was computed from enough executions.

**Looks for** programs that completed too few executions. There are too few executions if the run
planned more, if the run's profile (such as `quick` or `full`) requires more, or if a confidence
interval needs more. The check also looks for confidence intervals that are too wide to be useful.
The check counts executions and not iterations, because the iterations of one process are not
independent. In a simulation, a 95% interval that treated the iterations of all processes as
independent contained the true value in only 12% of the cases.

**Threshold** If a program on a runtime completed fewer executions than the run's profile requires,
or fewer than `FEWEST_FOR_FAIR`, all its measured values are flagged (marked as doubtful). If the
program completed fewer than `FEWEST_FOR_INTERVAL` executions, all its measured values are void
(invalid), because a confidence interval is then impossible. In two cases, values are flagged
instead of void. First, the experiment planned a single execution, and this execution completed.
Second, a time limit, a memory limit or a signal ended the executions, and the program had recorded
samples by then. Only the percentiles of these samples are then flagged, and the check `failures`
gives them bounds. All other values of the program are then void.

A measured value is also flagged if the upper limit of its confidence interval (t interval) is more
than `WIDEST` times the lower limit. runfair does not show such a wide interval.

**Source** The section "Comparing two runtimes" of docs/statistics.md contains the simulation, and
says that the profile `quick` makes 6 executions. Kalibera and Jones, "Rigorous benchmarking in
reasonable time" (ISMM 2013), use executions as the unit of repetition.

**What to do** If the run was interrupted, complete the run with `./runfair resume RUN`. If
executions failed, repair the cause. If all executions completed as planned, choose a longer
profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import (
    cell_values,
    centre,
    cut_short_figures,
    figures_of,
    interval,
    others,
)
from runfair.formats.finding import FigureName, Finding
from runfair.statistics.log_interval import WIDEST

NAME = "executions"
DOUBT = "few executions"
VERSION = 5
FEWEST_FOR_FAIR = 6
FEWEST_FOR_INTERVAL = 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.cells:
        yield from _too_wide(one)
        completed = len(one.completed)
        effort = run.plan.effort
        service = one.cell.mode == "service"
        asked = max(one.planned, effort.service_executions if service else effort.executions)
        if completed >= max(asked, FEWEST_FOR_FAIR):
            continue
        # If a single execution was planned, the figure has a value but no spread.
        void = completed < min(FEWEST_FOR_INTERVAL, asked)
        known = cut_short_figures(one) if void else []
        yield Finding(
            check=NAME,
            severity="fault" if void else "warning",
            cell=one.cell.id,
            figures=others(one.cell, known),
            text=_text(completed, asked),
            advice=_advice(one),
            values={"completed": completed, "asked": asked},
        )


def _text(completed: int, asked: int) -> str:
    """The finding's text, for example `5 of 10 executions completed` or `2 executions; a fair
    result needs 6 executions`."""
    text = f"only {completed} of {asked} executions completed"
    if completed >= asked:
        text = f"{completed} execution{'' if completed == 1 else 's'}"
    if completed < FEWEST_FOR_INTERVAL:
        text += ", which is too few for a confidence interval"
    if asked < FEWEST_FOR_FAIR:
        text += f"; a fair result needs {FEWEST_FOR_FAIR} executions"
    return text


def _too_wide(one: CellEvidence) -> Iterator[Finding]:
    found = [figure for figure in figures_of(one.cell) if _wide(cell_values(one, figure), figure)]
    if found:
        yield Finding(
            check=NAME,
            severity="warning",
            cell=one.cell.id,
            figures=found,
            text=(
                f"the {len(one.completed)} executions differ so much that no useful "
                f"confidence interval exists: its upper limit would be more than {WIDEST:g} "
                "times its lower limit"
            ),
            advice="choose a longer profile (`--profile`), which has more executions",
        )


def _wide(values: Sequence[float], figure: FigureName) -> bool:
    if not values or min(values) <= 0:
        return False
    middle = centre(values, figure)
    return middle.low is not None and interval(middle) is None


def _advice(one: CellEvidence) -> str:
    if len(one.blocks) < one.planned:
        return "complete the run with `./runfair resume RUN`"
    if one.failed:
        # Failed executions are not repeated, so resuming the run would change nothing.
        return "correct the cause of the failed executions, and run again"
    return "choose a longer profile (`--profile`), which has more executions"
