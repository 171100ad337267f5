"""Go benchmark text: what benchstat's own grammar takes, a line an execution."""

from __future__ import annotations

import re

import pytest

from evidence.honest_run import GO, JAVA, cell_id, honest_run
from evidence.honest_services import honest_services
from evidence.records import Records
from result.test_run import coarse
from runfair.export.go_benchmark import benchmark_name, go_benchmark
from runfair.fairness.figures import cell_values
from runfair.formats.foreign import go_benchmark as audited
from runfair.formats.foreign.source import Source
from runfair.formats.plan import Factors
from runfair.result.judged_run import JudgedRun

GO_CELL = cell_id(GO)
# golang.org/x/perf/benchfmt: a name, a count, then pairs of value and unit; or `key: value`.
LINE = re.compile(r"Benchmark[A-Z]\S*( \d+)( [\d.e+]+ [a-zA-Z0-9_/-]+)+")
CONFIGURATION = re.compile(r"[a-z][^\s:]*: .*|Unit \S+ \S+=\S+|# .*")


def text_of(records: Records) -> str:
    return go_benchmark(JudgedRun.of("run", records.evidence()))


def lines_of(text: str, part: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("Benchmark") and part in line]


def test_every_line_is_of_the_format() -> None:
    for records in (honest_run(), honest_services()):
        for line in text_of(records).splitlines():
            assert LINE.fullmatch(line) or CONFIGURATION.fullmatch(line), line


def test_a_line_an_execution_with_the_figures_own_values() -> None:
    mine = lines_of(
        text_of(honest_run()), f"size=small/mode=steady/tier=standard/variant={GO.name}"
    )
    seen = next(one for one in honest_run().evidence().cells if one.cell.id == GO_CELL)
    assert len(mine) == 6
    told = [dict(zip(words[3::2], words[2::2], strict=True)) for words in map(str.split, mine)]
    assert [float(one["ns/op"]) for one in told] == pytest.approx(cell_values(seen, "wall"))
    assert [float(one["cpu-ns/op"]) for one in told] == pytest.approx(cell_values(seen, "cpu"))
    assert {float(one["peak-B"]) for one in told} == {GO.peak_bytes}


def test_void_figures_are_left_out_and_named() -> None:
    text = text_of(coarse(honest_run(), GO_CELL))
    mine = lines_of(text, f"size=small/mode=steady/tier=standard/variant={GO.name}")
    assert len(mine) == 6
    assert not any(" cpu-ns/op" in line for line in mine)
    assert all(" ns/op" in line and " peak-B" in line for line in mine)
    assert (
        f"# left out: {GO_CELL} CPU time: void [clock]: the measured time is "
        f"too short for the resolution of the CPU clock" in text
    )


@pytest.mark.parametrize("share", [0.03, 0.2])
def test_flagged_figures_carry_a_comment(share: float) -> None:
    """Those that are bounded, too: benchstat knows of samples alone, and gets what was measured."""
    text = text_of(
        honest_run()
        .idling(cell_id(JAVA), 0.5)
        .with_launch_share(cell_id(JAVA), "foreign_ns", share)
    )
    assert f"# flagged: {cell_id(JAVA)} wall time: [foreign_time] other processes used" in text
    mine = lines_of(text, f"size=small/mode=steady/tier=standard/variant={JAVA.name}")
    assert len(mine) == 6
    assert all(" ns/op" in line for line in mine)


def test_no_configuration_line_is_a_runs_own() -> None:
    """benchstat compares only what has the same configuration."""
    one, other = (
        [line for line in text_of(honest_run(seed)).splitlines() if re.match(r"[a-z]", line)]
        for seed in (1, 2)
    )
    assert one == other
    assert "goarch: amd64" in one


def test_names_keep_their_keys_apart() -> None:
    cell = honest_run().plan.cells[0]
    odd = cell.model_copy(
        update={
            "workload": "two words/slash\nline",
            "variant": "node-20",
            "threads": 2,
            "seed": 7,
            "own": "stages=10 values=400",
            "factors": Factors(processors=2, heap_bytes=2**30),
        }
    )
    assert benchmark_name(odd) == (
        "BenchmarkSudoku/workload=two_words_slash_line/size=small/mode=steady/tier=standard/"
        "variant=node-20/seed=7/own=stages=10_values=400/factors=heap_1.00_GiB-2"
    )


def test_our_own_audit_reads_it() -> None:
    found = {one.name: one for one in audited.read(Source.of(text_of(honest_run())))}
    assert len(found) == 12
    assert {len(each) for one in found.values() for each in one.series_ns} == {6}


def test_hostile_names_do_not_break_out_of_their_line() -> None:
    text = text_of(honest_run().with_plan(experiment="x\nBenchmarkFake 1 1 ns/op"))
    assert not lines_of(text, "Fake")
