"""What programs are compared in: mode, size and surroundings, without benchmark and variant."""

from __future__ import annotations

from typing import NamedTuple

from runfair.formats.plan import Factors, Mode
from runfair.formats.result import CellResult, GeometricMean
from runfair.wording.naming import surroundings

_WORDS: dict[tuple[bool, Mode], str] = {
    (False, "steady"): "steady state",
    (False, "cold"): "whole process",
    (True, "steady"): "passes over a server",
    (True, "cold"): "first pass over a server",
}


class Kind(NamedTuple):
    driven: bool
    mode: Mode
    size: str
    tier: str
    threads: int
    factors: Factors

    @property
    def label(self) -> str:
        """`steady state, small, 2 threads`; what is as usual is left out."""
        parts = [_WORDS[self.driven, self.mode]]
        parts += [self.size] if self.size != self.mode else []
        parts += [f"tier {self.tier}"] if self.tier != "standard" else []
        usual = "1 thread"
        parts += [one for one in surroundings(self.threads, self.factors) if one != usual]
        return ", ".join(parts)


def kind_of(one: CellResult | GeometricMean) -> Kind:
    driven = one.driven if isinstance(one, GeometricMean) else one.drive is not None
    return Kind(driven, one.mode, one.size, one.tier, one.threads, one.factors)
