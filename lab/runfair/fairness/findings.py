"""Parts of findings that several checks share: the severity of an excess, and a disturbance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import ELAPSED, those_of
from runfair.formats.finding import FigureName, Finding, Severity
from runfair.formats.record import Scalar


def grade(value: float, *, warning: float, fault: float) -> Severity | None:
    """The severity of a value. A value above `warning` is a warning, and a value above `fault` is a
    fault.

    NaN is a fault.
    """
    if not value <= fault:
        return "fault"
    if not value <= warning:
        return "warning"
    return None


QUIETEN = "run `./runfair calibrate`, which prints commands that make the machine quieter"


def disturbance(
    check: str,
    one: CellEvidence,
    severity: Severity,
    text: str,
    values: Mapping[str, Scalar] | None = None,
    figures: Iterable[FigureName] = ELAPSED,
) -> Finding:
    """A finding about a disturbance of some of a cell's figures. If the finding is a limitation, it
    has no advice, because nothing needs repair."""
    return Finding(
        check=check,
        severity=severity,
        cell=one.cell.id,
        figures=those_of(one.cell, figures),
        text=text,
        advice="" if severity == "limitation" else QUIETEN,
        values=dict(values or {}),
        effect="longer",
    )


def on_each_host(
    one: CellEvidence, check: Callable[[CellEvidence], Iterable[Finding]]
) -> Iterator[Finding]:
    """The findings of a check on each host of a cell's service. If there are several hosts, each
    finding names its host."""
    for host, mine in one.by_host.items():
        for finding in check(mine) if mine.completed else ():
            named = {"text": f"{host}: {finding.text}", "values": {**finding.values, "host": host}}
            yield finding.model_copy(update=named) if host else finding


def shares_processors(one: CellEvidence, run: RunEvidence) -> bool:
    """Whether the generator of a driven server runs on the server's processors."""
    records = [execution.record for execution in one.completed]
    return any(record.driven and record.shares_processors(run.plan) for record in records)
