"""Services by HTTP/2 and gRPC, rows of a feed, and requirements, as runs have them."""

from __future__ import annotations

import json
from typing import Any

from laboratory import Lab, default_of
from runfair.formats.records_file import read_records
from served_experiment import Serving, faulty, multiplexed, timed

HTTP2 = {"protocol": "http2", "streams": 8, "connections": 1}
GO = """
[[serve]]
benchmark = "payments"
workload = "route"
services = ["{service}"]
variants = ["{variant}"]
protocol = "{protocol}"
streams = 8
connections = 2
rate = 100
"""


def most_at_once(lab: Lab, execution: str) -> int:
    """The greatest number of requests that were under way together."""
    raw = lab.run_folder() / "raw" / execution
    rows = read_records(raw / "operating-point.records").of_kind("good")
    begun = [(int(instant), 1) for instant in rows["sent_ns"]]
    ended = [(int(instant), -1) for instant in rows["done_ns"]]
    under_way, most = 0, 0
    for _, change in sorted(begun + ended):
        under_way += change
        most = max(most, under_way)
    return most


def test_requests_share_a_connection_and_a_service_of_the_other_version_is_one_line(
    lab: Lab, serving: Serving
) -> None:
    """Each answer takes 35 ms, and a request is due every 10 ms: one after another, a connection
    would answer 28 a second, so the requests shared it."""
    slow = multiplexed("--each-ms", "35")
    serving.own("by-http2", command=slow)
    serving.own("only-http1", command=multiplexed("http1"), ready_within="6 s")
    serving.serve(["by-http2", "only-http1"], **HTTP2)
    serving.own("only-http2", command=slow, ready_within="6 s")
    serving.serve(["only-http2"])
    serving.own("by-grpc", command=slow)
    serving.serve(["by-grpc"], **{**HTTP2, "protocol": "grpc", "traffic": str(serving.calls())})
    variant = default_of("go")
    for service, protocol in (("net-http", "http2"), ("grpc-go", "grpc")):
        serving.text += GO.format(service=service, variant=variant, protocol=protocol)
    done = lab("run", serving.experiment(), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr
    assert done.returncode == 3, done.stderr  # nothing is known of two services

    cells: list[dict[str, Any]] = json.loads(done.stdout)["cells"]
    of_cell = {one["cell"]: one for one in lab.executions()}
    seen = set()
    for cell in cells:
        one, service = of_cell[cell["id"]], cell["service"]
        if cell["failed"]:
            continue
        load = serving.load(one["id"])
        seen.add((service["service"], load["protocol"]))
        assert load["requests"]["failed"] == 0
        assert load["streams"]["allowed"] == 8
        p50 = cell["figures"]["p50"]
        said = [each for each in p50["findings"] if "that arrived in one read have" in each["text"]]
        assert [each["severity"] for each in said] == ["limitation"]
        if cell["tier"] == "own":
            assert load["connections_opened"] == 1
            assert load["requests"]["good"] == 200
            assert 3 <= most_at_once(lab, one["id"]) <= 8
            # The machine may add to a latency, and a void percentile has no value.
            high = p50["value"] if p50["bounds"] is None else p50["bounds"][1]
            assert high is None or high >= 35_000_000 * 0.999
            assert (p50["value"] is None) == (p50["verdict"] == "void")
    own = {("by-http2", "http2"), ("by-grpc", "grpc")}
    assert seen == {*own, ("net-http", "http2"), ("grpc-go", "grpc")}

    reasons = {name: one["outcome"]["reason"] for name, (one, *_) in serving.records().items()}
    said_of = {
        "only-http1": "the server does not speak HTTP/2, because it sent an HTTP/1.1 response",
        "only-http2": ("the server does not speak HTTP/1.1, because its answer began with HTTP/2"),
    }
    for name, expected in said_of.items():
        assert reasons[name].startswith("the service was not ready within 6 s (http://127.0.0.1:")
        assert reasons[name].endswith(f"{expected})")


def test_rows_of_a_feed_and_what_is_required_of_a_run_that_is_resumed(
    lab: Lab, serving: Serving
) -> None:
    feed, traffic = lab.scratch / "users.csv", lab.scratch / "users.jsonl"
    feed.write_text("name\n" + "".join(f"user-{number}\n" for number in range(200)))
    traffic.write_text('{"path": "/${feed:name}", "expect": {"status": 200}}\n')
    serving.own("well", command=timed("--each-ms", "30"))
    serving.own("tenth", command=faulty("tenth"))
    keys = {"traffic": str(traffic), "feed": str(feed), "feed_order": "file", "connections": 1}
    keys |= {"max_connections": 6, "new_connection_every": 25, "require": ["failed < 5%"]}
    serving.serve(["well", "tenth"], **keys)
    done = lab("run", serving.experiment(), "--profile", "smoke", "--json")
    assert done.returncode == 4, done.stderr
    said = (
        "1 of 2 requirements is not shown to be met: tenth misses failed < 5.00% (6.22% to 15.0%)"
    )
    assert said in done.stderr
    cells = {one["variant"]: one["service"] for one in json.loads(done.stdout)["cells"]}
    met = {name: [one["meets"] for one in each["requirements"]] for name, each in cells.items()}
    assert met == {"well": ["yes"], "tenth": ["no"]}

    (well,) = serving.records()["well"]
    load = serving.load(well["id"])
    assert load["requests"]["good"] == load["traffic"]["feed"]["rows"] == 200
    # 100 a second that take 30 ms each need three connections; 200 on six, more than 25 on one.
    assert 2 <= load["connections_added"] <= 5
    assert load["connections_replaced"] >= 1

    # As if the run had been interrupted in its second execution.
    records = lab.run_folder() / "executions.jsonl"
    records.write_text(records.read_text().splitlines()[0] + "\n")
    again = lab("resume", "latest", "--json")
    assert again.returncode == 4, again.stderr
    assert said in again.stderr
    assert json.loads(again.stdout)["complete"]
