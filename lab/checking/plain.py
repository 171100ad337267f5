"""The 1.1 rule: no `standard` program takes more than 1.1 times the CPU time of the program in tier
`plain`, which was written from the contract alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from checking.pairs import Contest, cell_of, contested
from checking.step import Step
from checking.testing import PLAIN
from runfair.catalogue.benchmark import STANDARD, Benchmark
from runfair.formats.variant import Variant

BOUND = 1.1


def standard_against_plain() -> Iterator[Step]:
    yield from contested("standard against plain", _contests, BOUND)


def _contests(benchmark: Benchmark, variant: Variant) -> Iterator[Contest]:
    plain = cell_of(benchmark, variant, PLAIN)
    standard = cell_of(benchmark, variant, STANDARD) if plain is not None else None
    if standard is not None and plain is not None:
        yield Contest(f"{benchmark.name} {variant.name}", standard, plain)
