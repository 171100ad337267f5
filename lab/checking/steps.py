"""The steps of the check, ordered so that cheap checks find mistakes first."""

from __future__ import annotations

from collections.abc import Iterator

from checking.blanked_ticks import ticks_cost_nothing
from checking.formatting import formatting
from checking.harnesses import cpp_harness, harnesses, rust_harness
from checking.kotlin import kotlin
from checking.lane import Lane, Stage
from checking.languages import languages_without_runtime
from checking.linting import further_linting, linting, linting_by_cargo
from checking.load_generator import (
    build_load_generator_tests,
    fuzzing,
    sanitizing_load_generator,
    test_load_generator,
    test_optimised_load_generator,
)
from checking.own_programs import build_own_programs
from checking.plain import standard_against_plain
from checking.sanitizing import sanitizing
from checking.services import test_frameworks, test_services
from checking.step import Step
from checking.testing import (
    ordinary,
    ordinary_services,
    pytest,
    single_threaded,
    threaded,
    verify,
)
from checking.toolchain import toolchain
from runfair.catalogue.service import service_benchmarks
from runfair.paths import REPOSITORY

# The step runs at the same time as end-to-end tests, which hold the measurement lock.
VERIFY = (REPOSITORY / "runfair", "verify", "--no-lock")

# Tests without timing share the processors. They are the tests of rooms that only compute, and of
# benchmarks' programs that are run only for their answers.
SIDE_BY_SIDE = ["-n", "auto"]
# Tests of one file share what is computed once in a process.
FILE_BY_FILE = [*SIDE_BY_SIDE, "--dist", "loadfile"]
COMPUTING = [
    f"lab/tests/{room}"
    for room in (
        "catalogue",
        "decision",
        "evidence",
        "export",
        "fairness",
        "formats",
        "history",
        "report",
        "result",
        "statistics",
        "traffic",
        "wording",
    )
]
# These tests compile programs in a separate private folder, which pytest keeps until it ends.
BUILDING = "lab/tests/building"
QUICK = ("-m", "not long")
# Tests marked `alone` assert times, or use a resource that the machine has only once. The others
# run beside compilers.
SHARED = ("-m", "not long and not alone")
ALONE = ("-m", "not long and alone")
# End-to-end tests that run the lab. They run one at a time, because the lab allows only one run.
# Most assert only the result of a run.
MEASURING = ("-m", "not long and measuring and not alone")
NOT_MEASURING = ("-m", "not long and not measuring")


def stages(*, long: bool, write: bool) -> Iterator[Stage]:
    """The stages of the check.

    `write` lets the formatters change files. They then come first, because the other steps read
    these files. Otherwise a file that is not formatted fails. Compilers and computing steps give
    way to tests that mostly wait. Timed tests run last and alone.
    """
    formatted = tuple(formatting(write))
    if write:
        yield [Lane(formatted)]
    yield [
        Lane(tuple(_compiled_by_cargo()), gives_way=True),
        Lane((*(() if write else formatted), *_computed()), gives_way=True),
        Lane(tuple(_waiting())),
    ]
    yield [Lane(tuple(_timed()))]
    if long:
        yield [Lane(tuple(_long()))]


def _compiled_by_cargo() -> Iterator[Step]:
    """Steps that use cargo, one after another, because cargo uses all processors by itself. Crates
    that other lanes also need or build come first, so that each is built only once.
    """
    yield build_own_programs()
    yield from linting_by_cargo()
    yield from rust_harness()
    yield build_load_generator_tests()
    yield languages_without_runtime()
    # Each benchmark is verified once. With `--long`, threaded ones also run with one thread.
    yield verify("verify at tiny", [*VERIFY, *ordinary(single_threaded())])
    for name in service_benchmarks():
        yield verify(f"verify {name} at tiny", [*VERIFY, *ordinary_services(name)])
    yield verify("verify with threads", [*VERIFY, *ordinary(threaded()), "--threads", "2"])
    yield verify("a mutant of each kind in each language", [*VERIFY, "--mutants", "quick"])


def _computed() -> Iterator[Step]:
    yield from linting()
    yield from harnesses()
    yield from test_services()
    yield from kotlin()
    yield pytest("unit tests", [*COMPUTING, *QUICK, *FILE_BY_FILE])
    yield pytest("unit tests of building", [BUILDING, *QUICK])
    # These tests mostly wait, so they run while the first lane compiles.
    yield pytest("tests of sparrow", ["platforms/sparrow", *QUICK])
    yield pytest("pages in a browser", ["tests", *NOT_MEASURING, *SIDE_BY_SIDE])
    yield pytest("tests of newspeak", ["platforms/newspeak", *QUICK, *SIDE_BY_SIDE])
    yield pytest("tests of the benchmarks", ["benchmarks", *QUICK, *SIDE_BY_SIDE])


def _waiting() -> Iterator[Step]:
    others = [f"--ignore={room}" for room in (*COMPUTING, BUILDING)]
    yield pytest("unit tests of processes", ["lab/tests", *others, *SHARED])
    yield pytest("end to end", ["tests", *MEASURING])
    # The first lane has compiled these tests by then.
    yield test_load_generator()


def _timed() -> Iterator[Step]:
    yield pytest("tests of times", ["lab/tests", "tests", *ALONE])


def _long() -> Iterator[Step]:
    yield from further_linting()
    yield from test_frameworks()
    yield from cpp_harness(toolchain("clang"))
    yield from sanitizing()
    yield test_optimised_load_generator()
    yield from sanitizing_load_generator()
    yield from fuzzing()
    yield verify("every mutant", [*VERIFY, "--mutants", "all"])
    # With the tier `plain`, which only the 1.1 rule needs.
    yield verify("verify every variant", [*VERIFY, "--runtimes", "all"])
    yield verify("verify under stress", [*VERIFY, *threaded(), "--threads", "32"])
    yield from standard_against_plain()
    yield from ticks_cost_nothing()
    yield pytest("long tests", ["lab/tests", "benchmarks", "platforms", "tests", "-m", "long"])
