"""Results of one tool that are laid side by side: were they made alike?"""

from __future__ import annotations

from collections.abc import Sequence

from runfair.fairness.audit.judging import Mistake
from runfair.fairness.audit.unequal_builds import MISTAKE as UNEQUAL_BUILDS
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

UNEQUAL_CONDITIONS = Mistake("unequal_conditions", "unequal conditions")


def compare(results: Sequence[ForeignResult]) -> tuple[Judgement, ...]:
    """Of two or more results of one tool."""
    conditions = [
        {name: value for name, value in result.conditions.items() if name != "command"}
        | ({"version": result.version} if result.version else {})
        for result in results
    ]
    return (
        _judge(UNEQUAL_CONDITIONS, conditions, "conditions"),
        _judge(UNEQUAL_BUILDS, [result.build for result in results], "builds"),
    )


def _judge(mistake: Mistake, told: Sequence[dict[str, str]], what: str) -> Judgement:
    names = list(dict.fromkeys(name for each in told for name in each))
    values = {name: list(dict.fromkeys(each.get(name, "") for each in told)) for name in names}
    known = {name: found for name, found in values.items() if "" not in found}
    unequal = {name: found for name, found in known.items() if len(found) > 1}
    if unequal:
        return mistake.established(
            "; ".join(f"{name}: {' and '.join(found)}" for name, found in unequal.items())
        )
    partly = [name for name in names if name not in known]
    if partly:
        return mistake.not_told(f"not reported for all: {', '.join(partly)}")
    if not known:
        return mistake.not_told(f"not reported: the {what}")
    same = "; ".join(f"{name} {found[0]}" for name, found in known.items())
    return mistake.excluded(f"the same as far as reported: {same}")
