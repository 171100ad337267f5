"""The machine stayed the same, and its limitations are reported.

**Looks for** processors shared by the lab and the programs, missing hardware counters, a virtual
machine, a slow clock source, properties that calibration found disturbing or could not read, a
reference loop that could not run, and requirements of the plan that the machine could not meet. The
check also looks for completed executions on the same host before and after a restart.

**Threshold** A restart during the run flags every figure, because memory layout, frequency and
services may differ after the restart. All other findings are limitations of the run, which are
noted beside its tables. The checks `foreign_time`, `calibration`, `wall_over_cpu` and `clock`
measure how these limitations affect the figures.

**Source** The section "A noisy machine" of docs/statistics.md describes the machine's properties.
By the entry "finding" of docs/glossary.md, a limitation is noted.

**What to do** If a limitation is followed by a command, run the command. After a restart, measure
again.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import RunEvidence
from runfair.fairness.clocks import CLOCK_SOURCE_RESOLUTION_NS
from runfair.fairness.figures import FIGURES, TIMED
from runfair.formats.finding import FigureName, Finding

NAME = "machine"
VERSION = 4
NOT_VIRTUAL = frozenset({"", "none", "no"})


def check(run: RunEvidence) -> Iterator[Finding]:
    yield from _restart(run)
    plan, host = run.plan, run.host
    for text in plan.limitations:
        yield _finding([*FIGURES], text)
    if not set(plan.lab_processors) - set(plan.measured_processors):
        yield _finding(
            [*TIMED], "runfair has no processor of its own, so it runs on the measured processors"
        )
    if not run.level.readings:
        yield _finding(
            [*TIMED],
            (
                "it is unknown whether the machine's speed changed during the run, because the "
                f"reference loop did not run{_why_unread(run)}"
            ),
        )
    if not host.hardware_counters:
        refused = host.hardware_counters_refusal
        text = "this machine has no hardware counters" + (f" ({refused})" if refused else "")
        yield _finding([*TIMED], f"{text}, so processor cycles are not counted")
    if host.virtualised.strip().lower() not in NOT_VIRTUAL:
        yield _finding(
            [*TIMED],
            f"this is a virtual machine ({host.virtualised}), and the load on its host is unknown",
        )
    if host.clock_source not in CLOCK_SOURCE_RESOLUTION_NS:
        yield _finding(
            [*TIMED],
            f"the clock source is {host.clock_source or 'unknown'}, and reading it may be slow",
        )
    for gate in host.calibration.gates if host.calibration else ():
        if gate.state == "disturbing":
            yield _finding([*TIMED], f"{gate.name}: {gate.found}", gate.command)
        elif gate.state == "unknown":
            yield _finding([*TIMED], f"{gate.name}: unknown ({gate.found})")


def _why_unread(run: RunEvidence) -> str:
    plan, lab = run.plan, set(run.plan.lab_processors)
    if lab >= set(plan.measured_processors):
        return ": no processor is free for the loop"
    return ""


def _restart(run: RunEvidence) -> Iterator[Finding]:
    # Records of older versions do not have this field.
    boots: dict[str, set[str]] = {}
    for one in run.cells:
        for execution in one.completed:
            if execution.record.boot_id:
                boots.setdefault(execution.record.host, set()).add(execution.record.boot_id)
    most = max(map(len, boots.values()), default=0)
    if most > 1:
        yield Finding(
            check=NAME,
            severity="warning",
            cell=None,
            figures=[*FIGURES],
            text="the machine was restarted during the run",
            advice="measure again, without a restart",
            values={"boots": most},
        )


def _finding(figures: list[FigureName], text: str, advice: str = "") -> Finding:
    return Finding(
        check=NAME, severity="limitation", cell=None, figures=figures, text=text, advice=advice
    )
