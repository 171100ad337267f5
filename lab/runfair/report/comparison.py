"""Two variants of a run, or two runs, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.errors import UserMistake
from runfair.fairness.evidence import CellEvidence, RunEvidence
from runfair.fairness.figures import cell_values
from runfair.fairness.verdict import judge
from runfair.formats.finding import FigureName, Verdict, VerdictState
from runfair.formats.host import Host
from runfair.formats.plan import Plan
from runfair.formats.result import Relative
from runfair.report import quantity
from runfair.report.grid import Row, Table
from runfair.report.model import compare, interval_of
from runfair.report.notes import NAMES
from runfair.report.plain_text import plain
from runfair.report.table import RATIO, SHOWN, ratio
from runfair.report.verdict_words import worst
from runfair.statistics.comparison import Ratio, welch_ratio
from runfair.statistics.drift import drift_between
from runfair.statistics.multiplicity import holm

Verdicts = dict[str, dict[FigureName, Verdict]]


def between_variants(run: RunEvidence, first: str, second: str) -> Table:
    """`second` against `first` in every group that has both, paired on half-blocks."""
    for name in (first, second):
        if all(one.cell.variant != name for one in run.cells):
            known = ", ".join(sorted({one.cell.variant for one in run.cells}))
            raise UserMistake(f"{name!r} was not measured in this run; there are: {known}")
    verdicts = _verdicts(run)
    pairs: list[tuple[str, CellEvidence, CellEvidence]] = []
    for group in run.groups():
        members = {(one.cell.variant, one.cell.tier): one for one in group}
        for (variant, tier), one in members.items():
            if variant == first and (second, tier) in members:
                cell = one.cell
                name = f"{cell.benchmark} {cell.workload} {cell.size} {cell.mode}"
                pairs.append((name, one, members[second, tier]))
    rows = _rows(
        [
            (
                name,
                figure,
                _ratio(compare(theirs, ours, figure), verdicts, verdicts, ours, theirs, figure),
            )
            for name, ours, theirs in pairs
            for figure in SHOWN
        ]
    )
    return Table(f"{second} against {first}, paired on half-blocks", COLUMNS, rows)


def between_runs(first: RunEvidence, second: RunEvidence) -> Table:
    """The cells that both runs have, the second's against the first's, by Welch's test.

    No pairs exist between runs, so a machine that changed in between shows as a difference: what
    is compared is at best flagged, and void where the reference loop's speed differs by more than
    2%, or where either run has no calibration to tell.
    """
    before, after = _verdicts(first), _verdicts(second)
    speed = _speed(first.host, second.host)
    cells = {one.cell.id: one for one in first.cells}
    shared = [(cells[one.cell.id], one) for one in second.cells if one.cell.id in cells]
    if not shared:
        raise UserMistake("the two runs have no cell in common: nothing can be compared")
    rows = _rows(
        [
            (
                ours.cell.id,
                figure,
                _unlike(
                    _ratio(_unpaired(theirs, ours, figure), before, after, ours, theirs, figure),
                    "fair" if figure == "memory" else speed,
                ),
            )
            for ours, theirs in shared
            for figure in SHOWN
        ]
    )
    return Table("the second run against the first", COLUMNS, rows)


VOID_DRIFT = 0.02
"""As within a calibration: docs/statistics.md, "A noisy machine"."""

COLUMNS = ("cell", "figure", RATIO, "p (Holm)", "verdict")


def differences(first: RunEvidence, second: RunEvidence) -> list[str]:
    """What else differs between two runs than what is compared: a line each."""
    lines = _differing(_of_host(first.host), _of_host(second.host))
    lines += _differing(_of_plan(first.plan), _of_plan(second.plan))
    variants = {one.name: one for one in first.plan.variants}
    artefacts = {one.cell.id: one.cell.artefact.sha256 for one in first.cells}
    changed = sorted(
        {
            one.cell.variant
            for one in second.cells
            if artefacts.get(one.cell.id, one.cell.artefact.sha256) != one.cell.artefact.sha256
        }
    )
    if changed:
        lines.append(f"the programs themselves, of {', '.join(changed)}")
    for variant in second.plan.variants:
        known = variants.get(variant.name)
        if known is not None and known.identity != variant.identity:
            lines.append(f"{variant.name} says something else of itself in each run")
    return lines


def _speed(first: Host, second: Host) -> VerdictState:
    """How far times of the two may be compared, by the reference loop of their calibrations."""
    if first.calibration is None or second.calibration is None:
        return "void"
    before_ns, after_ns = first.calibration.reference_ns, second.calibration.reference_ns
    return "void" if abs(drift_between([before_ns], [after_ns])) > VOID_DRIFT else "flagged"


def _unlike(
    compared: tuple[Ratio | None, VerdictState], speed: VerdictState
) -> tuple[Ratio | None, VerdictState]:
    found, state = compared
    both = worst([state, speed])
    return (None if both == "void" else found), both


def _of_host(host: Host) -> dict[str, object]:
    return {
        "machine": host.name,
        "processor": host.processor_model,
        "processors": len(host.processors),
        "memory": host.memory_bytes,
        "kernel": host.kernel,
        "boot": host.boot_id,
        "reference loop": _calibrated(host),
    }


def _calibrated(host: Host) -> str:
    if host.calibration is None:
        return "none"
    return quantity.duration(host.calibration.reference_ns)


def _of_plan(plan: Plan) -> dict[str, object]:
    return {
        "runfair": plan.runfair,
        "profile": plan.profile,
        "executions": plan.effort.executions,
        "seconds an execution": plan.effort.max_seconds,
        "measured processors": plan.measured_processors,
    }


def _differing(first: dict[str, object], second: dict[str, object]) -> list[str]:
    return [
        f"{name}: {first[name]} and {second[name]}" for name in first if first[name] != second[name]
    ]


def _verdicts(run: RunEvidence) -> Verdicts:
    return {one.cell: one.figures for one in judge(run).cells}


def _unpaired(one: CellEvidence, baseline: CellEvidence, figure: FigureName) -> Ratio | None:
    ours, theirs = cell_values(one, figure), cell_values(baseline, figure)
    if not ours or not theirs or min(*ours, *theirs) <= 0:
        return None
    return welch_ratio(ours, theirs)


def _ratio(
    found: Ratio | None,
    before: Verdicts,
    after: Verdicts,
    ours: CellEvidence,
    theirs: CellEvidence,
    figure: FigureName,
) -> tuple[Ratio | None, VerdictState]:
    state = worst([before[ours.cell.id][figure].state, after[theirs.cell.id][figure].state])
    return (None if state == "void" else found), state


def _rows(
    compared: Sequence[tuple[str, FigureName, tuple[Ratio | None, VerdictState]]],
) -> tuple[Row, ...]:
    adjusted = holm([found.p if found else None for _, _, (found, _) in compared])
    rows = []
    for (name, figure, (found, state)), p in zip(compared, adjusted, strict=True):
        shown = "void" if state == "void" else "—"
        if found is not None:
            shown = ratio(
                Relative(baseline="", value=found.value, interval=interval_of(found), p=p)
            )
        stated = "" if p is None else f"{p:.2g}"
        rows.append(Row((plain(name), NAMES[figure], shown, stated, state), state))
    return tuple(rows)
