"""The benchmarks of awfy/awfy/contract.md. The form names one of them."""

from __future__ import annotations

import sys

from awfy.awfy.python.bounce import Bounce
from awfy.awfy.python.cd import CD
from awfy.awfy.python.counts import counts
from awfy.awfy.python.deltablue import DeltaBlue
from awfy.awfy.python.havlak import Havlak
from awfy.awfy.python.json import Json
from awfy.awfy.python.list import List
from awfy.awfy.python.mandelbrot import Mandelbrot
from awfy.awfy.python.nbody import NBody
from awfy.awfy.python.permute import Permute
from awfy.awfy.python.queens import Queens
from awfy.awfy.python.richards import Richards
from awfy.awfy.python.sieve import Sieve
from awfy.awfy.python.storage import Storage
from awfy.awfy.python.towers import Towers
from harness.python.harness import Options, fnv1a, main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.benchmark import Benchmark

# Python's own limit is 1000. `havlak` numbers blocks by recursion, which is 4204 calls deep if
# `parallel` is 100, the greatest value.
RECURSION_LIMIT = 10_000

BENCHMARKS = {
    "bounce": Bounce,
    "cd": CD,
    "deltablue": DeltaBlue,
    "json": Json,
    "list": List,
    "mandelbrot": Mandelbrot,
    "nbody": NBody,
    "permute": Permute,
    "queens": Queens,
    "richards": Richards,
    "sieve": Sieve,
    "storage": Storage,
    "towers": Towers,
}


class Task:
    __slots__ = ("benchmark", "inner")

    def __init__(self, benchmark: Benchmark, inner: int) -> None:
        self.benchmark = benchmark
        self.inner = inner


def load(options: Options) -> Task:
    inner, form, parallel = int(options["inner"]), options["form"], int(options["parallel"])
    sys.setrecursionlimit(RECURSION_LIMIT)
    return Task(Havlak(parallel) if form == "havlak" else BENCHMARKS[form](), inner)


def prepare(task: Task) -> Task:
    return task


def run(task: Task) -> int:
    return task.benchmark.run(task.inner)


def digest(answer: int) -> int:
    """The hash of the answer's decimal digits."""
    return fnv1a(str(answer).encode("ascii"))


if __name__ == "__main__":
    main("awfy", load, prepare, run, digest, counts=counts)
