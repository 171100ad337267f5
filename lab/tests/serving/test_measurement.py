"""Loads on one service: what is kept of each, and the search for its capacity."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from experiment.plans import host, plan
from loading.server import serving
from runfair.formats.finding import LoadFinding
from runfair.formats.histogram import merged, read_intervals
from runfair.formats.load_result import WRONG_BODIES, ConfidenceInterval, LoadResult
from runfair.formats.place import Network
from runfair.formats.plan import Cell, Effort
from runfair.formats.records_file import read_records
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD, Objective, Purpose
from runfair.loading.generator import Progress
from runfair.machine.launching import Launcher
from runfair.machine.perf_counters import SOFTWARE, CountedEvents, ProcessorCounters
from runfair.serving import process_accounting
from runfair.serving.instance import ServiceFailed
from runfair.serving.link import Counters
from runfair.serving.measurement import (
    CAPACITY_PRECISION,
    COUNTING,
    Measurement,
    Observation,
    enough_requests,
    meets,
)
from runfair.serving.network import End, NetworkWatch
from runfair.serving.process_accounting import TreeAccounting
from runfair.serving.running_service import RunningService
from serving.services import MS, cell, faulty, found, point, surroundings, timed

EXECUTION = "00001.1"
EFFORT = Effort(executions=2, max_seconds=1, timeout_seconds=20, load_seconds=1, probe_seconds=0.5)

CPU_TIME = CountedEvents(cycles=(SOFTWARE, 1), instructions=(SOFTWARE, 1))
OBJECTIVE = Objective(percentile="p50", limit_ns=1_000 * MS)


@contextmanager
def measuring(
    launcher: Launcher, folder: Path, one: Cell, load_generator: Path
) -> Iterator[Measurement]:
    run = RunFolder.create(folder / "results", plan([one], []), host())
    raw = run.raw_folder(EXECUTION)
    with RunningService(one, [surroundings(launcher, raw)], None) as running:
        (pid,) = running.root_pids
        below = TreeAccounting.below(pid) if one.artefact.command else TreeAccounting(pid)
        with run.usage_file(EXECUTION).open("wb") as usage:
            yield Measurement(
                executable=load_generator,
                service=running,
                folder=run,
                execution=EXECUTION,
                processors=[],
                keep_awake=False,
                effort=EFFORT,
                observation=Observation(usage, {"service": below}),
                on_progress=lambda _: None,
            )


@pytest.fixture(scope="session")
def honest(
    launcher: Launcher, load_generator: Path, tmp_path_factory: pytest.TempPathFactory
) -> LoadResult:
    """A real result of 100 good answers, each after 2 ms. A generator that others delayed gives no
    percentiles, so the interval of p50 is set by hand."""
    folder = tmp_path_factory.mktemp("honest")
    service = cell(folder, timed("--each-ms", "2"))
    with measuring(launcher, folder, service, load_generator) as measured:
        result = measured.operating_point()
    seen = result.latency_ns.intervals.get("p50")
    assert seen is None or seen.low_ns >= 2 * MS
    intervals = {"p50": ConfidenceInterval(low_ns=2 * MS, high_ns=3 * MS)}
    latency = result.latency_ns.model_copy(update={"intervals": intervals})
    return result.model_copy(update={"latency_ns": latency})


def test_the_traffic_of_each_load_is_its_own(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    seen = iter(range(1000))

    def counters() -> Counters:
        number = next(seen)
        return Counters(
            monotonic_ns=number * 10**9,
            sent_bytes=1000 * number * number,  # each second more than the second before
            received_bytes=0,
            sent_segments=0,
            repeated_segments=0,
            duplicate_segments=0,
        )

    end = cast(End, SimpleNamespace(place="service", host="host", counters=counters))
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        measured.network = NetworkWatch([end], Network(hosts={"service": "host"}))
        measured.operating_point()
        measured.load("curve-01", "curve", 40)
        main, curve = (one.traffic[0].sent_bits_per_s for one in measured.loads)
        assert measured.network.network.traffic == measured.loads[0].traffic
    assert main < curve


def test_the_operating_point_and_another_rate(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    progress: list[Progress] = []
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        measured.on_progress = progress.append
        result = measured.operating_point()
        measured.load("curve-01", "curve", 40)
        run = measured.folder
        main, curve = measured.loads
    assert (main.name, main.purpose, main.rate_per_s) == (MAIN_LOAD, "operating_point", 100)
    assert (main.scheduled, main.good, main.failed) == (100, 100, 0)
    assert (curve.name, curve.rate_per_s, curve.good) == ("curve-01", 40, 20)
    assert main.started_monotonic_ns + main.elapsed_ns <= curve.started_monotonic_ns
    assert result.started.monotonic_ns == main.started_monotonic_ns
    assert len(progress) >= 2

    intervals = list(read_intervals(run.latency_file(EXECUTION)))
    assert merged(intervals, "latency").total == 100
    assert len(read_records(run.load_file(EXECUTION, MAIN_LOAD, "records")).rows) == 100
    # Other rates have a log, and no records.
    beside = list(read_intervals(run.load_file(EXECUTION, "curve-01", "hlog")))
    assert merged(beside, "latency").total == 20
    assert not run.load_file(EXECUTION, "curve-01", "records").exists()
    assert run.load_result(EXECUTION, MAIN_LOAD) == result
    assert run.load_result(EXECUTION, "curve-02") is None

    usage = run.usage(EXECUTION)
    assert len(usage) >= 2
    assert {one.of for one in usage} == {"service"}
    instants = [one.monotonic_ns for one in usage]
    assert instants == sorted(instants)
    assert usage[-1].cpu_ns > usage[0].cpu_ns
    assert usage[-1].peak_bytes > 1 << 20


def test_what_the_processor_counts_is_kept_with_the_rest(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    """CPU time by the kernel's clock in the place of cycles, beside the scheduler's account."""
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        observation = measured.observation
        try:
            counters = ProcessorCounters(observation.trees["service"].threads(), CPU_TIME)
        except OSError as refused:
            pytest.skip(f"may not count here: {refused.strerror}")
        with counters:
            observation.counters = counters
            measured.operating_point()
        usage = measured.folder.usage(EXECUTION)
    first, last = usage[0], usage[-1]
    assert first.processor is not None
    assert last.processor is not None
    counted = last.processor.since(first.processor).cycles
    assert counted.estimate == pytest.approx(last.cpu_ns - first.cpu_ns, rel=0.1, abs=5 * MS)


def test_a_service_that_dies_ends_its_load_and_keeps_it(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    with measuring(launcher, tmp_path, cell(tmp_path, faulty("dies")), load_generator) as measured:
        with pytest.raises(ServiceFailed, match="ended by itself: signal 6"):
            measured.operating_point()
        (load,) = measured.loads
        assert 1 <= load.good <= 50
        assert load.failed >= 1
        with pytest.raises(ServiceFailed, match="ended by itself: signal 6"):
            measured.load("curve-01", "curve", 40)
        assert measured.folder.load_result(EXECUTION, MAIN_LOAD) is not None
        assert measured.service.report is not None
        assert measured.service.report.outcome.signal == 6


def test_system_calls_are_counted_under_a_load_that_is_none_of_the_measured_ones(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        found = measured.system_calls()
        assert measured.loads == []
    if not found:
        pytest.skip("system calls may not be counted here")
    (counted,) = found
    # Two seconds at 100/s; each request is received and answered by at least one call.
    assert counted.requests == 200
    assert counted.read >= counted.requests
    assert counted.write >= counted.requests
    assert counted.read + counted.write + counted.wait + counted.lock < 50 * counted.requests


def test_where_the_kernel_does_not_let_no_load_is_put(
    launcher: Launcher, tmp_path: Path, load_generator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise PermissionError(errno.EACCES, "no leave")

    monkeypatch.setattr(process_accounting, "SystemCallCounters", refuse)
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        assert measured.system_calls() == []
        assert measured.folder.load_result(EXECUTION, COUNTING) is None


def test_one_that_runs_already_is_watched_as_well(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    with serving() as server:
        one = found(tmp_path, server.url.removesuffix("/hello"))
        with measuring(launcher, tmp_path, one, load_generator) as measured:
            measured.operating_point()
            assert measured.loads[0].good == server.requests == 100
            assert measured.folder.usage(EXECUTION)


def test_whether_a_load_met_its_objective(honest: LoadResult) -> None:
    def objective(limit_ns: int) -> Objective:
        return Objective(percentile="p50", limit_ns=limit_ns)

    def told(result: LoadResult, limit_ns: int = 1_000 * MS) -> str:
        return meets(result, objective(limit_ns))

    fair = honest.model_copy(
        update={
            "verdict": honest.verdict.model_copy(update={"state": "fair"}),
            "rate": honest.rate.model_copy(update={"ratio": 1.0}),
        }
    )
    assert told(fair) == "yes"
    assert told(fair, 1 * MS) == "no"
    assert told(fair, 2_500_000) == "unclear"

    void = fair.model_copy(update={"verdict": fair.verdict.model_copy(update={"state": "void"})})
    assert told(void) == "unclear"
    slow = fair.model_copy(update={"rate": fair.rate.model_copy(update={"ratio": 0.98})})
    assert told(slow) == "no"
    for failed, expected in ((1, "yes"), (2, "no")):
        requests = fair.requests.model_copy(update={"failed": failed})
        assert told(fair.model_copy(update={"requests": requests})) == expected
    untold = fair.latency_ns.model_copy(update={"intervals": {}})
    assert told(fair.model_copy(update={"latency_ns": untold})) == "unclear"

    # One wrong body among a hundredth of the bodies stands for many.
    failures = fair.requests.failures.model_copy(update={"wrong_body": 1})
    compared = {"checkable": 100, "checked": 1, "wrong_of_checked": 1}
    requests = fair.requests.model_copy(update={"failed": 1, "failures": failures, **compared})
    sampled = fair.model_copy(update={"requests": requests, "check_share": 0.01})
    assert told(sampled) == "no"
    fault = LoadFinding(check=WRONG_BODIES, severity="fault", figures=[], message="seen", advice="")
    update = {"state": "void", "findings": [fault]}
    verdict = fair.verdict.model_copy(update=update)
    assert told(sampled.model_copy(update={"verdict": verdict})) == "no"


@pytest.mark.parametrize("capacity_per_s", [30.0, 100.0, 777.0])
def test_the_search_closes_in_on_the_capacity(
    launcher: Launcher,
    tmp_path: Path,
    load_generator: Path,
    honest: LoadResult,
    monkeypatch: pytest.MonkeyPatch,
    capacity_per_s: float,
) -> None:
    """Of a service that meets its objective up to a rate, and not beyond."""
    asked: list[tuple[str, Purpose, float]] = []

    def load(
        _self: Measurement, name: str, purpose: Purpose, rate_per_s: float, seconds: float
    ) -> LoadResult:
        assert EFFORT.probe_seconds <= seconds <= EFFORT.load_seconds
        asked.append((name, purpose, rate_per_s))
        ratio = 1.0 if rate_per_s <= capacity_per_s else 0.5
        verdict = honest.verdict.model_copy(update={"state": "fair"})
        rate = honest.rate.model_copy(update={"ratio": ratio})
        return honest.model_copy(update={"rate": rate, "verdict": verdict})

    monkeypatch.setattr(Measurement, "load", load)
    one = cell(tmp_path, timed(), point(tmp_path))
    with measuring(launcher, tmp_path, one, load_generator) as measured:
        found_ = measured.capacity(OBJECTIVE)
    assert found_.highest_met_per_s is not None
    assert found_.lowest_missed_per_s is not None
    assert found_.highest_met_per_s <= capacity_per_s < found_.lowest_missed_per_s
    assert found_.lowest_missed_per_s / found_.highest_met_per_s <= CAPACITY_PRECISION * 1.001
    assert found_.observations == len(asked) <= 20
    assert found_.confidence > 0.9
    # Every load could have shown that the objective is met.
    assert min(rate_per_s for _, _, rate_per_s in asked) >= enough_requests(OBJECTIVE)
    assert [name for name, _, _ in asked] == [f"capacity-{n:02}" for n in range(1, len(asked) + 1)]
    assert {purpose for _, purpose, _ in asked} == {"capacity"}


@pytest.mark.parametrize(("ratio", "met", "missed"), [(1.0, 1600, None), (0.5, None, 16)])
def test_a_capacity_beyond_what_is_asked_is_open(
    launcher: Launcher,
    tmp_path: Path,
    load_generator: Path,
    honest: LoadResult,
    monkeypatch: pytest.MonkeyPatch,
    ratio: float,
    met: float | None,
    missed: float | None,
) -> None:
    def load(*_: Any) -> LoadResult:
        verdict = honest.verdict.model_copy(update={"state": "fair"})
        rate = honest.rate.model_copy(update={"ratio": ratio})
        return honest.model_copy(update={"rate": rate, "verdict": verdict})

    monkeypatch.setattr(Measurement, "load", load)
    with measuring(launcher, tmp_path, cell(tmp_path, timed()), load_generator) as measured:
        found_ = measured.capacity(OBJECTIVE)
    assert (found_.highest_met_per_s, found_.lowest_missed_per_s) == (met, missed)
