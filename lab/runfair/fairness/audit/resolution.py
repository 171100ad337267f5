"""Times are told in steps that are coarse against the times themselves."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake, time
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult, Latencies

MISTAKE = Mistake("resolution", "resolution too coarse")

COARSEST = 0.05
"""A step of more than 5% of the median: the same share as is withheld for a generator's own delay
(docs/statistics.md, “Latency”)."""


def judge(result: ForeignResult) -> Judgement | None:
    step, named = result.latencies.step_ns, _typical(result.latencies)
    if step is None or named is None:
        unit = result.basis.get("unit")
        return MISTAKE.not_told(unit or "neither the clock's step nor the printed digits show it")
    name, typical = named
    said = f"a step is {time(step)}, the {name} {time(typical)}{result.because('step')}"
    if step <= COARSEST * typical:
        return MISTAKE.excluded(said)
    return MISTAKE.established(said)


def _typical(latencies: Latencies) -> tuple[str, float] | None:
    for each in latencies.percentiles:
        if each.share == 0.5:
            return "median", each.value_ns
    return None if latencies.mean_ns is None else ("mean", latencies.mean_ns)
