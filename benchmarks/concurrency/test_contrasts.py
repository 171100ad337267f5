"""Tests that the suite shows the contrasts between languages that it was made for, with wide
margins.

Each contrast is asserted in the unit of its figure, as a ratio of two programs. The programs run
one after the other, so that a busy machine slows both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pytest

from built_program import BuiltProgram, Event, Given, built
from runfair.catalogue.benchmark import STANDARD
from runfair.formats.distribution import histogram
from runfair.installing.offer import FetchFailed
from runfair.installing.registry import install

pytestmark = pytest.mark.long

# Half a second of work for one processor, in tasks of 30 ms.
BURNERS: Given = {"burners": 16, "rounds": 20_000_000, "period_us": 10_000}
# One task of about 0.7 s for each processor.
LONG_BURNERS: Given = {**BURNERS, "burners": 2, "rounds": 600_000_000}
HOPS: Given = {"workload": "rendezvous", "stages": 100, "values": 200, "iterations": 50}
SPINNERS: Given = {"tasks": 10, "turns": 6000, "turn_us": 100}
SLEEPERS: Given = {"tasks": 100, "pause_ms": 10}
WITHOUT_PREEMPTION = {"GODEBUG": "asyncpreemptoff=1"}
WINDOW: Given = {"tasks": 16, "rounds": 200_000, "iterations": 300}
# The least share of a window's processor time that the program must have had.
UNDISTURBED = 0.95


def iterations(program: BuiltProgram, work: Given, environment: Mapping[str, str]) -> list[Event]:
    both = {**program.timed.environment, **environment}
    artefact = program.timed.model_copy(update={"environment": both})
    outcome = program.run_with(*program.options(**work), artefact=artefact)
    assert outcome.status == 0, outcome.errors
    return outcome.of_event("iteration")


def percentile(
    benchmark: str,
    distribution: str,
    share: float,
    work: Given,
    folder: Path,
    *,
    language: str,
    tier: str = STANDARD,
    runtime: str = "",
    **environment: str,
) -> int:
    """A percentile of one iteration of the program on two processors, in the unit of the
    distribution."""
    options: Given = {"threads": 2, "samples": folder, **work}
    (iteration,) = iterations(built(benchmark, language, tier, runtime), options, environment)
    value = histogram([iteration["samples"][distribution]]).value_at(share)
    assert value is not None
    return value


def lateness(folder: Path, language: str, tier: str = STANDARD, **environment: str) -> int:
    """The median lateness of a ticker beside tasks that compute."""
    given = {"language": language, "tier": tier, **environment}
    return percentile("timer-lateness", "lateness", 0.5, BURNERS, folder, **given)


def index(folder: Path, language: str, tier: str = STANDARD, **environment: str) -> int:
    """Jain's index of the tasks' turns, in thousandths."""
    given = {"language": language, "tier": tier, **environment}
    return percentile("fairness", "index", 0.5, SPINNERS, folder, **given)


def longest_wait(folder: Path, language: str, tier: str = STANDARD) -> int:
    given = {"language": language, "tier": tier}
    return percentile("blocking", "lateness", 1.0, SLEEPERS, folder, **given)


# ---------------------------------------------------------------- timers


COOPERATIVE = [
    ("c++", "asio"),
    ("java", "virtual"),
    ("javascript", STANDARD),
    ("kotlin", "coroutines"),
    ("rust", "tokio"),
]


@pytest.mark.parametrize(("language", "tier"), COOPERATIVE)
def test_tickers_of_cooperative_schedulers_starve(language: str, tier: str, tmp_path: Path) -> None:
    threads = lateness(tmp_path, "c++")
    assert lateness(tmp_path, language, tier) > 10 * threads


def test_tickers_on_platform_threads_do_not_starve(tmp_path: Path) -> None:
    assert lateness(tmp_path, "java") * 5 < lateness(tmp_path, "java", "virtual")


def test_kotlins_ticker_starves_as_a_coroutine_and_not_as_a_thread(tmp_path: Path) -> None:
    assert lateness(tmp_path, "kotlin") * 5 < lateness(tmp_path, "kotlin", "coroutines")


def test_erlangs_ticker_does_not_starve(tmp_path: Path) -> None:
    """A ticker that waited for the computing tasks would be late by half of the wall time."""
    work: Given = {**BURNERS, "rounds": 100_000, "threads": 2, "samples": tmp_path}
    (iteration,) = iterations(built("timer-lateness", "erlang"), work, {})
    late = histogram([iteration["samples"]["lateness"]]).value_at(0.5)
    assert late is not None
    assert late * 5 < iteration["wall_ns"]


def test_without_preemption_gos_ticker_starves_too(tmp_path: Path) -> None:
    starving = beside_long_burners(tmp_path, **WITHOUT_PREEMPTION)
    assert starving > 10 * beside_long_burners(tmp_path)


def test_gos_ticker_starved_before_it_preempted_goroutines(tmp_path: Path) -> None:
    before, after = (installed(name) for name in ("go-1.13.15", "go-1.14.15"))
    starving = beside_long_burners(tmp_path, runtime=before)
    assert starving > 10 * beside_long_burners(tmp_path, runtime=after)


def beside_long_burners(folder: Path, **given: str) -> int:
    whole = {"language": "go", **given}
    return percentile("timer-lateness", "lateness", 0.5, LONG_BURNERS, folder, **whole)


def installed(name: str) -> str:
    """The name of the runtime if it is installed in the private folder."""
    try:
        install(name)
    except FetchFailed as failure:
        pytest.skip(str(failure))
    return name


# ---------------------------------------------------------------- channels


def test_a_hop_costs_more_in_gccgo() -> None:
    assert hop_cpu_ns("gccgo-12") > 1.8 * hop_cpu_ns("")


def hop_cpu_ns(runtime: str) -> float:
    """The least CPU time of a window of hops, on one processor."""
    with restricted(1):
        windows = iterations(built("pipeline", "go", runtime=runtime), HOPS, {})
    return float(min(window["cpu_ns"] for window in windows))


# ---------------------------------------------------------------- shares


def test_virtual_threads_are_not_preempted_and_platform_threads_are(tmp_path: Path) -> None:
    # Two of ten tasks have all turns, or nearly all.
    assert index(tmp_path, "java") > 500
    assert index(tmp_path, "java", "virtual") < 300


# ---------------------------------------------------------------- blocking


def test_calls_that_block_an_event_loop_wait_for_each_other(tmp_path: Path) -> None:
    one_after_the_other = 99 * 10 * 1_000_000
    assert longest_wait(tmp_path, "javascript") > 0.9 * one_after_the_other
    assert longest_wait(tmp_path, "c++") < 0.5 * one_after_the_other
    assert longest_wait(tmp_path, "go") < 0.5 * one_after_the_other


# ---------------------------------------------------------------- processors


def test_gos_parallel_efficiency_is_that_of_native_threads() -> None:
    go, native = efficiency("go", STANDARD), efficiency("c++", "pool")
    assert go == pytest.approx(native, rel=0.1)


def efficiency(language: str, tier: str) -> float:
    """The parallel efficiency on two processors, from windows in which these processors ran nothing
    else."""
    program = built("parallel-efficiency", language, tier)
    alone, both = window_ns(program, 1), window_ns(program, 2)
    return alone / (2 * both)


def window_ns(program: BuiltProgram, processors: int) -> float:
    with restricted(processors):
        windows = iterations(program, {**WINDOW, "threads": processors}, {})
    undisturbed = [
        float(window["wall_ns"])
        for window in windows[len(windows) // 3 :]  # the first third is the warm-up
        if window["cpu_ns"] > UNDISTURBED * processors * window["wall_ns"]
    ]
    if not undisturbed:
        pytest.skip(f"not judged: others used the processors in each of {len(windows)} windows")
    return median(undisturbed)


@contextmanager
def restricted(processors: int) -> Iterator[None]:
    """Processes that are started in this context run on only this number of processors."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) < processors:
        pytest.skip(f"needs {processors} processors")
    os.sched_setaffinity(0, sorted(allowed)[:processors])
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
