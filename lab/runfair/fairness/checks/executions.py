"""Enough executions stand behind each figure.

**Looks for** cells with fewer completed executions than planned or than the profile requires, or
too few for a confidence interval. The process is the unit of repetition: iterations inside a
process are not independent, and an interval over pooled iterations covers 12% instead of 95%.

**Threshold** below the profile's number, or below `FEWEST_FOR_FAIR`, every figure is flagged. Below
`FEWEST_FOR_INTERVAL` no interval is possible, and every figure is void, except percentiles that are
bounded by executions that were cut short (check `failures`).

**Source** docs/statistics.md, "Comparing two runtimes" (6 for quick looks, simulated); Kalibera
and Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013).

**What to do** complete an interrupted run with `./runfair resume RUN`; repair what failed; if all
was carried out as planned, choose a longer profile.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import cut_short_figures, others
from runfair.formats.finding import Finding

NAME = "executions"
VERSION = 4
FEWEST_FOR_FAIR = 6
FEWEST_FOR_INTERVAL = 2


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.cells:
        completed = len(one.completed)
        effort = run.plan.effort
        service = one.cell.mode == "service"
        asked = max(one.planned, effort.service_executions if service else effort.executions)
        if completed >= max(asked, FEWEST_FOR_FAIR):
            continue
        # A single execution that was meant to be one has a value, and shows no spread.
        void = completed < min(FEWEST_FOR_INTERVAL, asked)
        known = cut_short_figures(one) if void else []
        yield Finding(
            check=NAME,
            severity="fault" if void else "warning",
            cell=one.cell.id,
            figures=others(one.cell, known),
            text=f"{completed} executions completed, {asked} were requested"
            + (", too few for any interval" if completed < FEWEST_FOR_INTERVAL else "")
            + (f"; a fair figure needs {FEWEST_FOR_FAIR}" if asked < FEWEST_FOR_FAIR else ""),
            advice=_advice(one),
            values={"completed": completed, "asked": asked},
        )


def _advice(one: CellEvidence) -> str:
    if len(one.blocks) < one.planned:
        return "complete the run with `./runfair resume RUN`"
    if one.failed:
        # They are not carried out again: resuming would find nothing left to do.
        return "repair what failed, then run again"
    return "take a greater profile"
