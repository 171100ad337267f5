"""`docs/fairness.md`, generated from the checks: `python -m runfair.fairness.page`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

from runfair.fairness.checks import CHECKS, Check

INTRODUCTION = """# Fairness

Read this page to find out why a measured value is flagged (marked as doubtful) or void (invalid),
and what to do. A figure is a measured value, such as the CPU time of a program on one runtime.
Every figure has a verdict: `fair` (no doubts), `flagged` or `void`. The [glossary](glossary.md)
explains all words of this page.

After a run, every fairness check reads the evidence of the run (the plan, the machine, the record
and the iterations of each execution) and returns findings. A finding has one of these severities:

| severity | meaning | what happens to the figure |
|---|---|---|
| `limitation` | this machine or program cannot do or report something | nothing |
| `warning` | the figure may mislead | it is `flagged`, or bounded if its error has a known limit |
| `fault` | the figure misleads | it is bounded or `void` (no valid number) |

A figure is bounded if runfair knows only limits of its true value. runfair then shows these limits
(bounds), such as `≤ 2.9 ms` or `1.1 to 2.9 ms`, instead of one number. A bounded figure is usually
`flagged`. A bounded figure is `fair` if three conditions hold: none of its findings is a fault, the
size of every disturbance is known, and the bounds lie close to the 95% confidence interval of the
figure. [Statistics](statistics.md#bounds) states how close the bounds must lie to this interval. In
tables, a star marks a flagged figure, and a number in brackets leads to the finding below the
table. On this page, "is noted" means that the report mentions something (severity `limitation`),
but changes no figure.

Each figure is judged separately. For example, on a noisy machine, the wall time may be `flagged`,
although the CPU time of the same program is `fair`. No check cancels a finding of another check. If
a check cannot decide whether a mistake was made, it says so in a finding. The file `verdict.json`
in a run's folder contains the verdicts and the version of each check. `./runfair report` computes
this file again from the records of the run.

Many thresholds on this page are based on measurements, which [`statistics.md`](statistics.md)
describes. runfair's authors chose the other thresholds by judgement. The name in brackets after a
value, such as `VOID_SHARE`, is the threshold's name in the code.

This page is generated from the docstrings of the checks. To change this page, edit the docstrings
and run `python -m runfair.fairness.page`.
"""

_NO_THRESHOLDS = frozenset({"NAME", "VERSION"})
# The units of a constant, by the end of its name: the first unit that divides it is shown.
_UNITS: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = (
    ("_PER_NS", (("", 1),)),
    ("_BYTES_PER_S", (("MB/s", 1e6),)),
    ("_BYTES", (("MiB", 2**20), ("bytes", 1))),
    ("_NS", (("hours", 3.6e12), ("ms", 1e6), ("ns", 1))),
)


def thresholds(check: Check) -> dict[str, int | float]:
    """A check's public numeric constants, by name."""
    return {
        name: value
        for name, value in vars(check).items()
        if name.isupper() and name[0] != "_" and name not in _NO_THRESHOLDS
        if isinstance(value, int | float)
    }


def quantity(name: str, value: float) -> str:
    """A constant's value as text: with the unit that its name ends in, or as a percentage if it is
    less than 1."""
    if value < 1:
        return f"{100 * value:.10g}%"
    for ending, units in _UNITS:
        if name.endswith(ending):
            unit, size = next(each for each in units if value % each[1] == 0)
            return f"{value / size:.10g} {unit}".rstrip()
    return f"{value:.10g}"


def with_values(text: str, constants: Mapping[str, float]) -> str:
    """The text with the value of each constant before the constant's name. A name that stands in
    brackets already explains the words before it, so it gets no value."""

    def valued(found: re.Match[str]) -> str:
        name = found[1]
        return f"{quantity(name, constants[name])} ({found[0]})" if name in constants else found[0]

    return re.sub(r"(?<!\()`(\w+)`", valued, text)


def render() -> str:
    """The whole page, Markdown."""
    return "\n".join([INTRODUCTION, *(_section(check) for check in CHECKS)])


def _section(check: Check) -> str:
    title, _, body = inspect.cleandoc(check.__doc__ or "").partition("\n")
    constants = thresholds(check)
    said = with_values(body.rstrip(), constants)
    lines = [f"## {check.NAME}", "", f"*{title}*  Version {check.VERSION} of this check.", said, ""]
    if constants:
        lines += ["| constant | value |", "|---|---|"]
        lines += [f"| `{name}` | {value:.10g} |" for name, value in constants.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(), end="")
