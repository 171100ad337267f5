"""Iterations, or requests, stand for executions: the spread between processes is not seen."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

MISTAKE = Mistake("unit_of_repetition", "wrong unit of repetition")

FEWEST_EXECUTIONS = 5
"""docs/statistics.md, “Fairness”. An interval of pooled iterations that promises 95% held 12% to
13% of the time (“Comparing two runtimes”)."""


def judge(result: ForeignResult) -> Judgement | None:
    executions = result.executions
    if result.pooled:
        return MISTAKE.established(
            f"the spread is that of pooled iterations of all executions{result.because('pooled')}"
        )
    if executions is None:
        return MISTAKE.not_told("the number of processes is not reported")
    if result.kind == "load":
        handed = "one load of one server"
    else:
        handed = result.basis.get("executions", f"{executions} executions")
    if executions >= FEWEST_EXECUTIONS:
        return MISTAKE.excluded(f"{handed}: at least {FEWEST_EXECUTIONS} executions")
    return MISTAKE.established(
        f"{handed}: fewer than {FEWEST_EXECUTIONS} do not show the variance between them"
    )
