"""The gate of a comparison: it opens if nothing became worse and nothing is undecided."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from runfair.errors import GateNotMet, InvalidResult, UserMistake
from runfair.fairness.figures import LATENCIES, TIMES
from runfair.formats.comparison import ComparedFigure, Comparison
from runfair.formats.finding import FigureName
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.quantity import bounded_ratio, interval
from runfair.wording.text import plain

UNTOLD = ("void", "not measured")


def require_no_regression(comparison: Comparison, figures: Collection[FigureName] = ()) -> None:
    """GateNotMet (exit 4) where a regression is established. InvalidResult (exit 3) where one could
    not have been: a cell that is gone, a figure asked for that is void, and, where none is asked
    for, a program none of whose times, or a service none of whose latencies, can be compared.
    UserMistake for runs of two machines."""
    if not comparison.one_machine:
        raise UserMistake(
            "a difference between two machines is no regression: measure both on the same "
            "machine, or omit --fail-on"
        )
    worse = [one for one in comparison.figures if one.outcome == "regression"]
    if worse:
        raise GateNotMet(
            f"{len(worse)} of {len(comparison.figures)} figures became worse by more than is "
            f"allowed, first {_told(worse[0])}"
        )
    if gone := comparison.only_first:
        raise InvalidResult(
            f"{len(gone)} of the first run's cells cannot be judged: the second run lacks them; "
            f"first {plain(gone[0])}"
        )
    if untold := _untold(comparison.figures, figures):
        one = untold[0]
        raise InvalidResult(
            f"{len(untold)} of {len(comparison.figures)} figures cannot be judged, first "
            f"{plain(one.cell)} {name_of(one.figure)}: {one.reason or one.outcome}"
        )


def _told(one: ComparedFigure) -> str:
    assert one.value is not None  # no regression is established without
    found = f"{quantity.three_digits(one.value)}{interval(one.interval)}"
    if one.bounds is not None:
        found = bounded_ratio(one.bounds)
    return (
        f"{plain(one.cell)} {name_of(one.figure)}: × {found}, {quantity.percent(one.limit)} allowed"
    )


def _untold(
    compared: Sequence[ComparedFigure], figures: Collection[FigureName]
) -> list[ComparedFigure]:
    untold = [one for one in compared if one.outcome in UNTOLD]
    if figures:
        return untold
    # As a run is judged: a service was measured for its latencies, a program for its times.
    served = {one.cell for one in compared if one.figure in LATENCIES}
    told = {
        one.cell
        for one in compared
        if one.outcome not in UNTOLD and one.figure in (LATENCIES if one.cell in served else TIMES)
    }
    return [one for one in untold if one.cell not in told]
