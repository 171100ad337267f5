"""Short names, used in lines with little room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from runfair.formats.plan import Factors, Mode
from runfair.formats.result import CellResult, GeometricMean
from runfair.wording.naming import label, surroundings
from runfair.wording.text import short

MOST_NAMED = 4
_VERSION = re.compile(r"^([^-+ ]+)[-+][^ ]*")


def names_of(cells: Iterable[CellResult]) -> dict[str, str]:
    """A short name for each cell: a program's runtime (`rust` for `rust-1.95.0`), a service without
    its variant. A cell keeps its whole label if another cell would get the same short name."""
    shortened = {cell.id: (_short(cell), label(cell)) for cell in cells}
    return _distinct(shortened)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Short names for the labels of programs, as in `names_of`."""
    return _distinct({name: (_without_version(name), name) for name in names})


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """At most `most` names or numbers as text, for example `go, node and 3 more`."""
    if len(names) > most:
        rest = len(names) - most + 1
        return f"{', '.join(names[: most - 1])} and {rest} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _short(cell: CellResult) -> str:
    return _without_version(label(cell)) if cell.served is None else short(cell.served.service)


def _without_version(name: str) -> str:
    return _VERSION.sub(r"\1", name)


def _distinct(names: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """A name for each long name: its short name, or the long name itself if several long names have
    the same short name."""
    sharing: dict[str, set[str]] = {}
    for brief, whole in names.values():
        sharing.setdefault(brief, set()).add(whole)
    return {
        key: brief if len(sharing[brief]) == 1 else whole for key, (brief, whole) in names.items()
    }


_WORDS: dict[tuple[bool, Mode], str] = {
    (False, "steady"): "steady state",
    (False, "cold"): "whole process",
    (True, "steady"): "passes over a server",
    (True, "cold"): "first pass over a server",
}


class Condition(NamedTuple):
    driven: bool
    mode: Mode
    size: str
    tier: str
    threads: int
    factors: Factors

    @property
    def label(self) -> str:
        """The condition of a cell in words, for example `steady state, small, 2 threads`. Default
        values are left out."""
        parts = [_WORDS[self.driven, self.mode]]
        parts += [self.size] if self.size != self.mode else []
        parts += [f"tier {self.tier}"] if self.tier != "standard" else []
        usual = "1 thread"
        parts += [one for one in surroundings(self.threads, self.factors) if one != usual]
        return ", ".join(parts)


def condition_of(one: CellResult | GeometricMean) -> Condition:
    driven = one.driven if isinstance(one, GeometricMean) else one.drive is not None
    return Condition(driven, one.mode, one.size, one.tier, one.threads, one.factors)
