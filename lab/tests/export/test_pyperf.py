"""pyperf itself reads what is exported, and finds our numbers in it."""

from __future__ import annotations

import json

import pyperf  # type: ignore[import-untyped]
import pytest

from evidence.honest_run import GO, cell_id, honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from result.test_run import coarse
from runfair.export.pyperf import pyperf as exported
from runfair.fairness.figures import cell_values
from runfair.formats.foreign import pyperf as audited
from runfair.formats.foreign.source import Source
from runfair.result.judged_run import JudgedRun

GO_CELL = cell_id(GO)


def suite_of(run: JudgedRun) -> pyperf.BenchmarkSuite:
    return pyperf.BenchmarkSuite.loads(exported(run))


@pytest.fixture(scope="module")
def honest() -> JudgedRun:
    return JudgedRun.of("run", honest_run().evidence())


def test_a_run_an_execution_with_the_figures_own_value(honest: JudgedRun) -> None:
    suite = suite_of(honest)
    assert len(suite) == 40
    benchmark = suite.get_benchmark(f"{GO_CELL} cpu")
    seen = next(one for one in honest.evidence.cells if one.cell.id == GO_CELL)
    assert benchmark.get_nrun() == 6
    assert benchmark.get_values() == pytest.approx(
        [value / 1e9 for value in cell_values(seen, "cpu")]
    )
    assert benchmark.get_metadata()["runfair_verdict"] == "fair"
    memory = suite.get_benchmark(f"{GO_CELL} memory")
    assert (memory.get_unit(), memory.median()) == ("byte", GO.peak_bytes)


def test_void_figures_are_left_out_and_named() -> None:
    suite = suite_of(JudgedRun.of("run", coarse(honest_run(), GO_CELL).evidence()))
    assert len(suite) == 39
    assert f"{GO_CELL} cpu" not in suite.get_benchmark_names()
    assert f"{GO_CELL} wall" in suite.get_benchmark_names()
    left_out = suite.get_benchmarks()[0].get_metadata()["runfair_left_out"]
    assert (
        f"{GO_CELL} CPU time: void [clock]: the measured time is too short for the "
        "resolution of the CPU clock" in left_out
    )
    assert f"{cell_id(GO, mode='cold')} before work: not measured" in left_out


def test_services_have_percentiles() -> None:
    suite = suite_of(JudgedRun.of("run", honest_services().evidence()))
    benchmark = suite.get_benchmark(f"{service_cell(FASTIFY)} p50")
    assert benchmark.median() == pytest.approx(0.002, rel=0.1)


def test_hostile_names_are_one_line() -> None:
    run = honest_run().with_plan(experiment="two\nlines \x1b[31m", about="")
    suite = suite_of(JudgedRun.of("run", run.evidence()))
    metadata = suite.get_benchmarks()[0].get_metadata()
    assert metadata["runfair_experiment"] == "two lines \ufffd[31m"


def test_nothing_left_is_no_file() -> None:
    void = honest_run().with_plan(cells=[], executions=[])
    assert exported(JudgedRun.of("run", void.evidence())) == ""


def test_our_own_audit_finds_one_value_a_process(honest: JudgedRun) -> None:
    found = next(audited.read(Source.of(exported(honest))))
    assert (found.executions, found.iterations, found.pooled) == (6, 1, False)
    assert json.loads(exported(honest))["version"] == "1.0"


@pytest.mark.parametrize("share", [0.08, 0.2])
def test_what_flags_or_bounds_a_figure_is_told_beside_it(share: float) -> None:
    flagged = honest_run().with_launch_share(GO_CELL, "foreign_ns", share)
    benchmark = suite_of(JudgedRun.of("run", flagged.evidence())).get_benchmark(f"{GO_CELL} wall")
    metadata = benchmark.get_metadata()
    assert metadata["runfair_verdict"] == "flagged"
    assert f"[foreign_time] other processes used {share:.1%}" in metadata["runfair_findings"]
    assert benchmark.get_nrun() == 6


def test_an_execution_without_a_value_is_left_out() -> None:
    """pyperf refuses zeros."""
    run = honest_run().with_launches(GO_CELL, 1, peak_tree_bytes=0)
    benchmark = suite_of(JudgedRun.of("run", run.evidence())).get_benchmark(f"{GO_CELL} memory")
    assert benchmark.get_nrun() == 5


def test_a_figure_that_is_always_0_is_left_out_and_named() -> None:
    """pyperf reads no file with a benchmark that has no value."""
    run = honest_run().sampling(GO_CELL, lambda *_: [0] * 400, percentiles=["p50"])
    suite = suite_of(JudgedRun.of("run", run.evidence()))
    assert f"{GO_CELL} lateness.p50" not in suite.get_benchmark_names()
    left_out = suite.get_metadata()["runfair_left_out"]
    assert f"{GO_CELL} lateness.p50 (no value above 0)" in left_out
