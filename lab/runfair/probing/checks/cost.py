"""What checks cost: the CPU time of iterations with checks, against iterations without them.

A round measures every removal once, the removal of nothing, and the untouched code, in a random
order; every second round has the mirrored order of the round before. Rounds are short, so that a
machine whose speed changes affects a round as a whole. Each removal is compared with
the untouched code of its own round (statistics.comparison, paired).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil

from runfair.errors import InvalidResult, UserMistake
from runfair.formats.checks import CheckKind, RemovalCost
from runfair.formats.estimate import Estimate
from runfair.probing.checks.check import Patch, inverse, unchanged
from runfair.probing.checks.listing import CodeObject
from runfair.probing.checks.patched_process import CodeChanged, PatchedProcess
from runfair.probing.checks.selection import Selection, containing, holds, select, size_compared
from runfair.statistics.comparison import paired_ratio
from runfair.statistics.log_interval import telling

ATTEMPTS = 5
"""How often the rounds begin again because V8 compiled the functions again."""

CALM_ITERATIONS = 10
FEWEST_ROUNDS = 2
CLOCK_NS = 1_000
"""process.cpuUsage() counts whole microseconds."""
CLOCK_ITERATIONS = 1_000
"""After so many iterations, their mean CPU time is known well enough to compare it with the clock's
resolution."""
SEED = 1


@dataclass(frozen=True)
class Effort:
    """How long to measure. Code counts as final when V8 has not compiled the functions for
    `calm_ns` of CPU time; the warm-up ends after `longest_warm_up_ns` of CPU time at the latest.
    Each removal is measured for at least `each_ns` of CPU time a round."""

    rounds: int = 40
    each_ns: float = 20e6
    calm_ns: float = 1e9
    longest_warm_up_ns: float = 60e9


@dataclass(frozen=True)
class Measurement:
    """The costs, the checks that were measured (`selection`), and the number of complete `rounds`.
    `cpu_ns` is the mean CPU time of an iteration of untouched code; `restored_bytes` is the number
    of bytes that were equal to the listing at the end."""

    selection: Selection
    costs: list[RemovalCost]
    rounds: int
    iterations_each: int
    cpu_ns: float
    restored_bytes: int


class _Ended(Exception):
    """The program ended by itself."""


def measure(process: PatchedProcess, names: Sequence[str], effort: Effort) -> Measurement:
    """The costs of the checks in the functions of the process. Raises UserMistake if TurboFan does
    not compile the functions, InvalidResult if their code does not stay the same."""
    for _ in range(ATTEMPTS):
        iteration_ns = _warm_up(process, names, effort)
        selection = select(process, names)
        if not selection.codes:
            raise UserMistake(
                f"in node {process.version}, the machine code of {', '.join(names)} differs from "
                "the code that V8 printed, so runfair removed no checks from it; use another "
                "version of Node"
            )
        each = max(1, ceil(effort.each_ns / max(iteration_ns, 1)))
        rounds = _Rounds(process, names, selection, each)
        try:
            return rounds.measurement(effort.rounds)
        except CodeChanged:
            continue
    raise InvalidResult(
        f"V8 compiled {', '.join(names)} again during each of {ATTEMPTS} attempts, so runfair "
        "cannot measure the cost of the checks in this code"
    )


def _warm_up(process: PatchedProcess, names: Sequence[str], effort: Effort) -> float:
    """Runs until the functions have TurboFan's code and keep it. Returns the CPU time of an
    iteration, in nanoseconds."""
    spent = calm = last_ns = 0.0
    iterations = 0
    known: list[CodeObject] = []
    while calm < effort.calm_ns or iterations < CALM_ITERATIONS or _missing(known, names):
        cpu_ns = process.iteration()
        if cpu_ns is None:
            raise UserMistake(_too_short(process, known, names))
        last_ns = cpu_ns
        spent, calm, iterations = spent + cpu_ns, calm + cpu_ns, iterations + 1
        found = containing(process.listing, names)
        if found != known:
            calm, iterations, known = 0.0, 0, found
        if iterations >= CLOCK_ITERATIONS and calm < iterations * CLOCK_NS:
            raise UserMistake(
                "an iteration of the program uses less than 1 µs of CPU time, which is too short "
                "to measure; let each iteration do more work"
            )
        if spent > effort.longest_warm_up_ns:
            if missing := _missing(known, names):
                raise UserMistake(_not_compiled(process, missing))
            break
    return calm / iterations if iterations else last_ns


def _missing(codes: Sequence[CodeObject], names: Sequence[str]) -> list[str]:
    present = {one.name for code in codes for one in code.functions}
    return [name for name in names if name not in present]


def _too_short(process: PatchedProcess, codes: Sequence[CodeObject], names: Sequence[str]) -> str:
    if missing := _missing(codes, names):
        return (
            "the program ended before V8 had compiled all named functions; "
            f"{_not_compiled(process, missing)}, or let the program run more iterations"
        )
    return (
        "the program ended before V8 had finished optimising its code; let the program run more "
        "iterations"
    )


def _not_compiled(process: PatchedProcess, missing: Sequence[str]) -> str:
    compiled = sorted(
        {one.name for code in process.listing.code_objects for one in code.functions} - {""}
    )
    return (
        f"TurboFan (V8's optimising compiler) did not compile {', '.join(missing)}; it compiled "
        f"{', '.join(compiled) or 'nothing'}; correct the names of the functions"
    )


class _Rounds:
    """The rounds over one selection. `each` is the number of iterations for a removal."""

    def __init__(
        self, process: PatchedProcess, names: Collection[str], selection: Selection, each: int
    ) -> None:
        self.process = process
        self.names = names
        self.selection = selection
        self.each = each
        self.codes = containing(process.listing, names)
        # For each removal, the patches of each code object.
        whole = selection.removal(selection.kinds)
        self.patches: dict[str, list[list[Patch]]] = {
            "": [],
            "nothing": [unchanged(patches) for patches in whole],
            **{kind: selection.removal([kind]) for kind in selection.kinds},
            "all": whole,
        }
        self.cpu_ns: dict[str, list[int]] = {name: [] for name in self.patches}

    def measurement(self, rounds: int) -> Measurement:
        shuffled = random.Random(SEED)
        order = list(self.patches)
        complete = 0
        try:
            for complete in range(rounds):
                if complete % 2:
                    order.reverse()
                else:
                    shuffled.shuffle(order)
                measured = {name: self._measured(name) for name in order}
                for name, cpu_ns in measured.items():
                    self.cpu_ns[name].append(cpu_ns)
                self._check_restored()
            complete = rounds
        except _Ended:
            if complete < FEWEST_ROUNDS:
                raise UserMistake(
                    f"the program ended after {complete} rounds of measurements, which are too "
                    "few; let the program run more iterations"
                ) from None
        return Measurement(
            self.selection,
            self._costs(),
            complete,
            self.each,
            sum(self.cpu_ns[""]) / (complete * self.each),
            size_compared(self.selection.codes),
        )

    def _measured(self, name: str) -> int:
        """The CPU time of the iterations without these checks, which are restored after them."""
        written: list[list[Patch]] = []
        try:
            for patches in self.patches[name]:
                self.process.write(patches)
                written.append(patches)
            total = self._iterations(name)
        finally:
            if self.process.running:
                self._restore(written)
        if containing(self.process.listing, self.names) != self.codes:
            raise CodeChanged("V8 compiled the functions again")
        return total

    def _iterations(self, name: str) -> int:
        total = 0
        for _ in range(self.each):
            cpu_ns = self.process.iteration()
            if cpu_ns is None:
                if self.process.status != 0:
                    raise InvalidResult(
                        f"the program ended with status {self.process.status} while these checks "
                        f"were removed: {name or 'none'}"
                    )
                raise _Ended
            total += cpu_ns
        return total

    def _restore(self, written: Sequence[Sequence[Patch]]) -> None:
        """Restores every code object. If V8 has freed a code object meanwhile, the others are
        restored all the same."""
        lost: CodeChanged | None = None
        for patches in written:
            try:
                self.process.write(inverse(patches))
            except CodeChanged as error:
                lost = error
        if lost is not None:
            raise lost

    def _check_restored(self) -> None:
        for code in self.selection.codes:
            if not holds(self.process, code):
                raise CodeChanged(
                    f"after the measurement, the code of {code.root.name} was not the original "
                    "code, so this attempt is void"
                )

    def _costs(self) -> list[RemovalCost]:
        kinds: list[CheckKind] = self.selection.kinds
        return [
            *(
                RemovalCost(
                    removed=kind,
                    checks=len(self.selection.of_kinds([kind])),
                    saved=self._saved(kind),
                )
                for kind in kinds
            ),
            RemovalCost(removed="all", checks=len(self.selection.checks), saved=self._saved("all")),
            RemovalCost(removed="nothing", checks=0, saved=self._saved("nothing")),
        ]

    def _saved(self, name: str) -> Estimate | None:
        ratio = paired_ratio(self.cpu_ns[name], self.cpu_ns[""])
        limits = telling(ratio.low, ratio.high)
        if limits is None:
            return None
        return Estimate(value=1 - ratio.value, low=1 - limits[1], high=1 - limits[0])
