"""Tests every program against contract.md, from outside: the values that its pipeline delivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from built_program import Event, Given, built
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.experiment import Measure, experiment_files, read_experiment
from runfair.formats.distribution import histogram
from transcription import MASK, fnv1a

PIPELINE = benchmarks()["pipeline"]
PROGRAMS = [
    (one.language, one.tier, workload)
    for one in PIPELINE.programs
    for workload in PIPELINE.text.workloads
    if one.has(workload)
]

BOUNDED = [(language, tier) for language, tier, workload in PROGRAMS if workload == "bounded"]
# The tiers whose tasks take long to start.
HEAVY = ("multiprocessing", "workers")
CAPACITY = int(str(PIPELINE.text.parameters["capacity"].default))


def summed(stages: int, values: int, seed: int) -> int:
    total = 0
    for k in range(values):
        x = seed + k
        for stage in range(1, stages + 1):
            x = x * 1664525 + stage
        total = total * 31 + x
    return total % 2**32


@pytest.mark.parametrize(("language", "tier", "workload"), PROGRAMS)
@pytest.mark.parametrize(
    ("stages", "values", "seed"),
    [
        pytest.param(1, 1, 0, marks=pytest.mark.long),
        (2, 1000, MASK),
        pytest.param(20, 3, 2**31 - 2, marks=pytest.mark.long),
    ],
)
def test_what_comes_out_is_the_contracts(
    language: str, tier: str, workload: str, stages: int, values: int, seed: int, tmp_path: Path
) -> None:
    program = built("pipeline", language, tier)
    work: Given = {"workload": workload, "stages": stages, "values": values, "seed": seed}
    counted = program.say(count=1, threads=2, samples=tmp_path, **work)
    assert counted.counters == {"hops": values * (stages + 1)}
    digest = fnv1a(b"%08x\n" % summed(stages, values, seed))
    timed = program.say(samples=tmp_path, **work)
    assert counted.digest == timed.digest == digest
    (iteration,) = timed.of_event("iteration")
    (_, samples) = iteration["samples"]["hops"]
    assert samples == 1
    assert 0 < clocked_share(iteration, values * (stages + 1)) <= 1


@pytest.mark.parametrize(("language", "tier"), BOUNDED)
@pytest.mark.parametrize("capacity", [1, pytest.param(3, marks=pytest.mark.long)])
def test_a_bounded_program_reads_its_capacity(
    language: str, tier: str, capacity: int, tmp_path: Path
) -> None:
    work: Given = {"stages": 2, "values": 50, "seed": 1, "samples": tmp_path}
    program = built("pipeline", language, tier)
    said = program.say(count=1, capacity=capacity, **work)
    assert said.digest == fnv1a(b"%08x\n" % summed(2, 50, 1))
    without = [one for one in program.options(**work) if not one.startswith("capacity=")]
    assert "capacity" in program.run_with(*without).errors


def clocked_share(iteration: Event, hops: int) -> float:
    """The share of the iteration's wall time that its sample of 1,000 hops stands for."""
    sample = histogram([iteration["samples"]["hops"]]).value_at(1)
    assert sample is not None
    return sample * hops / 1000 / float(iteration["wall_ns"])


@pytest.mark.parametrize(
    ("language", "tier"), [(one.language, one.tier) for one in PIPELINE.programs]
)
def test_the_clock_starts_when_all_tasks_have_begun(
    language: str, tier: str, tmp_path: Path
) -> None:
    iterations = 4 if tier in HEAVY else 20
    work: Given = {"stages": 60, "values": 1, "iterations": iterations, "samples": tmp_path}
    told = built("pipeline", language, tier).say(**work, threads=2).of_event("iteration")
    # With one value, the tasks take more time to start than to pass it on.
    assert min(clocked_share(one, hops=61) for one in told) < 0.8


def test_every_bounded_pipeline_has_more_values_than_a_channel_holds() -> None:
    sizes = [size.params for size in PIPELINE.text.sizes.values()]
    measured = [measure.params for measure in measures() if "values" in measure.params]
    assert measured
    for params in [*sizes, *measured]:
        assert int(params["values"]) > CAPACITY


def test_pipelines_of_different_lengths_have_the_same_number_of_values() -> None:
    series = [measure.params for measure in measures() if "stages" in measure.params]
    assert len({params["stages"] for params in series}) == 3
    assert len({params["values"] for params in series}) == 1


def measures() -> list[Measure]:
    experiments = [read_experiment(name) for name in experiment_files()]
    return [one for each in experiments for one in each.measure if "pipeline" in one.benchmarks]
