"""Compared values of peak memory were measured by the same method.

**Looks for** programs whose peak memory was measured by different methods in different executions.
The check also looks for programs whose method differs from the method of the baseline (the program
with which the others are compared). There are three methods:

- `wait4`, the kernel's own maximum (max RSS), is exact for a single process.
- `cgroup` measures all processes together, and includes the page cache.
- `sampled_pss` reads the memory (PSS) of all processes at intervals, so it can miss a short peak.

**Threshold** If the methods differ, the program's peak memory is flagged (marked as doubtful). If
peak memory was sampled (read at intervals), this is noted.

**Source** According to the section "Fairness" of docs/statistics.md, the measured value is the peak
memory of the whole process tree, and tables show how the peak was measured.

**What to do** Compare peak memory only between programs that were measured by the same method. A
program with child processes is measured by another method than a program with a single process.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.formats.finding import Finding, Severity

NAME = "memory_method"
DOUBT = "unlike methods"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    for group in run.groups(among=run.launched):
        baseline = run.baseline(group)
        for one in group:
            mine, its = _methods(one), _methods(baseline)
            if len(mine) > 1:
                yield _finding(
                    one,
                    "warning",
                    "the peak memory of the executions was measured by different methods "
                    f"({' and '.join(mine)}), so the values are not comparable",
                )
            elif mine and its and mine != its:
                yield _finding(
                    one,
                    "warning",
                    f"the peak memory of this program was measured by {mine[0]}, but the peak "
                    f"memory of {baseline.cell.variant} was measured by {' and '.join(its)}, so "
                    "the two values are not comparable",
                )
            if "sampled_pss" in mine:
                yield _finding(
                    one,
                    "limitation",
                    "peak memory was read only at intervals, so a short peak may be missing",
                )


def _methods(one: CellEvidence) -> list[str]:
    return sorted({execution.record.launch.peak_tree_method for execution in one.completed})


def _finding(one: CellEvidence, severity: Severity, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=["memory"],
        text=text,
        advice=""
        if severity == "limitation"
        else (
            "compare peak memory only between programs that were measured by the same method; a "
            "program with child processes needs another method than a single process"
        ),
    )
