from __future__ import annotations

import pytest

from formats.foreign.sample import result, text
from runfair.formats.foreign import recognise
from runfair.formats.foreign.command_line import Contradiction, completed, preceding, read
from runfair.formats.foreign.result import ForeignResult


def with_command(name: str, line: str) -> ForeignResult:
    command = read(line)
    assert command is not None
    return completed(result(name), command)


@pytest.mark.parametrize(
    ("line", "tool", "told"),
    [
        ("wrk -t2 -c64 -d 10s http://h/", "wrk", {"connections": "64", "duration": "10s"}),
        ("wrk -t2 -c64 -R2000 http://h/", "wrk2", {"connections": "64", "rate": "2000"}),
        ("$ taskset -c 1 ./wrk2 --rate=2000 http://h/", "wrk2", {"rate": "2000"}),
        (
            "echo GET http://h/ | vegeta attack -rate 50/1s -duration=5s | vegeta report",
            "vegeta",
            {"rate": "50/1s", "duration": "5s"},
        ),
        ("hey -q 10 http://h/", "hey", {"connections": "50", "rate_each": "10"}),
        ("java -jar target/benchmarks.jar -f 5 -wi 3", "JMH", {"executions": "5", "warmups": "3"}),
        ("k6 run --vus 10 --duration 30s s.js", "k6", {"connections": "10", "duration": "30s"}),
    ],
)
def test_what_a_command_line_tells(line: str, tool: str, told: dict[str, str]) -> None:
    command = read(line)
    assert command is not None
    assert command.tool == tool
    assert dict(command.told) == told


@pytest.mark.parametrize("line", ["", "curl -c 3 http://h/", "vegeta report", "it's wrk"])
def test_what_is_no_command_line(line: str) -> None:
    assert read(line) is None


@pytest.mark.parametrize(
    ("name", "line", "loop", "timed_from", "offered"),
    [
        ("vegeta.txt", "vegeta attack -rate=500", "open", "sending", 500),
        ("vegeta.txt", "vegeta attack -rate=30000/m", "open", "sending", 500),
        ("vegeta.txt", "vegeta attack -duration=5s", "open", "sending", 50),
        ("vegeta.txt", "vegeta attack -rate=500 -max-workers=9", "paced", "sending", 500),
        ("vegeta.txt", "vegeta attack -rate=0 -max-workers=9", "closed", "sending", None),
        ("oha.json", "oha -q 500 -z 1s http://h", "paced", "sending", 500),
        ("oha.json", "oha -q 500 --latency-correction http://h", "open", "schedule", 500),
        ("oha.txt", "oha -n 2000 -c 8 http://h", "closed", "sending", None),
        ("hey-errors.txt", "hey -c 4 -q 100 http://h", "paced", "sending", 400),
        ("hey.txt", "hey -c 8 http://h", "closed", "sending", None),
        ("autocannon.json", "autocannon -c 4 -R 100 http://h", "paced", None, 100),
        ("autocannon.json", "autocannon -c 4 -R 100 -C http://h", "paced", "sending", 100),
        ("h2load.txt", "h2load -c 8 --rps 10 http://h", "paced", "sending", 80),
        ("k6-closed.json", "k6 run -u 4 s.js", "closed", "sending", None),
    ],
)
def test_a_result_completed(
    name: str, line: str, loop: str, timed_from: str | None, offered: float | None
) -> None:
    found = with_command(name, line)
    assert (found.loop, found.timed_from) == (loop, timed_from)
    assert found.offered_rate_per_s == (None if offered is None else pytest.approx(offered))
    assert found.conditions["command"] == line


def test_a_correction_needs_a_rate() -> None:
    found = with_command("oha.txt", "oha -n 2000 -c 8 --latency-correction http://h")
    assert (found.loop, found.timed_from) == ("closed", "sending")
    assert found.basis["timed_from"].endswith("so --latency-correction has no effect")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("h2load.txt", "h2load -c 8 -m 10 --rps 10 http://h"),
        ("autocannon.json", "autocannon -c 4 -p 10 -r 20 http://h"),
    ],
)
def test_a_connection_may_have_several_requests_under_way(name: str, line: str) -> None:
    """The rate of a connection does not depend on its number of requests under way."""
    found = result(name)
    if "pipelining" in found.conditions:
        conditions = {**found.conditions, "pipelining": "10"}
        found = found.model_copy(update={"conditions": conditions, "connections": 40})
    command = read(line)
    assert command is not None
    with_streams = completed(found, command)
    assert with_streams.connections == (80 if name == "h2load.txt" else 40)
    assert with_streams.offered_rate_per_s == 80
    assert with_streams.at_once == f"{with_streams.connections} requests at a time"
    assert with_streams.conditions["pipelining"] == "10"
    if name == "h2load.txt":
        assert "but each stream sends its next request only" in with_streams.basis["loop"]


def test_connections_and_warm_up_are_completed() -> None:
    assert with_command("hey.txt", "hey -c 8 http://h").connections == 8
    assert with_command("h2load.txt", "h2load -c8 --warm-up-time=5s http://h").warmup_left_out
    assert with_command("locust.csv", "locust -u 4 --reset-stats").warmup_left_out
    forked = with_command("jmh-nofork.txt", "java -jar benchmarks.jar -f 2 -wi 0")
    assert (forked.executions, forked.warmup_left_out) == (2, False)


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("wrk.txt", "wrk -c64 http://h", "has 8 connections, but the command line asks for 64"),
        (
            "autocannon.json",
            "autocannon -c 4 -p 10 http://h",
            "has 1 requests on each connection, but the command line asks for 10",
        ),
        ("wrk.txt", "wrk -c8 -R2000 http://h", "from wrk, but the command line starts wrk2"),
        (
            "fortio.json",
            "fortio load -qps 900 http://h",
            "500/s, but the command line states 900/s",
        ),
    ],
)
def test_another_result_s_command_line_is_refused(name: str, line: str, said: str) -> None:
    with pytest.raises(Contradiction, match=said):
        with_command(name, line)


def test_the_line_above_a_pasted_result() -> None:
    paste = f"A test:\n$ hey -n 2000 -c 8 http://h\n{text('hey.txt')}"
    (found,) = recognise(paste)
    above = preceding(paste.split("\n"), found)
    assert above is not None
    assert completed(found, above).connections == 8


@pytest.mark.parametrize(
    "line",
    ["then we ran hey -c 8 as before", "$ wrk -c 8 http://h", "$ hey -c 'unbalanced"],
)
def test_prose_or_another_tool_s_line_above_is_none(line: str) -> None:
    paste = f"{line}\n{text('hey.txt')}"
    (found,) = recognise(paste)
    assert preceding(paste.split("\n"), found) is None
