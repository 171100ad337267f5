"""Experiments and profiles as files say them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.amount import parse_bytes
from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.catalogue.experiment import Measure, experiment_files, read_experiment
from runfair.catalogue.family import BUILT_IN, load_families
from runfair.catalogue.profile import PROFILES, ProfileText, profile, profile_name
from runfair.catalogue.service import service_benchmarks
from runfair.errors import UserMistake


@pytest.mark.parametrize(
    ("text", "amount"),
    [("512 MiB", 512 * 2**20), ("2 GB", 2 * 10**9), ("1.5GiB", 3 * 2**29), ("100 B", 100)],
)
def test_amounts_of_memory(text: str, amount: int) -> None:
    assert parse_bytes(text) == amount


@pytest.mark.parametrize("text", ["", "12", "MiB", "-1 MiB", "1 MiBs", "1 XiB"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount of memory"):
        parse_bytes(text)


def test_more_memory_than_there_is_a_number_for() -> None:
    with pytest.raises(ValueError, match="too large"):
        parse_bytes("9" * 400 + " TiB")


def test_every_committed_experiment_can_be_read() -> None:
    names = experiment_files()
    assert "default" in names
    for name in names:
        experiment = read_experiment(name)
        assert experiment.about
        for known in PROFILES:
            assert profile(known, experiment.profiles.get(known)).effort.executions >= 2


def test_variants_of_the_experiment_are_those_of_each_measure_that_states_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.toml"
    measures = '[[measure]]\nbenchmarks = ["sort"]\n[[measure]]\nbenchmarks = ["sudoku"]\n'
    path.write_text(f'variants = ["go-*", "rust"]\n{measures}variants = ["python"]\n')
    first, second = read_experiment(str(path)).measure
    assert (first.variants, second.variants) == (["go-*", "rust"], ["python"])
    path.write_text(f"variants = []\n{measures}")
    with pytest.raises(UserMistake, match="variants"):
        read_experiment(str(path))
    path.write_text('variants = ["go"]\nmeasure = ["sort"]\n')
    with pytest.raises(UserMistake, match="measure"):
        read_experiment(str(path))


def test_every_committed_service_speaks_the_protocol_of_its_load() -> None:
    known = service_benchmarks()
    protocols = set()
    for name in experiment_files():
        for serve in read_experiment(name).serve:
            benchmark = known[serve.benchmark]
            workload = "" if serve.workload == "default" else serve.workload
            text = benchmark.workload(workload or benchmark.text.default_workload)
            assert text.calls or serve.protocol != "grpc", name
            for service in serve.services:
                assert serve.protocol in benchmark.framework(service).text.protocols, name
                protocols.add((serve.protocol, benchmark.framework(service).text.language))
    for language in ("go", "java", "rust"):
        assert {(each, language) for each in ("http", "http2", "grpc")} <= protocols


def test_each_optimisation_of_newspeak_is_measured_without_it() -> None:
    variants = load_families([BUILT_IN]).families["newspeak"].variants
    off = {f"newspeak-*+{name}" for name in variants if name.endswith("-off")}
    figures = read_experiment("newspeak-figures").measure
    assert len(off) > 1
    assert off <= {variant for measure in figures for variant in measure.variants}


@pytest.mark.parametrize("language", ["go", "node", "python"])
def test_each_table_over_versions_has_a_row_of_threads(language: str) -> None:
    """The tasks of the C++ programs are threads of the operating system."""
    measures = read_experiment(f"{language}-versions").measure

    def works(measures: list[Measure]) -> set[tuple[str, ...]]:
        return {
            (benchmark, workload, mode, str(one.threads), str(sorted(one.params.items())))
            for one in measures
            for benchmark in one.benchmarks
            for workload in one.workloads
            for mode in one.modes
        }

    threads = [one for one in measures if "newest:gcc-*+o3" in one.variants]
    assert works([one for one in threads if {"standard", "plain"} & {*one.tiers}]) >= works(
        [one for one in measures if one not in threads]
    )


def test_gos_ticker_is_measured_without_asynchronous_preemption() -> None:
    tickers = [one for one in read_experiment("go-versions").measure if "ticker" in one.workloads]
    named = {variant for one in tickers for variant in one.variants}
    assert {"go-1.14.15+asyncpreemptoff", "newest:go-*+asyncpreemptoff"} <= named
    assert {1000, 4000, 16000} <= {one.params["burners"] for one in tickers}


LANGBENCH = [one for one in benchmarks().values() if one.text.suite == "langbench"]


@pytest.mark.parametrize("benchmark", LANGBENCH, ids=[one.name for one in LANGBENCH])
def test_all_of_langbench_is_measured_by_an_experiment(benchmark: Benchmark) -> None:
    """What none of them names has no command by which its numbers could be had again."""
    measures = [
        measure
        for name in experiment_files()
        for measure in read_experiment(name).measure
        if benchmark.name in measure.benchmarks
    ]
    workloads = {
        workload
        for measure in measures
        for workload in benchmark.resolve_workloads(measure.workloads)
    }
    tiers = {tier for measure in measures for tier in measure.tiers}
    assert workloads == set(benchmark.text.workloads)
    assert {program.tier for program in benchmark.programs} <= tiers


MEASURE = '[[measure]]\nbenchmarks = ["sort"]\n'


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"{MEASURE}cpu_quota = [inf]\n", "measure.0.cpu_quota.0"),
        (f"{MEASURE}cpu_quota = [nan]\n", "measure.0.cpu_quota.0"),
        (f'{MEASURE}memory_limit = ["0 B"]\n', "measure.0.memory_limit.0"),
        (f'{MEASURE}heap = ["0 B"]\n', "measure.0.heap.0"),
        (f'{MEASURE}heap = ["0.5 B"]\n', "measure.0.heap.0"),
        (f"{MEASURE}[profiles.quick]\ntimeout_seconds = inf\n", "profiles.quick.timeout_seconds"),
        (f"{MEASURE}[profiles.quick]\nmax_seconds = nan\n", "profiles.quick.max_seconds"),
        (f"{MEASURE}[profiles.quick]\npilot_seconds = inf\n", "profiles.quick.pilot_seconds"),
        (f"{MEASURE}[profiles.quick]\nexecutions = 1002\n", "profiles.quick.executions"),
        (f'name = "{"x" * 81}"\n{MEASURE}', "name"),
    ],
)
def test_what_cannot_be_measured_is_refused(text: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    line = 1 if key == "name" else text.count("\n")
    with pytest.raises(UserMistake) as mistake:
        read_experiment(str(path))
    assert str(mistake.value).startswith(f"{path}:{line}: {key}: ")


def test_what_is_just_allowed_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        f'name = "{"x" * 80}"\n{MEASURE}heap = ["1 B"]\n[profiles.quick]\nexecutions = 1000\n'
    )
    assert read_experiment(str(path)).measure[0].heap == ["1 B"]


def test_a_file_with_too_long_a_name_needs_one(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 81}.toml"
    path.write_text(MEASURE)
    with pytest.raises(UserMistake, match="write a `name` of at most 80"):
        read_experiment(str(path))
    path.write_text(f'name = "short"\n{MEASURE}')
    assert read_experiment(str(path)).name == "short"


def test_an_experiment_is_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[measure]]\nbenchmarks = ["sort"]\n')
    assert read_experiment(str(path)).name == "mine"


def test_profiles_are_ordered_by_effort_and_even() -> None:
    efforts = [one.effort for one in PROFILES.values()]
    assert [one.executions for one in efforts] == sorted(one.executions for one in efforts)
    assert all(one.executions % 2 == 0 for one in efforts)


def test_an_experiment_changes_what_it_names_and_nothing_else() -> None:
    changed = profile("quick", ProfileText(size="tiny", max_seconds=1.5))
    assert changed.size == "tiny"
    assert changed.effort.max_seconds == 1.5
    assert changed.effort.executions == PROFILES["quick"].effort.executions
    assert profile("quick", None) == PROFILES["quick"]


@pytest.mark.parametrize(
    "changes", [ProfileText(max_seconds=121), ProfileText(timeout_seconds=5.9)]
)
def test_a_time_out_before_the_end_is_refused(changes: ProfileText) -> None:
    with pytest.raises(UserMistake, match=r"timeout_seconds \(.*\) is less than max_seconds"):
        profile("quick", changes)
    assert profile("quick", ProfileText(max_seconds=120)).effort.timeout_seconds == 120


def test_an_unknown_profile_names_the_nearest() -> None:
    assert profile_name("full") == "full"
    with pytest.raises(UserMistake, match="no profile is named 'ful'; choose from full"):
        profile_name("ful")
