"""Mistakes of conditions: doubts about the builds and the processors, in a single result or between
results."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.fairness.audit.judging import Mistake
from runfair.fairness.audit.percentiles import ANYONES
from runfair.formats.foreign.result import ForeignResult, Judgement

DISTURBED = Mistake("disturbed", "debug build or changing CPU frequency")


def disturbed(result: ForeignResult) -> Judgement | None:
    """Disturbed: the file reports a debug build, an interpreter without JIT, or a changing
    processor frequency."""
    if result.disturbed is None:
        measured = "server" if result.kind == "load" else "program"
        return DISTURBED.not_told(
            f"{_teller(result)} does not report whether the {measured} was a debug build or "
            "whether the CPU frequency changed"
        )
    if result.disturbed:
        return DISTURBED.established("; ".join(result.disturbed))
    return DISTURBED.excluded(
        "the file reports neither a debug build nor a change of the CPU frequency"
    )


UNEQUAL_BUILDS = Mistake("unequal_builds", "unequal builds")

PYTHON_OPTIONS = ("--enable-optimizations", "--with-lto")
"""Build options of CPython. Without these options, a program takes 1.5 times as long on CPython
(docs/statistics.md, “Fairness”)."""


def unequal_builds(result: ForeignResult) -> Judgement | None:
    """Unequal builds: the two sides of a comparison were built or configured with unequal care."""
    options = result.build.get("python_config_args")
    if options is not None and result.build.get("python_implementation") == "cpython":
        missing = [option for option in PYTHON_OPTIONS if option not in options]
        if missing:
            return UNEQUAL_BUILDS.established(
                f"this CPython was built without {' and '.join(missing)}, so programs take "
                "longer on it"
            )
    if result.kind == "load":
        return UNEQUAL_BUILDS.not_told(
            f"{_teller(result)} does not report how the server was built"
        )
    told = ", ".join(f"“{name}”: {value}" for name, value in result.build.items() if value)
    if told:
        return UNEQUAL_BUILDS.not_told(
            f"the file describes the build of this program ({_short(told)}), but a comparison "
            "also needs the build of the other program"
        )
    return UNEQUAL_BUILDS.not_told(f"{result.tool} does not report how the program was built")


def _teller(result: ForeignResult) -> str:
    return f"the {result.tool}" if result.tool in ANYONES else result.tool


def _short(told: str) -> str:
    return told if len(told) <= 120 else f"{told[:117]}…"


UNEQUAL_CONDITIONS = Mistake("unequal_conditions", "unequal conditions")


def compare(results: Sequence[ForeignResult]) -> tuple[Judgement, ...]:
    """The judgements about a comparison of two or more results of one tool."""
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
        return mistake.not_told(
            f"some of the compared results do not report {', '.join(partly)}, which may "
            "therefore differ"
        )
    if not known:
        return mistake.not_told(
            f"the compared results do not report their {what}, which may therefore differ"
        )
    same = "; ".join(f"{name}: {found[0]}" for name, found in known.items())
    return mistake.excluded(f"all results report the same {what} ({same})")
