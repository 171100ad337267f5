"""`docs/fairness.md`, generated from the checks: `python -m runfair.fairness.page`."""

from __future__ import annotations

import inspect

from runfair.fairness.checks import CHECKS, Check

INTRODUCTION = """# Fairness

Read this page to find out why a figure is flagged or void, and what to do. Every number that
runfair shows has a verdict. After a run every check reads the evidence (the plan, the machine, each
execution's record and iterations) and returns findings:

| severity | meaning | the figure is then |
|---|---|---|
| `limitation` | this machine or program cannot do or report something | unchanged |
| `warning` | the figure may mislead | `flagged`, or bounded if the size of the effect is known |
| `fault` | the figure does not mean what it seems to mean | bounded, or `void`: not a number |

A bounded figure is shown with its limits in place of a number. It is `flagged`, unless there are
only warnings and the bounds are hardly wider than the figure's confidence interval: then it is
`fair` ([statistics](statistics.md#bounds)). In tables a star marks a flagged figure, and a number
in brackets leads to the finding below the table.

Each figure of a cell is judged separately: on a noisy machine wall time may have only bounds while
CPU time is fair. No check cancels another's finding. If a check cannot decide, it reports this. A
run's `verdict.json` holds the version of each check. The file is computed from the records, and
`./runfair report` can compute it again.

[`statistics.md`](statistics.md) describes the measurements that this page cites. A threshold
without a citation is ours.

This page is generated from the checks: edit those, then run `python -m runfair.fairness.page`.
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
