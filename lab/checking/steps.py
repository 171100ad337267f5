"""The steps of the check, in the order in which a mistake is cheapest to find."""

from __future__ import annotations

from collections.abc import Iterator

from checking.formatting import formatting
from checking.harnesses import harnesses
from checking.linting import linting, linting_tiers
from checking.load_generator import fuzzing, sanitizing_load_generator, test_load_generator
from checking.relay import test_relay
from checking.sanitizing import sanitizing
from checking.step import Step
from checking.testing import languages_without_runtime, pytest, threaded, verify
from runfair.paths import REPOSITORY

RUNFAIR = REPOSITORY / "runfair"

# Tests share the processors where they start nothing that is timed: rooms that compute, and the
# benchmarks' programs, of which answers are asked.
SIDE_BY_SIDE = ["-n", "auto"]
COMPUTING = [
    f"lab/tests/{room}"
    for room in (
        "catalogue",
        "decision",
        "export",
        "fairness",
        "formats",
        "history",
        "report",
        "statistics",
        "traffic",
    )
]


def steps(*, long: bool, write: bool) -> Iterator[Step]:
    """`write` lets the formatters change files; otherwise a file that is not formatted fails."""
    yield from formatting(write)
    yield from linting()
    yield from harnesses()
    yield test_load_generator()
    yield test_relay()
    yield pytest("unit tests", [*COMPUTING, "-m", "not long", *SIDE_BY_SIDE])
    others = [f"--ignore={room}" for room in COMPUTING]
    yield pytest("unit tests of processes", ["lab/tests", *others, "-m", "not long"])
    yield pytest("tests of the benchmarks", ["benchmarks", "-m", "not long", *SIDE_BY_SIDE])
    yield languages_without_runtime()
    yield verify("verify at tiny", [RUNFAIR, "verify"])
    yield verify("verify with threads", [RUNFAIR, "verify", *threaded(), "--threads", "2"])
    yield pytest("end to end", ["tests", "-m", "not long"])
    if long:
        yield from linting_tiers()
        yield from sanitizing()
        yield from sanitizing_load_generator()
        yield from fuzzing()
        yield verify("verify every variant", [RUNFAIR, "verify", "--runtimes", "all"])
        yield verify("verify under stress", [RUNFAIR, "verify", *threaded(), "--threads", "32"])
        yield pytest("long tests", ["lab/tests", "benchmarks", "tests", "-m", "long"])
