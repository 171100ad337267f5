"""The sides of a comparison were not built, or not configured, with the same care."""

from __future__ import annotations

from runfair.fairness.audit.judging import Mistake
from runfair.formats.foreign.audit import Judgement
from runfair.formats.foreign.result import ForeignResult

MISTAKE = Mistake("unequal_builds", "unequal builds")

PYTHON_OPTIONS = ("--enable-optimizations", "--with-lto")
"""A CPython without them runs 1.5 times slower than one with (docs/statistics.md, “Fairness”)."""


def judge(result: ForeignResult) -> Judgement | None:
    options = result.build.get("python_config_args")
    if options is not None and result.build.get("python_implementation") == "cpython":
        missing = [option for option in PYTHON_OPTIONS if option not in options]
        if missing:
            return MISTAKE.established(f"this CPython was built without {' and '.join(missing)}")
    if result.kind == "load":
        return MISTAKE.not_told(f"{result.tool} does not report how the server was built")
    told = ", ".join(f"{name} {value}" for name, value in result.build.items() if value)
    if told:
        return MISTAKE.not_told(f"reported for one side only: {_short(told)}")
    return MISTAKE.not_told(f"{result.tool} does not report how the program was built")


def _short(told: str) -> str:
    return told if len(told) <= 120 else f"{told[:117]}…"
