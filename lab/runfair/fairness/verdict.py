"""The verdict of each figure, from the findings of all checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import merge
from operator import itemgetter

from runfair.evidence.cell import CellEvidence
from runfair.evidence.hosts import noise_floor
from runfair.evidence.run import RunEvidence
from runfair.fairness.bounds import bounds, is_bounded
from runfair.fairness.checks import CHECKS
from runfair.fairness.figures import cell_values, centre, figures_of, interval, those_of
from runfair.formats.finding import CellVerdicts, FigureName, Finding, Verdict, VerdictFile
from runfair.formats.host import Host
from runfair.formats.result import Bounds

NOTHING = (None, None)
# Bounds of a fair figure may exceed its interval on either side by this share of the interval.
WIDENED_BY = 0.5


def judge(run: RunEvidence) -> VerdictFile:
    """The verdicts of a run. Every check runs, and no check can cancel the finding of another."""
    findings = [finding for check in CHECKS for finding in check.check(run)]
    told: dict[str | None, list[tuple[int, Finding]]] = {}
    for place, finding in enumerate(findings):
        told.setdefault(finding.cell, []).append((place, finding))
    of_run = told.get(None, [])
    cells = []
    for one in run.cells:
        mine = merge(told.get(one.cell.id, []), of_run, key=itemgetter(0))
        cells.append(verdicts(one, [finding for _, finding in mine], run.hosts_of(one)))
    return VerdictFile(
        checks={check.NAME: check.VERSION for check in CHECKS},
        cells=cells,
        run=[finding for _, finding in of_run],
    )


def verdicts(
    evidence: CellEvidence, findings: Sequence[Finding], hosts: Sequence[Host] = ()
) -> CellVerdicts:
    """The verdicts of a cell's figures, from its own findings, from the run's warnings and faults,
    and from the noise floors of the hosts that measured the cell."""
    cell = evidence.cell
    mine = [
        finding.model_copy(update={"figures": those_of(cell, finding.figures)})
        for finding in findings
        if finding.cell == cell.id or (finding.cell is None and finding.severity != "limitation")
    ]
    figures = {figure: _verdict(evidence, figure, mine, hosts) for figure in figures_of(cell)}
    return CellVerdicts(cell=cell.id, figures=figures)


def _verdict(
    evidence: CellEvidence,
    figure: FigureName,
    findings: Iterable[Finding],
    hosts: Sequence[Host],
) -> Verdict:
    """The verdict of a figure. The figure is void after a fault without a direction, and after
    faults that leave it neither a lower nor an upper bound. The figure is fair if no doubt about it
    has an unknown size, and if its bounds are hardly wider than its confidence interval."""
    mine = [finding for finding in findings if figure in finding.figures]
    faults = [finding for finding in mine if finding.severity == "fault"]
    if any(finding.effect is None for finding in faults):
        return Verdict(state="void", findings=mine)
    found = bounds(evidence, figure, mine)
    if faults and found in (None, NOTHING):
        return Verdict(state="void", findings=mine)
    unknown = any(
        finding.severity == "warning" and not is_bounded(evidence, figure, finding)
        for finding in mine
    )
    narrow = found is None or _is_narrow(found, evidence, figure, _noise_floor(hosts, figure))
    return Verdict(
        state="fair" if narrow and not unknown and not faults else "flagged",
        bounds=None if found == NOTHING else found,
        findings=mine,
    )


def _noise_floor(hosts: Sequence[Host], figure: FigureName) -> float:
    if figure == "memory":
        return 0.0
    return noise_floor(hosts, "cpu" if figure == "cpu" else "wall")


def _is_narrow(
    found: Bounds, evidence: CellEvidence, figure: FigureName, noise_floor: float
) -> bool:
    """Whether the bounds extend beyond the figure's confidence interval by little: on each side by
    at most the noise floor, or by at most half of the interval's width if this is more."""
    low, high = found
    values = cell_values(evidence, figure)
    if low is None or high is None or not values or min(values) <= 0:
        return False
    middle = centre(values, figure)
    ends = interval(middle)
    if ends is None:
        return False
    allowed = max(noise_floor * middle.value, WIDENED_BY * (ends[1] - ends[0]))
    return ends[0] - low <= allowed and high - ends[1] <= allowed
