"""The cost of V8's checks as text."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath

from runfair.formats.checks import CheckPlace, ChecksResult, RemovalCost
from runfair.wording.text import brief

PLACES = 4  # shown in a row
BUILTINS = 6  # shown
LONGEST_NAME = 80
LOWER_BOUNDS = (
    "The savings of several rows cannot be added. Each saving is a lower bound of the cost of the "
    "removed checks, because the code still loads the hidden classes and lengths that these checks "
    "compared"
)


def removal_name(cost: RemovalCost) -> str:
    return "control: nothing" if cost.removed == "nothing" else cost.removed


def saving(cost: RemovalCost) -> str:
    """The share of the CPU time that is saved, with its interval: `18.9% [14.3, 23.3]`."""
    if cost.saved is None:
        return "—"
    value, low, high = (
        f"{100 * each:.1f}" for each in (cost.saved.value, cost.saved.low, cost.saved.high)
    )
    return f"{value}% [{low}, {high}]"


def places_text(result: ChecksResult, cost: RemovalCost) -> str:
    """The source lines and columns with the most of the removed checks."""
    places = [place for place in result.places if place.kind == cost.removed]
    shown = [
        f"{brief(PurePosixPath(place.path).name, LONGEST_NAME)}:{_where(place)}"
        + (f" ×{place.checks}" if place.checks > 1 else "")
        for place in places[:PLACES]
    ]
    more = len(places) - PLACES
    return "  ".join([*shown, f"{more} more places"] if more > 0 else shown)


def calls_of_builtins(result: ChecksResult) -> str:
    """A sentence with the built-in functions that the code calls; empty if there are none."""
    total: Counter[str] = Counter()
    for code in result.codes:
        total.update(code.builtins)
    called = [
        f"{brief(name, LONGEST_NAME)} ×{count}" for name, count in total.most_common(BUILTINS)
    ]
    if not called:
        return ""
    return (
        "The table does not include the checks inside V8's built-in functions, because runfair "
        "does not remove these checks. The measured code calls these functions: "
        f"{'  '.join(called)}"
    )


def _where(place: CheckPlace) -> str:
    if place.line is None:
        return f"position {place.position}"
    return f"{place.line}:{place.column}"
