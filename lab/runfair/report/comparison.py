"""A comparison as a table, and as a gate that fails if a figure became worse or if a regression
could not have been found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import get_args

from runfair.errors import GateNotMet, InvalidResult, UserMistake
from runfair.fairness.figures import LATENCIES, TIMES
from runfair.formats.comparison import ComparedFigure, Comparison, Outcome
from runfair.formats.finding import FigureName
from runfair.formats.result import Relative
from runfair.report.table import RATIO
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.quantity import bounded_ratio, interval, ratio
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = ("cell", "figure", RATIO, "p (Holm)", "allowed", "change", "verdict")


def comparison_table(comparison: Comparison) -> Table:
    title = f"{comparison.second} against {comparison.first}"
    if comparison.of == "variants":
        title += ", paired on half-blocks"
    else:
        title = f"the second run against the first: {title}"
    return Table(
        title=plain(title),
        columns=COLUMNS,
        rows=tuple(_row(one) for one in comparison.figures),
        notes=tuple(map(plain, _notes(comparison))),
    )


def summary(comparison: Comparison) -> str:
    """The comparison in a line, for example `36 figures: 2 regressions, 30 within the allowed
    change, 4 void`."""
    counted = Counter(one.outcome for one in comparison.figures)
    words = [
        f"{counted[outcome]} {_words(outcome, counted[outcome])}"
        for outcome in get_args(Outcome)
        if counted[outcome]
    ]
    total = len(comparison.figures)
    return f"{total} figure{'' if total == 1 else 's'}: {', '.join(words) or 'none'}"


def _words(outcome: Outcome, count: int) -> str:
    if outcome == "within":
        return "within the allowed change"
    countable = outcome in ("regression", "improvement")
    return f"{outcome}s" if countable and count > 1 else outcome


def _row(one: ComparedFigure) -> Row:
    if one.value is None:
        shown = "void" if one.outcome == "void" else "—"
    else:
        shown = ratio(
            Relative(
                baseline="", value=one.value, interval=one.interval, bounds=one.bounds, p=one.p
            )
        )
    stated = "" if one.p is None else f"{one.p:.2g}"
    change = "" if one.value is None else one.outcome
    return Row(
        (
            plain(one.cell),
            name_of(one.figure),
            shown,
            stated,
            quantity.percent(one.limit),
            change,
            one.verdict if one.value is not None else one.outcome,
        ),
        one.verdict,
    )


def _notes(comparison: Comparison) -> list[str]:
    lines = [summary(comparison)]
    reasons: dict[tuple[Outcome, str], list[str]] = {}
    for one in comparison.figures:
        if one.reason:
            reasons.setdefault((one.outcome, one.reason), []).append(one.cell)
    lines += [
        f"{outcome}: {reason} ({len(cells)} figures)"
        for (outcome, reason), cells in reasons.items()
    ]
    lines += _lacking(comparison.only_first, comparison.second)
    lines += _lacking(comparison.only_second, comparison.first)
    return lines


def _lacking(cells: Sequence[str], run: str) -> list[str]:
    if not cells:
        return []
    more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
    return [
        f"these programs are not compared, because they were not measured in {run}: "
        f"{cells[0]}{more}"
    ]


UNTOLD = ("void", "not measured")


def require_no_regression(comparison: Comparison, figures: Collection[FigureName] = ()) -> None:
    """The gate of a comparison. Raises GateNotMet (exit 4) if a regression is established, and
    InvalidResult (exit 3) if a regression could not have been found: a cell is missing, nothing was
    compared, a requested figure is void or no compared cell has it, or (without requested figures)
    no time of a program or no latency of a service can be compared. Raises UserMistake if the runs
    are from two machines."""
    if not comparison.one_machine:
        raise UserMistake(
            "the two runs are from different machines, and the machines alone may cause a "
            "difference; measure both runs on the same machine, or leave out --fail-on"
        )
    worse = [one for one in comparison.figures if one.outcome == "regression"]
    if worse:
        raise GateNotMet(
            f"{len(worse)} of {len(comparison.figures)} measured values became worse by more "
            f"than the allowed change, for example {_told(worse[0])}"
        )
    if gone := comparison.only_first:
        raise InvalidResult(
            f"{len(gone)} programs of {plain(comparison.first)} cannot be judged, because they "
            f"were not measured in {plain(comparison.second)}; for example {plain(gone[0])}"
        )
    compared = {one.figure for one in comparison.figures}
    for figure in figures:
        if figure not in compared:
            raise InvalidResult(
                f"no compared program or service has the figure {plain(figure)}, so it cannot be "
                "judged; name another with --figure"
            )
    if not compared:
        raise InvalidResult(
            f"nothing can be judged, because no program of {plain(comparison.first)} has a "
            f"counterpart in {plain(comparison.second)}"
        )
    if untold := _untold(comparison.figures, figures):
        one = untold[0]
        raise InvalidResult(
            f"{len(untold)} of {len(comparison.figures)} measured values cannot be judged, "
            f"for example {plain(one.cell)} {name_of(one.figure)} "
            f"({one.reason or one.outcome})"
        )


def _told(one: ComparedFigure) -> str:
    assert one.value is not None  # without one of these figures no regression could have been found
    found = f"{quantity.three_digits(one.value)}{interval(one.interval)}"
    if one.bounds is not None:
        found = bounded_ratio(one.bounds)
    return (
        f"{plain(one.cell)} {name_of(one.figure)}, whose ratio to the baseline is {found} "
        f"(allowed change: {quantity.percent(one.limit)})"
    )


def _untold(
    compared: Sequence[ComparedFigure], figures: Collection[FigureName]
) -> list[ComparedFigure]:
    untold = [one for one in compared if one.outcome in UNTOLD]
    if figures:
        return untold
    # The main figures: the latencies of a service, and the times of a program.
    served = {one.cell for one in compared if one.figure in LATENCIES}
    told = {
        one.cell
        for one in compared
        if one.outcome not in UNTOLD and one.figure in (LATENCIES if one.cell in served else TIMES)
    }
    return [one for one in untold if one.cell not in told]
