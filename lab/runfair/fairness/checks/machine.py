"""The machine did not restart during the run, and its limitations are reported.

**Looks for** these limitations of the machine:

- runfair and the measured programs share processors.
- The machine has no hardware counters.
- The machine is virtual, or it is unknown whether the machine is virtual.
- The clock source is slow.
- The calibration found a setting that disturbs measurements, or could not read a setting.
- The reference loop (a loop of constant work that shows changes of the machine's speed) could not
  run.
- The machine could not meet a requirement of the run's plan, for example because it has too few
  processors.

The check also looks for a restart of the machine between two completed executions. If a run has
several hosts, the check examines each host on which a program was measured. A finding then names
the hosts to which it applies.

**Threshold** After a restart during the run, all measured values of the run are flagged (marked as
doubtful), because memory layout, clock frequency and background services may differ after the
restart. The limitations in the list above are only noted beside the run's tables. Other checks
measure how much a limitation affects the measured values: `foreign_time`, `calibration`,
`wall_over_cpu` and `clock`.

**Source** The section "A noisy machine" of docs/statistics.md describes the machine's properties.
According to the entry "finding" of docs/glossary.md, a limitation is only noted.

**What to do** If the report shows a command beside a limitation, run this command. After a restart,
measure again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.evidence.run import RunEvidence
from runfair.fairness.clocks import CLOCK_SOURCE_RESOLUTION_NS
from runfair.fairness.figures import FIGURES, TIMED
from runfair.formats.finding import FigureName, Finding
from runfair.formats.host import Host

NAME = "machine"
DOUBT = "restarted"
VERSION = 7
_NAMED_AT_MOST = 3
_NOT_TOLD = "not told"
NOT_VIRTUAL = frozenset({"", "none", "no"})


def check(run: RunEvidence) -> Iterator[Finding]:
    yield from _restart(run)
    plan = run.plan
    for text in plan.limitations:
        yield _finding([*FIGURES], text)
    if not set(plan.lab_processors) - set(plan.measured_processors):
        yield _finding(
            [*TIMED],
            (
                "no processor is left for runfair itself, so it runs on the measured "
                "processors and may disturb the programs"
            ),
        )
    if not run.level.readings:
        yield _finding(
            [*TIMED],
            (
                "it is unknown whether the machine's speed changed during the run, because "
                f"runfair's reference loop of constant work did not run{_why_unread(run)}"
            ),
        )
    yield from _limitations_of_hosts(run.hosts_of(*run.cells))


def _limitations_of_hosts(hosts: Sequence[Host]) -> Iterator[Finding]:
    """A finding for each limitation. If the run has several hosts, the finding names the hosts with
    this limitation."""
    found: dict[tuple[str, str], list[str]] = {}
    for host in hosts:
        for limitation in _limitations(host):
            found.setdefault(limitation, []).append(host.name)
    for (text, advice), names in found.items():
        whose = "" if len(hosts) == 1 else f"{_named(names, len(hosts))}: "
        yield _finding([*TIMED], whose + text, advice)


def _named(names: Sequence[str], hosts: int) -> str:
    if len(names) == hosts:
        return f"all {hosts} hosts"
    more = len(names) - _NAMED_AT_MOST
    return ", ".join(names[:_NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _limitations(host: Host) -> Iterator[tuple[str, str]]:
    """A text and an advice for each limitation of a host."""
    if not host.hardware_counters:
        refused = host.hardware_counters_refusal
        text = "this machine has no hardware counters" + (f" ({refused})" if refused else "")
        yield f"{text}, so runfair reports no processor cycles", ""
    if host.virtualised == _NOT_TOLD:
        text = "it is unknown whether this is a virtual machine"
        yield f"{text}, so it is unknown what else runs on its host", ""
    elif host.virtualised.strip().lower() not in NOT_VIRTUAL:
        text = f"this is a virtual machine ({host.virtualised})"
        yield f"{text}, so it is unknown what else runs on its host", ""
    if host.clock_source not in CLOCK_SOURCE_RESOLUTION_NS:
        source = host.clock_source or "unknown"
        yield (
            (
                f"the kernel's clock source is {source}, which may be slow to read, so runfair may "
                "measure short times as longer than they are"
            ),
            "",
        )
    for gate in host.calibration.gates if host.calibration else ():
        if gate.state == "disturbing":
            yield f"{gate.name}: {gate.found}", gate.command
        elif gate.state == "unknown":
            told = gate.found != _NOT_TOLD
            yield f"{gate.name}: unknown ({gate.found if told else 'not reported'})", ""


def _why_unread(run: RunEvidence) -> str:
    plan, lab = run.plan, set(run.plan.lab_processors)
    if lab >= set(plan.measured_processors):
        return " (no processor is free for the loop)"
    return ""


def _restart(run: RunEvidence) -> Iterator[Finding]:
    # Records of older versions do not have this field.
    boots: dict[str, set[str]] = {}
    for one in run.cells:
        for record in (record for each in one.completed for record in each.record.by_host):
            if record.boot_id:
                boots.setdefault(record.host, set()).add(record.boot_id)
    most = max(map(len, boots.values()), default=0)
    if most > 1:
        restarted = [host for host, seen in boots.items() if len(seen) > 1]
        which = "the machine" if len(boots) == 1 else _named(restarted, len(boots))
        yield Finding(
            check=NAME,
            severity="warning",
            cell=None,
            figures=[*FIGURES],
            text=(
                f"{which} {'was' if len(restarted) == 1 else 'were'} restarted during the "
                "run, so the executions before and after the restart may not be comparable"
            ),
            advice="measure again, without restarting a machine",
            values={"boots": most},
        )


def _finding(figures: list[FigureName], text: str, advice: str = "") -> Finding:
    return Finding(
        check=NAME, severity="limitation", cell=None, figures=figures, text=text, advice=advice
    )
