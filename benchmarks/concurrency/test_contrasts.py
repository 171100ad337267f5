"""Tests that the suite shows the contrasts between languages that it was made for, with wide
margins.

A contrast between two programs is asserted as a ratio, or by limits that lie so far apart that no
program is beyond both. The programs run one after the other, so that a busy machine slows both.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from pathlib import Path

import pytest

from built_program import BuiltProgram, Event, Given, built
from runfair.catalogue.benchmark import STANDARD
from runfair.formats.distribution import histogram
from runfair.installing.offer import FetchFailed
from runfair.installing.registry import install
from runfair.statistics.undisturbed import undisturbed

pytestmark = pytest.mark.long

# A task for each processor, of about 0.2 s in a compiled language.
BURNERS: Given = {"burners": 2, "rounds": 160_000_000, "period_us": 10_000}
# Tasks of about 0.7 s.
LONG_BURNERS: Given = {**BURNERS, "rounds": 600_000_000}
# Erlang and Python compute with integers of arbitrary size.
SLOW_BURNERS: Given = {**BURNERS, "rounds": 1_000_000}
# A ticker that waits until all tasks have ended is late by half of the wall time (median).
STARVING = 0.25
PUNCTUAL = 0.1
HOPS: Given = {"workload": "rendezvous", "stages": 100, "values": 200, "iterations": 50}
SPINNERS: Given = {"tasks": 10, "turns": 6000, "turn_us": 100}
SLEEPERS: Given = {"tasks": 100, "pause_ms": 10}
# Tasks that yield after about 1 ms.
YIELDING: Given = {**LONG_BURNERS, "workload": "yielding", "yield_rounds": 1_000_000}
WITHOUT_PREEMPTION = {"GODEBUG": "asyncpreemptoff=1"}
LAST_WITHOUT_PREEMPTION, FIRST_WITH_IT = "go-1.13.15", "go-1.14.15"
MUCH_LATER = 10
MUCH_DEARER = 1.8
WINDOW: Given = {"tasks": 16, "rounds": 200_000, "iterations": 100}
ROUNDS = 9


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


def index(folder: Path, language: str, tier: str = STANDARD, **environment: str) -> int:
    """Jain's index of the tasks' turns, in thousandths."""
    given = {"language": language, "tier": tier, **environment}
    return percentile("fairness", "index", 0.5, SPINNERS, folder, **given)


def longest_wait(folder: Path, language: str, tier: str = STANDARD) -> int:
    given = {"language": language, "tier": tier}
    return percentile("blocking", "lateness", 1.0, SLEEPERS, folder, **given)


# ---------------------------------------------------------------- timers


COOPERATIVE = [
    ("c++", "asio", BURNERS),
    ("java", "virtual", BURNERS),
    ("javascript", STANDARD, BURNERS),
    ("kotlin", "coroutines", BURNERS),
    ("python", "asyncio", SLOW_BURNERS),
    ("rust", "tokio", BURNERS),
]


PREEMPTIVE = [
    ("c++", BURNERS),
    ("erlang", SLOW_BURNERS),
    ("go", BURNERS),
    ("java", BURNERS),
    ("kotlin", BURNERS),
    ("rust", BURNERS),
]


@pytest.mark.parametrize(("language", "tier", "work"), COOPERATIVE)
def test_tickers_of_cooperative_schedulers_starve(
    language: str, tier: str, work: Given, tmp_path: Path
) -> None:
    assert late_share(tmp_path, language, tier, work) > STARVING


@pytest.mark.parametrize(("language", "work"), PREEMPTIVE)
def test_tickers_of_preemptive_schedulers_do_not_starve(
    language: str, work: Given, tmp_path: Path
) -> None:
    assert late_share(tmp_path, language, STANDARD, work) < PUNCTUAL


def late_share(folder: Path, language: str, tier: str, work: Given) -> float:
    """The median lateness of a ticker beside tasks that compute, as a share of the wall time."""
    options: Given = {**work, "threads": 2, "samples": folder}
    (iteration,) = iterations(built("timer-lateness", language, tier), options, {})
    late = histogram([iteration["samples"]["lateness"]]).value_at(0.5)
    assert late is not None
    return late / float(iteration["wall_ns"])


def test_without_preemption_gos_ticker_starves_too(tmp_path: Path) -> None:
    starving = beside_long_burners(tmp_path, **WITHOUT_PREEMPTION)
    assert starving > MUCH_LATER * beside_long_burners(tmp_path)


def test_gos_ticker_starved_before_it_preempted_goroutines(tmp_path: Path) -> None:
    starving = beside_long_burners(tmp_path, runtime=installed(LAST_WITHOUT_PREEMPTION))
    assert starving > MUCH_LATER * beside_long_burners(tmp_path, runtime=installed(FIRST_WITH_IT))


@pytest.mark.parametrize("version", [LAST_WITHOUT_PREEMPTION, FIRST_WITH_IT])
def test_gos_ticker_is_not_much_later_with_the_same_version(version: str, tmp_path: Path) -> None:
    first, second = (beside_long_burners(tmp_path, runtime=installed(version)) for _ in range(2))
    assert max(first, second) < MUCH_LATER * min(first, second)


def test_gos_ticker_did_not_starve_if_goroutines_yielded(tmp_path: Path) -> None:
    """The study showed by this that the missing preemption was the cause."""
    old = installed(LAST_WITHOUT_PREEMPTION)
    yielding = beside(YIELDING, tmp_path, runtime=old)
    assert beside_long_burners(tmp_path, runtime=old) > MUCH_LATER * yielding


def beside_long_burners(folder: Path, **given: str) -> int:
    return beside(LONG_BURNERS, folder, **given)


def beside(burners: Given, folder: Path, **given: str) -> int:
    """The median lateness of Go's ticker beside these tasks, in nanoseconds."""
    whole = {"language": "go", **given}
    return percentile("timer-lateness", "lateness", 0.5, burners, folder, **whole)


def installed(name: str) -> str:
    """The name of the runtime if it is installed in the private folder."""
    try:
        install(name)
    except FetchFailed as failure:
        pytest.skip(str(failure))
    return name


# ---------------------------------------------------------------- channels


def test_a_hop_costs_more_in_gccgo() -> None:
    assert hop_cpu_ns("gccgo-12") > MUCH_DEARER * hop_cpu_ns("")


def test_a_hop_costs_the_same_in_the_same_go() -> None:
    assert hop_cpu_ns("") < MUCH_DEARER * hop_cpu_ns("")


def hop_cpu_ns(runtime: str) -> float:
    """The least CPU time of a window of hops, on one processor."""
    with restricted(two_processors()[:1]):
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


def test_a_go_that_leaves_a_processor_idle_is_not_as_efficient_as_native_threads() -> None:
    go, native = efficiency("go", STANDARD, GOMAXPROCS="1"), efficiency("c++", "pool")
    assert go < 0.75 * native


def efficiency(language: str, tier: str, **environment: str) -> float:
    """The parallel efficiency of a program on two processors: its greatest speed in a window on
    both, as a share of the sum of its greatest speeds on each of them. On a shared machine the
    processors differ, and their speeds change; therefore they take turns. Skips the test if other
    processes used the processors in all windows."""
    program = built("parallel-efficiency", language, tier)
    first, second = two_processors()
    alone, other, both = [], [], []
    for _ in range(ROUNDS):
        alone += windows_ns(program, [first], environment)
        other += windows_ns(program, [second], environment)
        both += windows_ns(program, [first, second], environment)
    if not alone or not other or not both:
        pytest.skip("not judged: other processes used the processors in each window")
    return 1 / min(both) / (1 / min(alone) + 1 / min(other))


def windows_ns(
    program: BuiltProgram, processors: Sequence[int], environment: Mapping[str, str]
) -> list[float]:
    """The wall times of the windows in which the program had the processors for itself. If there is
    none: all windows if the program itself left the processors idle."""
    work: Given = {**WINDOW, "threads": len(processors)}
    with restricted(processors), taken_by_others(processors) as taken:
        windows = iterations(program, work, environment)
    windows = windows[len(windows) // 3 :]  # the first third is the warm-up
    wall_ns, cpu_ns = ([float(one[name]) for one in windows] for name in ("wall_ns", "cpu_ns"))
    return [
        *compress(wall_ns, undisturbed(wall_ns, cpu_ns, len(processors), taken[0], least_kept=0))
    ]


@contextmanager
def taken_by_others(processors: Sequence[int]) -> Iterator[list[float]]:
    """The share of the processors' time that neither the children of this process used, nor was
    idle. It is known at the end of the context."""
    shares: list[float] = []
    before = passed_s(processors)
    yield shares
    whole, idle, own = (
        end - start for end, start in zip(passed_s(processors), before, strict=True)
    )
    shares.append((whole - idle - own) / whole)


def passed_s(processors: Sequence[int]) -> tuple[float, float, float]:
    """The processors' whole time, their idle time, and the CPU time of the children of this
    process."""
    lines = [line.split() for line in Path("/proc/stat").read_text(encoding="utf-8").splitlines()]
    # The fields 4 and 5 of a processor are its idle time and its idle time during I/O, in ticks.
    ticks = {name: int(fields[3]) + int(fields[4]) for name, *fields in lines if "cpu" in name}
    idle_s = sum(ticks[f"cpu{one}"] for one in processors) / os.sysconf("SC_CLK_TCK")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() * len(processors), idle_s, used.ru_utime + used.ru_stime


def two_processors() -> Sequence[int]:
    """The first two processors that this process may use. Without a second one the test is
    skipped."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("needs two processors")
    return allowed[:2]


@contextmanager
def restricted(processors: Sequence[int]) -> Iterator[None]:
    """Processes that are started in this context run on only these processors."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
