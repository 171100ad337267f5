"""Services whose latencies, capacity and waits are known by construction."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from jsonschema import Draft202012Validator

from laboratory import Lab
from runfair.formats.event import read_events
from runfair.formats.service import SHARES
from runfair.paths import SCHEMAS
from runfair.statistics.percentile import rank
from served_experiment import Serving, spending, timed

MS = 1_000_000


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that says what it hears."""

    class Echo(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while heard := self.request.recv(4096):
                self.request.sendall(heard)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        answering = threading.Thread(target=server.serve_forever, daemon=True)
        answering.start()
        yield server.server_address[1]
        server.shutdown()
        answering.join()


@pytest.mark.alone
def test_where_the_time_of_two_services_goes_is_told_of_each(
    lab: Lab, serving: Serving, echo: int
) -> None:
    """One computes for 5 ms, the other waits for a database 50 ms away: the opposite accounts. What
    that decides a smoke run, flagged by design, cannot tell."""
    for on in ("computing", "asking"):
        serving.own(on, command=spending(on), environment={"DATABASE_PORT": "{database_port}"})
    serving.serve(
        ["computing", "asking"],
        rate=20,
        connections=10,
        objective="p50 < 300 ms",
        database=f"tcp://127.0.0.1:{echo}",
        round_trip="50 ms",
    )
    done = lab.measured("run", serving.experiment(load_seconds=4), "--profile", "smoke", "--json")
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}

    shown = lab("decide", "latest")
    assert shown.returncode == 0, shown.stderr
    assert "at 20/s, objective p50 < 300 ms, round trip to the database 50 ms" in shown.stdout
    assert "Cannot be told: " in shown.stdout
    (answer,) = answers = json.loads(lab("decide", "latest", "--json").stdout)
    schema = json.loads((SCHEMAS / "decision.schema.json").read_text())
    Draft202012Validator(schema).validate(answers)
    parts = {one["service"]: one["parts_ns"] for one in answer["services"]}
    assert set(parts) == {"computing", "asking"}
    if parts["computing"] is not None:  # unless the machine itself voids it
        assert parts["computing"]["own CPU"] >= 4 * MS
        assert parts["computing"]["database"] == 0
    if parts["asking"] is not None:
        assert parts["asking"]["database"] >= 50 * MS
        assert parts["asking"]["own CPU"] < parts["asking"]["database"] / 4
        relay = cells["asking"]["service"]["relay"]
        assert relay["round_trip_ns"] == 50 * MS
        assert 0.9 < relay["queries_per_request"] < 1.1
        assert relay["cpu_per_query_ns"] > 0
    swapped = lab("decide", "latest", "--baseline", "asking", "--json")
    assert [one["service"] for one in json.loads(swapped.stdout)[0]["candidates"]] == ["computing"]


@pytest.mark.alone
def test_percentiles_that_are_known_by_construction(lab: Lab, serving: Serving) -> None:
    """The machine may add to a latency and never takes from it: what is below is wrong, what is
    above may have a wide margin, and holds of the second in which the machine added least. At 100
    requests a second without queues:

    constant  every request takes 20 ms
    bimodal   every tenth 60 ms, the others 10 ms: p50 is of these, p99 of those
    pauses    80 ms in each second stand still: of 8% of the requests, the one that came t after
              the pause began takes 82 ms - t. p90 knows nothing of it. The first that meets a pause
              comes within 10 ms, always as late: five take at least 72 ms, and the sixth from the
              top, which is the p99 of 500, 10 ms less.
    """
    serving.own("constant", command=timed("--each-ms", "20"))
    serving.own(
        "bimodal", command=timed("--each-ms", "10", "--slow-ms", "60", "--slow-every", "10")
    )
    serving.own("pauses", command=timed("--each-ms", "2", "--pause-ms", "80"))
    serving.serve(["constant", "bimodal", "pauses"], connections=20)
    lab.measured("run", serving.experiment(load_seconds=5), "--profile", "smoke")
    seen: dict[str, dict[str, int]] = {}
    quietest: dict[str, dict[str, int]] = {}  # of each percentile: the least of the five seconds
    for name, (one,) in serving.records().items():
        assert one["outcome"]["state"] == "completed", one["outcome"]
        latencies_ns = serving.latencies_ns(one["id"])
        assert len(latencies_ns) == 500
        seen[name] = percentiles(latencies_ns)
        seconds = [percentiles(second) for second in np.split(latencies_ns, 5)]
        quietest[name] = {key: min(second[key] for second in seconds) for key in seen[name]}
        # CPython told of its collections, on the clock of the load.
        assert one["served"]["events"] is not None
        list(read_events(lab.run_folder() / "events" / f"{one['id']}.jsonl"))
    constant, bimodal, pauses = seen["constant"], seen["bimodal"], seen["pauses"]
    assert constant["p50"] >= 20 * MS
    assert quietest["constant"]["p50"] < 24 * MS
    assert quietest["constant"]["p90"] < 40 * MS
    assert bimodal["p50"] >= 10 * MS
    assert quietest["bimodal"]["p50"] < 14 * MS
    assert bimodal["p99"] >= 60 * MS
    assert pauses["p50"] >= 2 * MS
    assert quietest["pauses"]["p50"] < 10 * MS
    assert pauses["p99"] >= 62 * MS
    assert pauses["max"] >= 72 * MS


def percentiles(latencies_ns: npt.NDArray[np.int64]) -> dict[str, int]:
    """Each percentile of the service's figures, and the greatest latency."""
    rising, count = np.sort(latencies_ns), len(latencies_ns)
    ranks = {**{str(figure): rank(share, count) for figure, share in SHARES.items()}, "max": count}
    return {figure: int(rising[place - 1]) for figure, place in ranks.items()}


@pytest.mark.long
def test_a_known_capacity_is_found_and_the_curve_bends_before_it(
    lab: Lab, serving: Serving
) -> None:
    """One worker at 5 ms a request: 200 a second and no more."""
    serving.own("worker", command=timed("--each-ms", "5", "--one-worker"))
    serving.serve(
        ["worker"],
        rate=100,
        objective="p50 < 40 ms",
        curve=[25, 150, 400],
        capacity=True,
        timeout="2 s",
        connections=40,
    )
    done = lab.measured(
        "run", serving.experiment(load_seconds=4, probe_seconds=2), "--profile", "smoke", "--json"
    )
    (one,) = serving.records()["worker"]
    assert one["outcome"]["state"] == "completed", one["outcome"]
    found = one["served"]["capacity"]
    assert found["observations"] >= 6
    assert found["highest_met_per_s"] >= 150
    assert found["lowest_missed_per_s"] <= 250
    assert found["highest_met_per_s"] < found["lowest_missed_per_s"]

    loads = {
        each["rate_per_s"]: each for each in one["served"]["loads"] if each["purpose"] == "curve"
    }
    assert list(loads) == [25, 150, 400]
    p50_ns = {
        rate: serving.load(one["id"], each["name"])["latency_ns"]["p50"]
        for rate, each in loads.items()
    }
    assert all(p50_ns[rate] >= 5 * MS for rate in loads)
    assert p50_ns[400] > 10 * p50_ns[25]
    (cell,) = json.loads(done.stdout)["cells"]
    points = {point["rate_per_s"]: point["meets"] for point in cell["service"]["curve"]}
    assert points[400] == "no"
