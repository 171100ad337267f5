"""The steps of the check, in the order in which a mistake is cheapest to find."""

from __future__ import annotations

from collections.abc import Iterator

from checking.formatting import formatting
from checking.harnesses import harnesses, rust_harness
from checking.kotlin import kotlin
from checking.lane import Lane, Stage
from checking.languages import languages_without_runtime
from checking.linting import linting, linting_by_cargo, linting_tiers
from checking.load_generator import (
    build_load_generator_tests,
    fuzzing,
    sanitizing_load_generator,
    test_load_generator,
    test_optimised_load_generator,
)
from checking.own_programs import build_own_programs
from checking.relay import build_relay_tests, test_relay
from checking.sanitizing import sanitizing
from checking.step import Step
from checking.testing import pytest, threaded, verify
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
# Compiles programs, in a private folder of its own that pytest keeps to its end.
BUILDING = "lab/tests/building"
QUICK = ("-m", "not long")
# Of the end-to-end tests, those that run the lab; the marker is set in conftest.py.
MEASURING = ("-m", "not long and measuring")
NOT_MEASURING = ("-m", "not long and not measuring")


def stages(*, long: bool, write: bool) -> Iterator[Stage]:
    """Formatters first, as they change what the rest reads; then what compiles and computes, which
    gives way to the tests beside it that mostly wait; then, alone, what is timed. `write` lets the
    formatters change files; otherwise a file that is not formatted fails."""
    yield [Lane(tuple(formatting(write)))]
    yield [
        Lane(tuple(_compiled_by_cargo()), gives_way=True),
        Lane(tuple(_computed()), gives_way=True),
        Lane((_waiting(),)),
    ]
    yield [Lane(tuple(_timed()))]
    if long:
        yield [Lane(tuple(_long()))]


def _compiled_by_cargo() -> Iterator[Step]:
    """Cargo uses all processors by itself. First what other lanes need; then what they build too,
    so that it is built once."""
    yield build_own_programs()
    yield from linting_by_cargo()
    yield from rust_harness()
    yield build_load_generator_tests()
    yield build_relay_tests()
    yield languages_without_runtime()
    yield verify("verify at tiny", [RUNFAIR, "verify"])
    yield verify("verify with threads", [RUNFAIR, "verify", *threaded(), "--threads", "2"])
    yield verify("a mutant of each language", [RUNFAIR, "verify", "--mutants", "quick"])
    yield pytest("tests of the benchmarks", ["benchmarks", *QUICK, *SIDE_BY_SIDE])
    yield pytest("tests of newspeak", ["platforms/newspeak", *QUICK, *SIDE_BY_SIDE])


def _computed() -> Iterator[Step]:
    yield from linting()
    yield from harnesses()
    yield from kotlin()
    yield pytest("unit tests", [*COMPUTING, *QUICK, *SIDE_BY_SIDE])
    yield pytest("unit tests of building", [BUILDING, *QUICK])
    yield pytest("pages in a browser", ["tests", *NOT_MEASURING, *SIDE_BY_SIDE])


def _waiting() -> Step:
    others = [f"--ignore={room}" for room in (*COMPUTING, BUILDING)]
    return pytest("unit tests of processes", ["lab/tests", *others, *QUICK])


def _timed() -> Iterator[Step]:
    yield test_load_generator()
    yield test_relay()
    yield pytest("end to end", ["tests", *MEASURING])


def _long() -> Iterator[Step]:
    yield from linting_tiers()
    yield from sanitizing()
    yield test_optimised_load_generator()
    yield from sanitizing_load_generator()
    yield from fuzzing()
    yield verify("every mutant", [RUNFAIR, "verify", "--mutants", "all"])
    yield verify("verify every variant", [RUNFAIR, "verify", "--runtimes", "all"])
    yield verify("verify under stress", [RUNFAIR, "verify", *threaded(), "--threads", "32"])
    yield pytest("long tests", ["lab/tests", "benchmarks", "tests", "-m", "long"])
