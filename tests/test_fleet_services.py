"""Services over several hosts: the load generator, the service and its database are apart."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fleet.clusters import foreign_processes, private_cluster
from laboratory import Lab, wait_until
from runfair.errors import UserMistake
from runfair.fleet.cluster import SERVICES_FILE
from runfair.fleet.cluster_state import ClusterState, Declared, cluster_folder
from runfair.loading.generator import generator
from runfair.serving.postgresql_server import find_binaries
from runfair.serving.relay import relay
from served_experiment import LAB, Serving, multiplexed, reading, sized, timed

pytestmark = [pytest.mark.long, pytest.mark.alone]
Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]

MS = 1_000_000
LIMIT_S = 900.0  # another run on this machine may hold the measurement lock for long
END_LIMIT_S = 60.0
ROLES = {"generator", "service", "database"}
# A decision needs six executions, and a level of the latency in each half of the load.
PROFILE = """
[profiles.quick]
service_executions = 6
load_seconds = 14
probe_seconds = 1
"""
# All hosts share the processors of this machine, so each service may have lost about 1 s.
DECIDING = {"rate": 30, "connections": 100, "late_ms": 2500}


@dataclass
class Cluster:
    """A cluster of three hosts, with the file that names them by role."""

    lab: Lab
    state: ClusterState
    machines: Path

    def start(self, path: str, profile: str = "smoke") -> subprocess.Popen[str]:
        words = ("run", path, "--profile", profile, "--json")
        return self.lab.start(*words, "--machines", str(self.machines))

    def measured(self, path: str, profile: str = "smoke") -> dict[str, Any]:
        """The result of a run over the hosts, on which no process is left."""
        process = self.start(path, profile)
        out, said = process.communicate(timeout=LIMIT_S)
        assert process.returncode in (0, 3), said
        assert "Traceback" not in said
        wait_until(lambda: foreign_processes(self.state) == [], END_LIMIT_S)
        for described in (self.lab.run_folder() / "machines").iterdir():
            assert json.loads(described.read_text())["simulated"]
        result: dict[str, Any] = json.loads(out)
        return result

    def number_of(self, host: str) -> int:
        return [one.name for one in self.state.hosts].index(host)


Made = Callable[[Declared], Cluster]


@pytest.fixture
def cluster(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    # In the folder of the cluster, Cargo would compile all dependencies again.
    generator()
    relay()
    with ExitStack() as stack:

        def made(declared: Declared) -> Cluster:
            state, _ = stack.enter_context(private_cluster(declared, monkeypatch))
            return Cluster(lab, state, cluster_folder() / SERVICES_FILE)

        yield made


@pytest.fixture
def postgresql() -> None:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))


def order(serving: Serving, late_ms: int = 900, **keys: Any) -> None:
    """A service that reads a row for each request, and a service that is far too slow."""
    serving.own("reading", command=reading("{host}"), environment={"PYTHONPATH": str(LAB)})
    serving.own("late", command=timed("--host", "{host}", "--each-ms", str(late_ms)))
    usual = {"benchmark": "payments", "workload": "order", "rate": 20, "connections": 40}
    serving.serve(["reading", "late"], objective="p50 < 450 ms", **{**usual, **keys})


def networks(serving: Serving) -> list[dict[str, Any]]:
    """The network of each completed execution."""
    records = [one for each in serving.records().values() for one in each]
    assert records
    for one in records:
        assert one["outcome"] == {"state": "completed", "reason": ""}, one["outcome"]
    return [one["served"]["network"] for one in records]


def round_trips_ns(network: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(one["sender"], one["receiver"]): one["round_trip_ns"] for one in network["links"]}


def decided(lab: Lab, run: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Which services meet the objective, and the outcome for each candidate."""
    done = lab("decide", run, "--json")
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)
    meets = {one["service"]: one["meets"] for one in answer["services"]}
    return meets, [(one["service"], one["outcome"]) for one in answer["candidates"]]


@pytest.mark.usefixtures("postgresql")
def test_a_decision_is_the_same_on_three_hosts_as_on_one(
    lab: Lab, serving: Serving, cluster: Made
) -> None:
    order(serving, **DECIDING)
    path = lab.experiment(serving.text + PROFILE, "services")
    found = cluster(Declared(hosts=3))
    found.measured(path, "quick")
    for network in networks(serving):
        assert {*network["hosts"]} == ROLES
        assert {*network["hosts"].values()} == {"host1", "host2", "host3"}
        assert {one["place"] for one in network["traffic"]} == ROLES
        assert len(network["links"]) == 4
        assert {*network["offloads"]} == ROLES
    for records in serving.records().values():
        for one in records:
            assert (one["place"]["name"], one["served"]["relay"]["name"]) == ("service", "database")
            assert one["host"] == one["served"]["network"]["hosts"]["service"]
            (load,) = one["served"]["loads"]
            assert load["place"]["name"] == "generator"
    relayed = serving.records()["reading"][0]
    report = json.loads((lab.run_folder() / "raw" / relayed["id"] / "relay.json").read_text())
    assert report["queries"]["answered"] >= relayed["served"]["loads"][0]["good"]
    on_three = decided(lab, str(lab.run_folder()))

    alone = Lab(lab.scratch / "alone")
    alone.scratch.mkdir()
    process = alone.start("run", path, "--profile", "quick", "--json")
    _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode in (0, 3), said
    assert decided(alone, str(alone.run_folder())) == on_three
    assert on_three[0] == {"reading": "yes", "late": "no"}


@pytest.mark.usefixtures("postgresql")
def test_a_delay_of_the_network_is_measured_and_the_relay_adds_the_rest(
    lab: Lab, serving: Serving, cluster: Made
) -> None:
    found = cluster(Declared(hosts=3, delay_ns=20 * MS))
    order(serving, round_trip="50 ms", rate=2)
    found.measured(serving.experiment(load_seconds=4))
    for network in networks(serving):
        for ends, measured_ns in round_trips_ns(network).items():
            assert 39 * MS <= measured_ns <= 41 * MS, ends
    for records in serving.records().values():
        for one in records:
            network_ns = round_trips_ns(one["served"]["network"])["service", "database"]
            relay = json.loads((lab.run_folder() / "raw" / one["id"] / "relay.json").read_text())
            assert relay["delay_ns"] == 50 * MS - network_ns
            # The packets may have been delayed in one direction alone.
            clock = one["place"]["clock"]
            assert 20 * MS <= clock["uncertainty_ns"] <= 25 * MS
            assert abs(clock["offset_ns"]) <= clock["uncertainty_ns"]


def test_a_full_link_is_named_as_the_limit(serving: Serving, cluster: Made) -> None:
    """Answers of 11 kB, 100 times a second, take 9 of 10 Mbit/s; the small ones take nearly
    nothing."""
    found = cluster(Declared(hosts=3, rate_mbit_per_s=10))
    for name, size_bytes in (("large", 11_000), ("small", 100)):
        serving.own(name, command=sized(size_bytes))
        traffic = str(serving.traffic(b"x" * size_bytes))
        serving.serve([name], traffic=traffic, rate=100 if name == "large" else 90)
    result = found.measured(serving.experiment(load_seconds=4))
    said = {
        one["variant"]: [
            finding["text"]
            for finding in one["figures"]["p50"]["findings"]
            if finding["check"] == "network" and finding["severity"] == "warning"
        ]
        for one in result["cells"]
    }
    (text,) = said["large"]
    assert "of the bandwidth of host" in text
    assert said["small"] == []


def test_clocks_that_differ_are_found(serving: Serving, cluster: Made) -> None:
    found = cluster(Declared(hosts=3, clock_step_ns=10 * MS))
    serving.own("reading", command=sized(5))
    serving.serve(["reading"], traffic=str(serving.traffic(b"xxxxx")))
    found.measured(serving.experiment())
    ((one,),) = serving.records().values()
    hosts = one["served"]["network"]["hosts"]
    ahead = found.number_of(hosts["service"]) - found.number_of(hosts["generator"])
    clock = one["place"]["clock"]
    assert ahead
    assert abs(clock["offset_ns"] - ahead * 10 * MS) <= 0.2 * MS
    assert abs(clock["offset_ns"] - ahead * 10 * MS) <= clock["uncertainty_ns"]


def share_loads(found: Cluster) -> None:
    """Two hosts of the cluster send each load together. Without a database, there are enough
    hosts."""
    shared, _, _ = found.machines.read_text().partition("[roles.database]")
    shared = shared.replace("[roles.generator]\n", "[roles.generator]\nnodes = 2\n")
    found.machines = found.lab.scratch / "shared.toml"
    found.machines.write_text(shared)


def test_two_generators_send_one_load(lab: Lab, serving: Serving, cluster: Made) -> None:
    found = cluster(Declared(hosts=3, clock_step_ns=10 * MS))
    share_loads(found)
    serving.own("small", command=sized(5))
    serving.serve(["small"], traffic=str(serving.traffic(b"xxxxx")), rate=200, connections=8)
    found.measured(serving.experiment(load_seconds=4))
    ((one,),) = serving.records().values()
    assert one["outcome"] == {"state": "completed", "reason": ""}
    (load,) = one["served"]["loads"]
    assert (load["scheduled"], load["good"]) == (800, 800)
    assert len(serving.latencies_ns(one["id"])) == 800
    path = lab.run_folder() / "raw" / one["id"] / "operating-point.shares.json"
    first, second = json.loads(path.read_text())["shares"]
    assert {first["host"], second["host"], one["host"]} == {"host1", "host2", "host3"}
    assert (first["scheduled"], second["scheduled"]) == (400, 400)
    assert (first["connections"], second["connections"]) == (4, 4)
    # The far host's clock differs by whole steps, and its start is the same instant.
    clock = second["place"]["clock"]
    ahead = found.number_of(second["host"]) - found.number_of(first["host"])
    assert abs(clock["offset_ns"] - ahead * 10 * MS) <= 0.2 * MS
    apart_ns = second["started_monotonic_ns"] - clock["offset_ns"] - first["started_monotonic_ns"]
    assert abs(apart_ns) <= clock["uncertainty_ns"]
    network = one["served"]["network"]
    assert network["hosts"]["generator-2"] == second["host"]
    assert {*network["hosts"]} == {each["place"] for each in network["traffic"]}
    assert {("generator-2", "service"), ("service", "generator-2")} <= {*round_trips_ns(network)}
    checks = {finding["check"] for finding in serving.load(one["id"])["verdict"]["findings"]}
    assert not checks & {"shard", "shard_start"}


def test_two_generators_search_a_capacity_and_multiplex_to_several_instances(
    lab: Lab, serving: Serving, cluster: Made
) -> None:
    found = cluster(Declared(hosts=3))
    share_loads(found)
    # One request after another takes 20 ms, so no rate above 50/s can be served.
    serving.own("single", command=timed("--host", "{host}", "--one-worker", "--each-ms", "20"))
    searched = {"objective": "p50 < 100 ms", "capacity": True, "curve": [10], "rate": 25}
    serving.serve(["single"], **searched)
    traffic = {"http2": serving.traffic(b"hello"), "grpc": serving.calls()}
    for protocol, path in traffic.items():
        serving.own(protocol, command=multiplexed("--host", "{host}"), instances=2)
        serving.serve([protocol], protocol=protocol, streams=8, traffic=str(path))
    found.measured(serving.experiment(load_seconds=3))
    ((single,), *pairs) = (serving.records()[name] for name in ("single", *traffic))
    for one in (single, *(pair for (pair,) in pairs)):
        assert one["outcome"] == {"state": "completed", "reason": ""}
        for load in one["served"]["loads"]:
            path = lab.run_folder() / "raw" / one["id"] / f"{load['name']}.shares.json"
            shares = json.loads(path.read_text())["shares"]
            assert len({each["host"] for each in shares}) == 2
            assert sum(each["scheduled"] for each in shares) == load["scheduled"]
    purposes = [load["purpose"] for load in single["served"]["loads"]]
    assert purposes[:2] == ["operating_point", "curve"]
    capacity = single["served"]["capacity"]
    assert capacity["observations"] == purposes.count("capacity") > 2
    assert capacity["highest_met_per_s"] < 60
    for protocol, (pair,) in zip(traffic, pairs, strict=True):
        load = serving.load(pair["id"])
        assert load["protocol"] == protocol
        assert [each["url"] for each in load["targets"]] == pair["served"]["address"].split()
        goods = [each["good"] for each in load["targets"]]
        assert min(goods) > 0
        assert sum(goods) == load["requests"]["good"] == load["requests"]["scheduled"]


@pytest.mark.usefixtures("postgresql")
def test_a_service_runs_on_two_hosts(lab: Lab, serving: Serving, cluster: Made) -> None:
    found = cluster(Declared(hosts=4, clock_step_ns=10 * MS))
    stated = found.machines.read_text()
    found.machines = lab.scratch / "two.toml"
    found.machines.write_text(stated.replace("[roles.service]\n", "[roles.service]\nnodes = 2\n"))
    order(serving, round_trip="50 ms")
    result = found.measured(serving.experiment(load_seconds=4))
    networks(serving)
    for one in (record for records in serving.records().values() for record in records):
        served = one["served"]
        first, second = served["hosts"]
        places = served["network"]["hosts"]
        assert {*places} == ROLES | {"service-2"}
        assert {*places.values()} == {"host1", "host2", "host3", "host4"}
        assert (first["host"], second["host"]) == (places["service"], places["service-2"])
        assert one["launch"]["cpu_ns"] == first["launch"]["cpu_ns"] + second["launch"]["cpu_ns"]
        assert min(each["launch"]["cpu_ns"] for each in served["hosts"]) > 0
        for each in served["hosts"]:
            ahead = found.number_of(each["host"]) - found.number_of(places["generator"])
            clock = each["place"]["clock"]
            assert abs(clock["offset_ns"] - ahead * 10 * MS) <= 0.2 * MS
        links = round_trips_ns(served["network"])
        assert {("generator", "service-2"), ("service-2", "database")} <= {*links}
        relay = json.loads((lab.run_folder() / "raw" / one["id"] / "relay.json").read_text())
        longest_ns = max(links["service", "database"], links["service-2", "database"])
        assert relay["delay_ns"] == 50 * MS - longest_ns
        targets = serving.load(one["id"])["targets"]
        assert [each["url"] for each in targets] == first["addresses"] + second["addresses"]
        assert [each["connections"] for each in targets] == [20, 20]
        assert min(each["sent"] for each in targets) > 0
    for cell in result["cells"]:
        assert cell["factors"]["hosts"] == 2
        hosts = [each["host"] for each in cell["service"]["hosts"]]
        assert len({*hosts}) == len(hosts) <= 4
    done = lab("report", str(lab.run_folder()), "--details")
    assert "hosts of the service" in done.stdout


@pytest.mark.usefixtures("postgresql")
def test_a_lab_that_is_killed_leaves_no_process_and_is_resumed(
    lab: Lab, serving: Serving, cluster: Made, background: Keep
) -> None:
    found = cluster(Declared(hosts=3))
    order(serving)
    process = background(found.start(serving.experiment(load_seconds=8)))

    def under_load() -> bool:
        assert process.poll() is None, process.communicate()[1]
        return any(lab.results.glob("*/portions/*/raw/*/usage.jsonl"))

    wait_until(under_load, LIMIT_S)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = lab.start("resume", "latest", "--json")
    out, said = done.communicate(timeout=LIMIT_S)
    assert done.returncode in (0, 3), said
    assert json.loads(out)["complete"]
    assert {*serving.records()} == {"reading", "late"}
    wait_until(lambda: foreign_processes(found.state) == [], END_LIMIT_S)
