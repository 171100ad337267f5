"""The interpreters that the benchmarks of the probe measure: those of CPython, HotSpot and V8, each
without a JIT compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.runtime import select, variants
from runfair.errors import UserMistake
from runfair.experiment.by_hand import ProgramOptions, cell_by_hand, command_of
from runfair.formats.plan import Cell
from runfair.formats.variant import Variant
from runfair.probing.adapter import adapter_of

ALONE = {
    "cpython": (),
    "hotspot": ("-Xint",),
    "node": ("--no-opt", "--no-sparkplug", "--no-maglev"),
}
"""The options that switch a runtime's compilers off, by the name of the probe's adapter."""

LANGUAGES = ("python", "java", "javascript")


@dataclass(frozen=True)
class Interpreter:
    """An interpreter, and the name of the probe's adapter for it."""

    variant: Variant
    runtime: str

    @property
    def name(self) -> str:
        return " ".join((self.variant.name, *ALONE[self.runtime]))

    @property
    def start(self) -> list[str]:
        """The beginning of a command that runs a program in this interpreter."""
        assert self.variant.executable is not None
        return [self.variant.executable, *ALONE[self.runtime]]

    def cell(self, benchmark: Benchmark, asked: ProgramOptions) -> Cell:
        return cell_by_hand(benchmark, self.variant, asked)

    def command(self, cell: Cell, asked: ProgramOptions, samples: Path) -> list[str]:
        """The command of a benchmark's program in this interpreter."""
        executable, *rest = command_of(cell, asked, samples)
        return [executable, *ALONE[self.runtime], *rest]


def interpreters(names: Sequence[str]) -> list[Interpreter]:
    """The interpreters of the named variants; without names, those of the default variants. The
    name of a language, a family or a runtime stands for its default variant. Raises UserMistake if
    a variant cannot be probed."""
    chosen = [_variant(name) for name in names] if names else select(["default"], variants())
    found = []
    for variant in chosen:
        adapter = adapter_of(variant.family)
        ready = variant.state == "ready" and variant.executable is not None
        if adapter is not None and ready and variant.language in LANGUAGES:
            found.append(Interpreter(variant, adapter.runtime))
        elif names:
            raise UserMistake(f"{variant.name} cannot be probed here")
    return found


def _variant(name: str) -> Variant:
    matching = select([name], variants())
    defaults = [one for one in matching if one.default]
    return matching[0] if len(matching) == 1 else (defaults or matching)[0]
