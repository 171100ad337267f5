"""The machine stayed the same, and its limitations are reported.

**Looks for** processors shared between the lab and the programs, missing hardware counters, a
virtual machine, a slow clock source, properties that calibration found disturbing or could not
read, a reference loop that could not run, and what the plan could not arrange; completed executions
of more than one boot of the same host.

**Threshold** a restart during the run flags every figure: memory layout, frequency and services may
differ after the restart. All other findings are limitations of the run, noted beside its tables.
The effect of these limitations on the numbers is measured by `foreign_time`, `calibration`,
`wall_over_cpu` and `clock`.

**Source** docs/statistics.md, "A noisy machine"; docs/glossary.md (finding: a limitation is noted).

**What to do** run the command beside each limitation, if there is one; after a restart, measure
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
            [*TIMED], "the lab has no processor of its own: it shares the measured processors"
        )
    if not run.level.readings:
        yield _finding([*TIMED], f"no reference readings: {_why_unread(run)}")
    if not host.hardware_counters:
        refused = host.hardware_counters_refusal
        text = "this machine has no hardware counters" + (f" ({refused})" if refused else "")
        yield _finding([*TIMED], f"{text}: cycles are not counted")
    if host.virtualised.strip().lower() not in NOT_VIRTUAL:
        yield _finding(
            [*TIMED], f"this is a virtual machine ({host.virtualised}), and its host is unknown"
        )
    if host.clock_source not in CLOCK_SOURCE_RESOLUTION_NS:
        yield _finding([*TIMED], f"the clock source is {host.clock_source or 'not known'}")
    for gate in host.calibration.gates if host.calibration else ():
        if gate.state == "disturbing":
            yield _finding([*TIMED], f"{gate.name}: {gate.found}", gate.command)
        elif gate.state == "unknown":
            yield _finding([*TIMED], f"{gate.name} cannot be established: {gate.found}")


def _why_unread(run: RunEvidence) -> str:
    plan, lab = run.plan, set(run.plan.lab_processors)
    if lab >= set(plan.measured_processors):
        return "the reference loop has no processor of its own"
    return "it is unknown how the machine's speed changed during the run"


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
