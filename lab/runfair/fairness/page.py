"""`docs/fairness.md`, made from the checks themselves: `python -m runfair.fairness.page`."""

from __future__ import annotations

import inspect

from runfair.fairness.checks import CHECKS, Check

INTRODUCTION = """# Fairness

No number without a verdict. After a run every check looks at the evidence (the plan, the machine,
each execution's record and iterations) and says what it found:

| severity | meaning | the figure is then |
|---|---|---|
| `limitation` | something this machine or program cannot do or tell; noted | as it was |
| `warning` | the figure may mislead | `flagged` |
| `fault` | the figure does not say what it seems to say | `void`: not shown as a number |

Wall time, CPU time and memory of a cell are judged by themselves: on a noisy machine wall time may
be void while CPU time stands. No check undoes another's finding. What cannot be established is
said so, and never passes silently. A run's `verdict.json` holds the version of each check; it is
derived, and can be made again from the records.

[`statistics.md`](statistics.md) holds the measurements named below; a threshold without a citation
is ours.

This page is made from the checks: edit those, then `python -m runfair.fairness.page`.
"""

_NO_THRESHOLDS = frozenset({"NAME", "VERSION"})


def thresholds(check: Check) -> dict[str, int | float]:
    """A check's numeric constants, by name."""
    return {
        name: value
        for name, value in vars(check).items()
        if name.isupper() and name not in _NO_THRESHOLDS and isinstance(value, int | float)
    }


def render() -> str:
    """The whole page, Markdown."""
    return "\n".join([INTRODUCTION, *(_section(check) for check in CHECKS)])


def _section(check: Check) -> str:
    title, _, body = inspect.cleandoc(check.__doc__ or "").partition("\n")
    lines = [f"## {check.NAME}", "", f"*{title}*  Version {check.VERSION}.", body.rstrip(), ""]
    constants = thresholds(check)
    if constants:
        lines += ["| constant | value |", "|---|---|"]
        lines += [f"| `{name}` | {value:.10g} |" for name, value in constants.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(), end="")
