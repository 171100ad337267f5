"""Two load generators that share a schedule against one server: here both on this host, one of them
through the launcher of a place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiment import plans
from loading.server import Server
from runfair.errors import UserMistake
from runfair.fleet import shared_load as module
from runfair.fleet.shared_load import SharedGenerators
from runfair.fleet.union import Share, Union
from runfair.formats.finding import LoadFinding
from runfair.formats.histogram import merged, read_intervals
from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.load_shares import LoadShares
from runfair.formats.place import Clock, DeclaredPlace, Location
from runfair.formats.records_file import Records, read_records
from runfair.loading.generator import GeneratorLost, LoadFiles, start
from runfair.loading.load import NS_PER_S, Load
from runfair.machine import place
from runfair.machine.launching import Launcher
from runfair.machine.place import Place

RATE = 400


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AHEAD_NS", 2 * NS_PER_S)


def shared(launcher: Launcher) -> SharedGenerators:
    declared = DeclaredPlace(host="second", launcher=["env", "PLACE=second"], clock="measured")
    plan = plans.plan([plans.cell()], [], places={"generator-2": declared})
    return SharedGenerators("first", [Place.of(plan, "generator-2", launcher)], [None])


def load(url: str, **keys: Any) -> Load:
    asked = {"rate": RATE, "duration_ns": NS_PER_S, "connections": 5, "seed": 3, **keys}
    return Load(url, **asked)


@pytest.fixture
def measured(
    launcher: Launcher, load_generator: Path, server: Server, tmp_path: Path
) -> tuple[LoadResult, LoadFiles]:
    files = LoadFiles.below(tmp_path, records=True)
    asked = load(server.url, arrivals="poisson")
    with shared(launcher).start(load_generator, asked, files) as running:
        progress = list(running)
        result = running.result()
    assert len(progress) >= 2
    # The progress has the requests of both generators, once the second has reported.
    assert result.requests.scheduled / 2 < progress[-1].scheduled <= result.requests.scheduled
    return result, files


def test_two_generators_make_one_load(
    measured: tuple[LoadResult, LoadFiles], load_generator: Path, server: Server, tmp_path: Path
) -> None:
    result, files = measured
    assert files.records is not None
    assert files.hlog is not None
    apart = tmp_path / "alone"
    apart.mkdir()
    alone = LoadFiles.below(apart, records=True)
    sent = server.requests
    with start(load_generator, load(server.url, arrivals="poisson"), alone) as session:
        single = session.result()
    assert alone.records is not None

    def schedule(path: Path) -> list[tuple[int, int]]:
        rows = read_records(path).rows
        return sorted(zip(rows["index"].tolist(), rows["intended_ns"].tolist(), strict=True))

    assert schedule(files.records) == schedule(alone.records)
    assert sent == single.requests.sent
    assert result.requests.good == single.requests.good == result.latency_ns.count
    assert result.connections == single.connections == 5
    assert result.rate.offered_per_s == pytest.approx(single.rate.offered_per_s)
    assert merged(read_intervals(files.hlog), "latency").total == result.requests.good
    assert read_result(files.result) == result
    assert result.arrivals is not None
    assert result.arrivals.shard is None
    checks = {one.check for one in result.verdict.findings}
    assert not checks & {"shard", "shard_start"}
    content = files.result.with_suffix(".shares.json").read_bytes()
    told = LoadShares.model_validate_json(content).shares
    assert [one.host for one in told] == ["first", "second"]
    assert [one.connections for one in told] == [3, 2]
    assert sum(one.scheduled for one in told) == result.requests.scheduled
    assert "second\n" in files.table.read_text()


def test_the_clocks_of_further_hosts_are_measured_during_the_load(
    launcher: Launcher,
    load_generator: Path,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, "LOOK_S", 0.0)
    with shared(launcher).start(
        load_generator, load(server.url), LoadFiles.below(tmp_path)
    ) as running:
        (clock,) = [one.clock for one in running._far]
        bursts = [len(clock.bursts) for _ in running]
        running.result()
    assert bursts[-1] >= 3
    assert len(clock.bursts) > bursts[-1]


def test_connections_of_the_union_are_told_apart(measured: tuple[LoadResult, LoadFiles]) -> None:
    _, files = measured
    assert files.records is not None
    rows = read_records(files.records).rows
    assert set(np.unique(rows["thread"])) == {0}
    odd = np.unique(rows["connection"][rows["index"] % 2 == 1])
    even = np.unique(rows["connection"][rows["index"] % 2 == 0])
    assert not set(odd) & set(even)


def shares_of(files: LoadFiles) -> list[Share]:
    """What the two generators of a load left."""
    found = []
    for number, host in ((1, "first"), (2, "second")):
        stem = files.result.with_name(f"{files.result.stem}.generator-{number}.json")
        result = read_result(stem)
        start_ns = result.started.monotonic_ns
        records = read_records(stem.with_suffix(".records"))
        found.append(Share(host, Location(), start_ns, result, records))
    # The two hosts are one here, so their clock is the same.
    return [replace(one, start_ns=found[0].start_ns) for one in found]


def findings(shares: Sequence[Share], check: str) -> list[LoadFinding]:
    return [one for one in Union(shares).result.verdict.findings if one.check == check]


def honest(files: LoadFiles) -> tuple[Share, Share]:
    """The shares of a load, with both starts at the same instant of one clock."""
    first, second = shares_of(files)
    began = first.result.started
    result = second.result.model_copy(update={"started": began})
    return first, replace(second, result=result)


def test_a_host_that_drops_its_requests_is_named(measured: tuple[LoadResult, LoadFiles]) -> None:
    first, second = honest(measured[1])
    assert findings([first, second], "shard") == []
    rows = second.records.rows
    liar = replace(second, records=Records(second.records.header, rows[rows["index"] % 10 != 5]))
    (found,) = findings([first, liar], "shard")
    assert found.severity == "fault"
    assert found.message.startswith("second: of the ")
    assert Union([first, liar]).result.verdict.state == "void"
    # The last request of the schedule is missing only by the host's own count.
    last = max(first, second, key=lambda one: int(one.records.rows["index"].max()))
    index = last.records.rows["index"]
    kept = last.records.rows[index != index.max()]
    cut = replace(last, records=Records(last.records.header, kept))
    shares = [cut if one is last else one for one in (first, second)]
    assert [one.message.split(":")[0] for one in findings(shares, "shard")] == [last.host]
    # Two hosts that send the same share are both of one share.
    assert len(findings([first, first], "shard")) == 1


def test_a_trend_that_a_host_saw_is_a_limitation(measured: tuple[LoadResult, LoadFiles]) -> None:
    first, second = honest(measured[1])
    trend = LoadFinding(
        check="stationarity",
        severity="limitation",
        figures=[],
        message="the median latency fell by 20%",
        advice="run longer",
    )

    def judged(share: Share, *told: LoadFinding) -> Share:
        verdict = share.result.verdict.model_copy(update={"findings": [*told]})
        return replace(share, result=share.result.model_copy(update={"verdict": verdict}))

    (found,) = findings([judged(first), judged(second, trend)], trend.check)
    assert (found.severity, found.message) == ("limitation", f"second: {trend.message}")


def test_a_host_that_starts_late_is_named(measured: tuple[LoadResult, LoadFiles]) -> None:
    first, second = honest(measured[1])
    assert findings([first, second], "shard_start") == []
    late_ns = second.start_ns + 5_000_000
    began = second.result.started.model_copy(update={"monotonic_ns": late_ns})
    liar = replace(second, result=second.result.model_copy(update={"started": began}))
    (found,) = findings([first, liar], "shard_start")
    assert found.severity == "fault"
    assert found.message.startswith(
        "second: this host started its share of the load 5 ms before or"
    )
    # A clock that is known no better than this says nothing of the start.
    far = Location(name="far", clock=Clock(offset_ns=0, uncertainty_ns=6_000_000))
    unsure = replace(liar, place=far, start_ns=late_ns)
    assert findings([first, unsure], "shard_start") == []


def test_a_wait_that_the_other_host_could_have_spared_is_the_generators(
    measured: tuple[LoadResult, LoadFiles],
) -> None:
    first, second = honest(measured[1])
    rows = np.array(second.records.rows)
    # Every tenth request of the second host waited 50 ms for a connection, while the first was
    # mostly idle.
    waited = rows["index"] % 10 == 5
    for name in ("free_ns", "sent_ns", "done_ns"):
        rows[name][waited] += np.uint64(50_000_000)
    slow = replace(second, records=Records(second.records.header, rows))
    union = Union([first, slow])
    share = union.hosts.shares[1]
    assert share.spared >= 0.8 * np.count_nonzero(waited)
    assert share.spared_ns > 0.8 * 50_000_000 * np.count_nonzero(waited)
    lag = union.quantities["send_lag"][1]
    assert np.count_nonzero(lag > 40_000_000) >= 0.8 * np.count_nonzero(waited)
    spared = "second: [0-9]+ requests waited while another host had a free connection"
    of_waits = findings([first, slow], "send_lag")
    (found,) = [one for one in of_waits if re.search(spared, one.message)]
    assert "latency_ns.p99" in found.figures


def test_a_host_that_cannot_reach_the_server_is_named(
    launcher: Launcher, load_generator: Path, tmp_path: Path
) -> None:
    files = LoadFiles.below(tmp_path)
    nowhere = load("http://127.0.0.1:1/")
    with (
        shared(launcher).start(load_generator, nowhere, files) as running,
        pytest.raises((UserMistake, GeneratorLost), match=r"^(first|second): "),
    ):
        running.result()
    assert not files.result.exists()


def test_too_few_connections_are_one_line(
    launcher: Launcher, load_generator: Path, tmp_path: Path
) -> None:
    files = LoadFiles.below(tmp_path)
    asked = load("http://127.0.0.1:1/", connections=1)
    with pytest.raises(
        UserMistake, match="needs at least 2 connections, 1 for each load generator, but it has 1"
    ):
        shared(launcher).start(load_generator, asked, files)
