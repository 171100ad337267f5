"""`docs/fairness.md`, generated from the checks: `python -m runfair.fairness.page`."""

from __future__ import annotations

import inspect

from runfair.fairness.checks import CHECKS, Check

INTRODUCTION = """# Fairness

Read this page to find out why a figure is flagged or void, and what to do. Every number that
runfair shows has a verdict: `fair`, `flagged` or `void`. After a run, every fairness check reads
the evidence of the run (the plan, the machine, the record and the iterations of each execution) and
returns findings. A finding has one of these severities:

| severity | meaning | the figure is then |
|---|---|---|
| `limitation` | this machine or program cannot do or report something | unchanged |
| `warning` | the figure may mislead | `flagged`, or bounded if the size of the effect is known |
| `fault` | the figure does not mean what it seems to mean | bounded or `void` (no valid number) |

A bounded figure is shown as limits (bounds) in place of a number, and it is usually `flagged`. A
bounded figure is `fair` only if all its findings are warnings and its bounds are hardly wider than
its confidence interval ([statistics](statistics.md#bounds)). In tables, a star marks a flagged
figure, and a number in brackets leads to the finding below the table.

Each figure of a cell is judged separately. For example, on a noisy machine wall time may have only
bounds while CPU time is fair. No check cancels a finding of another check. If a check cannot
decide, it reports this. A run's `verdict.json` contains the version of each check. The file is
computed from the records, and `./runfair report` can compute it again.

Many thresholds on this page cite measurements; [`statistics.md`](statistics.md) describes them. If
a threshold has no citation, runfair's authors chose it. The page calls such a threshold "ours".

This page is generated from the docstrings of the checks. To change it, edit the docstrings and run
`python -m runfair.fairness.page`.
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
