"""Changes between versions: simulated ones are found where they are, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from evidence.honest_run import GCC, cell_id, honest_run
from result.test_run import result_of
from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.formats.finding import VerdictState
from runfair.formats.result import Bounds, CellResult, Figure
from runfair.result.ratios import estimate
from runfair.result.versions import Point, known_changes, points, version_series

GO = ["1.4.3", "1.5.4", "1.10.8", "1.13.15", "1.14.15", "1.17.13", "1.21.13", "1.24.13", "1.26.8"]
REPETITIONS = 100


def figure(
    values: Sequence[float], verdict: VerdictState = "fair", bounds: Bounds | None = None
) -> Figure:
    value, interval = estimate(list(values), "cpu")
    value, interval = (None, None) if verdict == "void" else (value, interval)
    return Figure(unit="ns", value=value, interval=interval, verdict=verdict, bounds=bounds)


@cache
def honest_cell() -> CellResult:
    (some,) = [one for one in result_of(honest_run()).cells if one.id == cell_id(GCC)]
    return some


def cell(variant: str, one: Figure, benchmark: str = "timer-lateness", **more: str) -> CellResult:
    update = {"variant": variant, "line": "", "benchmark": benchmark, "tier": STANDARD, **more}
    return honest_cell().model_copy(update={**update, "figures": {"cpu": one}})


def executions(random: np.random.Generator, middle: float, deviation: float = 0.02) -> list[float]:
    return [float(value) for value in middle * np.exp(random.normal(0, deviation, 6))]


def simulated(random: np.random.Generator, middles: Sequence[float], **more: str) -> list[Point]:
    cells = [
        cell(f"go-{version}", figure(executions(random, middle)), **more)
        for version, middle in zip(GO, middles, strict=True)
    ]
    (series,) = version_series(cells[::-1])
    return points(series, "cpu")


def changed(found: Sequence[Point]) -> list[str]:
    return [point.cell.variant for point in found if point.change is not None]


def test_a_step_is_found_where_it_is() -> None:
    random = np.random.default_rng(3)
    found = simulated(random, [400e6] * 4 + [10e6] * 5, workload="ticker")
    assert changed(found) == ["go-1.14.15"]
    assert found[4].change == pytest.approx(1 / 40, rel=0.1)
    assert [one.source for one in found[4].known] == ["golang/go#24543", "Go 1.14 release notes"]
    assert not any(point.known for point in found[:4] + found[5:])


def test_a_change_back_is_a_change_too() -> None:
    middles = [100e6] * 3 + [150e6] * 3 + [100e6] * 3
    found = simulated(np.random.default_rng(4), middles, benchmark="pipeline")
    assert changed(found) == ["go-1.13.15", "go-1.21.13"]
    assert not any(point.known for point in found)


def test_a_reason_may_lie_between_two_versions() -> None:
    middles = [100e6] * 2 + [70e6] * 7
    found = simulated(np.random.default_rng(5), middles, benchmark="sudoku")
    assert [one.first for one in found[2].known] == ["1.7"]


def test_series_in_which_nothing_changes_have_few_changes() -> None:
    random = np.random.default_rng(6)
    made = 0
    for _ in range(REPETITIONS):
        wrong = [cell(f"go-{version}", figure(executions(random, 100e6, 0.05))) for version in GO]
        (series,) = version_series(wrong)
        made += bool(changed(points(series, "cpu")))
    assert made <= 0.1 * REPETITIONS


def test_a_difference_too_small_to_matter_is_no_change() -> None:
    exact = [[value * 1.001**k for k in range(6)] for value in (100.0, 103.0, 106.0)]
    cells = [cell(f"go-1.{n}.0", figure(one)) for n, one in enumerate(exact)]
    (series,) = version_series(cells)
    assert changed(points(series, "cpu")) == []


def test_a_doubt_takes_a_change_away_and_a_void_figure_is_stepped_over() -> None:
    slow, fast = [100.0, 101.0, 102.0], [50.0, 51.0, 52.0]
    doubtful = figure(slow, "flagged", bounds=(None, 102.0))
    figures = [figure(slow), figure(slow, "void"), figure(fast)]
    cells = [cell(f"go-1.{n}", one) for n, one in enumerate(figures)]
    (series,) = version_series(cells)
    assert changed(points(series, "cpu")) == ["go-1.2"]
    (series,) = version_series([cell("go-1.0", doubtful), *cells[1:]])
    assert changed(points(series, "cpu")) == []


def test_series_are_of_one_runtime_with_the_same_flags() -> None:
    some = figure([1.0, 1.1, 1.2])
    names = [f"{family}-1.{n}{flags}" for n in (9, 10, 11) for family in ("go", "gccgo")
             for flags in ("", "+pgo")]  # fmt: skip
    series = version_series([cell(name, some) for name in [*names, "node-20.1.0", "node-22.1.0"]])
    assert sorted([one.cell.variant for one in each] for each in series) == [
        [f"{family}-1.{n}{flags}" for n in (9, 10, 11)]
        for family in ("gccgo", "go")
        for flags in ("", "+pgo")
    ]


def test_versions_of_two_builders_are_one_series() -> None:
    some = figure([1.0, 1.1, 1.2])
    names = ["openjdk-17+g1-gc", "temurin-21+g1-gc", "temurin-25+g1-gc"]
    cells = [cell(name, some).model_copy(update={"line": "openjdk"}) for name in names]
    (series,) = version_series(cells[::-1])
    assert [one.cell.variant for one in series] == names
    assert version_series([cell(name, some) for name in names]) == []


def test_two_builds_of_a_version_are_not_compared() -> None:
    slow, fast = figure([100.0, 101.0, 102.0]), figure([50.0, 51.0, 52.0])
    names = {"cpython-3.9": slow, "cpython-3.10": slow, "cpython-3.11@usr-bin-python": slow}
    cells = [cell(name, one) for name, one in (names | {"cpython-3.11": fast}).items()]
    (series,) = version_series(cells)
    assert [one.version for one in series] == ["3.9", "3.10", "3.11", "3.11"]
    assert changed(points(series, "cpu")) == ["cpython-3.11"]


@pytest.mark.parametrize(("tier", "sources"), [("virtual", ["JEP 491"]), (STANDARD, [])])
def test_a_reason_may_concern_one_tier_only(tier: str, sources: list[str]) -> None:
    slow, fast = figure([100.0, 101.0, 102.0]), figure([50.0, 51.0, 52.0])
    names = {"temurin-21": slow, "temurin-23": slow, "temurin-24": fast}
    cells = [cell(name, one, "blocking", tier=tier) for name, one in names.items()]
    (series,) = version_series(cells)
    found = points(series, "cpu")
    assert changed(found) == ["temurin-24"]
    assert [one.source for one in found[2].known] == sources


@pytest.mark.parametrize(
    ("workload", "sources"), [("rendezvous", ["JDK-8301341"]), ("bounded", [])]
)
def test_a_reason_may_concern_one_workload_only(workload: str, sources: list[str]) -> None:
    fast, slow = figure([50.0, 51.0, 52.0]), figure([100.0, 101.0, 102.0])
    names = {"openjdk-17": fast, "temurin-21": slow, "temurin-25": slow}
    cells = [
        cell(name, one, "pipeline").model_copy(update={"workload": workload, "line": "openjdk"})
        for name, one in names.items()
    ]
    (series,) = version_series(cells)
    found = points(series, "cpu")
    assert changed(found) == ["temurin-21"]
    assert [one.source for one in found[1].known] == sources


def test_known_changes_are_of_benchmarks_and_workloads_that_exist() -> None:
    here: dict[str, set[str]] = {}
    for benchmark in benchmarks().values():
        here.setdefault(benchmark.text.name, set()).update(benchmark.text.workloads)
    for one in known_changes():
        assert set(one.benchmarks) <= here.keys(), one.source
        for name in one.benchmarks:
            assert set(one.workloads) <= here[name], one.source


def test_asynchronous_preemption_does_not_explain_timers_that_fire_once() -> None:
    found = simulated(np.random.default_rng(3), [400e6] * 4 + [10e6] * 5, workload="one-shot")
    assert changed(found) == ["go-1.14.15"]
    assert [one.source for one in found[4].known] == ["Go 1.14 release notes"]
