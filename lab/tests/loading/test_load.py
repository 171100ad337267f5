"""What is asked of the load generator: contradictions, and the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runfair.errors import UserMistake
from runfair.loading.load import NS_PER_S, Load, Tls
from runfair.loading.traffic import (
    Expectation,
    Feed,
    HttpRequest,
    RedisOperations,
    TrafficFile,
    takes_values,
)

URL = "http://localhost:8080/"
OPEN: dict[str, Any] = {"url": URL, "rate": 1000, "duration_ns": 10 * NS_PER_S}
FILE = TrafficFile(Path("t.jsonl"))


def test_an_open_load_says_all_that_matters() -> None:
    load = Load(**OPEN, warmup_ns=2_500_000_000, seed=7, processors=(3, 1, 2), keep_awake=True)
    assert load.arguments() == [
        "--mode=default",
        "--arrivals=constant",
        "--rate=1000",
        "--duration=10s",
        "--warmup=2500ms",
        "--seed=7",
        "--connections=50",
        "--threads=1",
        "--pipeline=1",
        "--timeout=10s",
        "--connect-timeout=5s",
        "--interval=100ms",
        "--cpus=1-3",
        "--keep-awake",
        "--",
        URL,
    ]


def test_servers_that_share_a_load_come_one_after_another() -> None:
    other = "http://localhost:8081"
    words = Load(**OPEN, other_urls=(other,)).arguments()
    assert words[-3:] == ["--", URL, other]
    with pytest.raises(
        UserMistake, match="needs at least 2 connections, one for each server, but it has 1"
    ):
        Load(**OPEN, other_urls=(other,), connections=1)


def test_a_closed_loop_has_no_word_of_a_schedule() -> None:
    words = Load(URL, closed=True, requests=100, pipeline=16).arguments()
    assert words[:2] == ["--closed", "--requests=100"]
    assert "--pipeline=16" in words
    assert not [word for word in words if word.startswith(("--rate", "--mode", "--arrivals"))]


def test_a_trace_has_the_files_own_instants() -> None:
    words = Load(URL, arrivals="trace", speed=2, traffic=FILE).arguments()
    assert {"--arrivals=trace", "--speed=2", "--traffic=t.jsonl"} <= set(words)
    assert not [word for word in words if word.startswith(("--rate", "--order"))]


def test_values_stay_bound_to_their_options() -> None:
    request = HttpRequest("POST", (("X-A", "-1"), ("X-A", "2")), body="--closed")
    words = Load(**OPEN, traffic=request).arguments()
    assert {"--method=POST", "--header=X-A: -1", "--header=X-A: 2", "--body=--closed"} <= set(words)
    assert words[-2:] == ["--", URL]


def test_further_parts_speak_for_themselves() -> None:
    redis = RedisOperations("set:1,get:9", keys=1000, value_bytes=32, preload=True)
    words = Load("redis://localhost:6379", rate=2.5, requests=10, traffic=redis).arguments()
    assert {"--operations=set:1,get:9", "--keys=1000", "--value-bytes=32"} <= set(words)
    assert {"--preload", "--rate=2.5"} <= set(words)
    expectation = Expectation("2xx", body_contains="a", json_values={"/a": [1]}, check_share=0.25)
    https = {**OPEN, "url": "https://localhost/"}
    tls = Tls(ca=Path("ca.pem"), server_name="other")
    words = Load(**https, tls=tls, expectation=expectation, traffic=FILE).arguments()
    assert {"--ca=ca.pem", "--server-name=other", "--order=file"} <= set(words)
    assert {"--expect-status=2xx", "--expect-body-contains=a"} <= set(words)
    assert {"--expect-json=/a=[1]", "--check-share=0.25"} <= set(words)


def test_streams_pool_and_feed() -> None:
    load = Load(
        **OPEN,
        protocol="http2",
        streams=8,
        max_connections=200,
        new_connection_every=1000,
        traffic=FILE,
        feed=Feed(Path("users.csv"), "file"),
    )
    words = load.arguments()
    assert {"--http2", "--streams=8", "--connections=50", "--max-connections=200"} <= set(words)
    assert {"--new-connection-every=1000", "--feed=users.csv", "--feed-order=file"} <= set(words)
    words = Load(**OPEN, protocol="grpc", streams=2, traffic=FILE).arguments()
    assert {"--protocol=grpc", "--streams=2", "--traffic=t.jsonl"} <= set(words)
    assert not [word for word in Load(**OPEN).arguments() if "streams" in word or "max" in word]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": None}, "an open loop needs a rate"),
        ({"rate": 0}, "cannot have a rate of 0 requests per second"),
        ({"rate": float("nan")}, "cannot have a rate of nan requests"),
        ({"duration_ns": None}, "would never end"),
        ({"requests": 5}, "a load ends after a duration or after a number of requests"),
        ({"requests": 0, "duration_ns": None}, "requests of a load must be at least 1, not 0"),
        ({"closed": True}, "a closed loop has no rate"),
        ({"closed": True, "rate": None, "arrivals": "poisson"}, "cannot have poisson arrivals"),
        (
            {"closed": True, "rate": None, "duration_ns": None},
            ("does not end by itself; state a duration"),
        ),
        ({"arrivals": "trace"}, "the time stamps of a trace already determine its rate"),
        ({"arrivals": "trace", "rate": None}, "use a traffic file"),
        (
            {"arrivals": "trace", "rate": None, "traffic": TrafficFile(Path("t"), "random")},
            "leave out the order random",
        ),
        ({"speed": 2.0}, "can have a speed; leave the speed out"),
        ({"speed": 0.0}, "must be above 0"),
        ({"connections": 0}, "connections of a load must be at least 1"),
        ({"threads": 51}, "needs at least 51 connections, one for each thread, but it has 50; use"),
        (
            {"keep_awake": True},
            "the load generator cannot keep its processors awake, because it was not told which "
            "processors it has; name the processors of the load generator",
        ),
        (
            {"threads": 2, "processors": (1, 1)},
            (
                "has 2 threads and needs a processor for each of them, but names only 1 "
                "processors; name more"
            ),
        ),
        ({"interval_ns": 0}, "interval_ns of a load must be at least 1"),
        ({"warmup_ns": 10 * NS_PER_S}, "the warm-up is as long as the whole load"),
        ({"warmup_ns": -1}, "cannot have a negative length"),
        ({"traffic": RedisOperations()}, "Redis operations cannot be sent over HTTP to"),
        ({"url": "redis://h:1", "traffic": HttpRequest()}, "cannot carry HTTP requests"),
        (
            {"protocol": "resp", "expectation": Expectation()},
            ("compared with the value of its key"),
        ),
        ({"tls": Tls(insecure=True)}, "is a URL without TLS"),
        ({"streams": 2}, "only HTTP/2 and gRPC have streams"),
        ({"streams": 0}, "streams of a load must be at least 1"),
        ({"protocol": "http2", "pipeline": 2}, "HTTP/2 has no pipelining; leave `pipeline` out"),
        ({"protocol": "grpc"}, "reads gRPC calls from a traffic file"),
        ({"protocol": "grpc", "traffic": HttpRequest()}, "reads gRPC calls from a traffic file"),
        ({"max_connections": 49}, r"at least its `connections` \(50\), not 49"),
        ({"new_connection_every": 0}, "new_connection_every of a load must be at least 1"),
        (
            {"protocol": "resp", "feed": Feed(Path("f.csv"))},
            "Redis operations do not use the values",
        ),
    ],
)
def test_contradictions_are_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserMistake, match=message) as caught:
        Load(**{**OPEN, **changes})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HttpRequest(body="a", body_file=Path("b")), "both a body and a body file"),
        (lambda: RedisOperations(keys=0), "at least 1 key"),
        (lambda: RedisOperations(value_bytes=-1), "-1 bytes"),
        (lambda: Tls(ca=Path("a"), insecure=True), "state only one of the two"),
        (lambda: Expectation(check_share=1.5), "0 to 1, not 1.5"),
        (lambda: Expectation(body_sha256="abc"), "not a SHA-256"),
        (lambda: Expectation(json_values={"a": 1}), "not a JSON pointer"),
    ],
)
def test_parts_are_checked_by_themselves(make: Any, message: str) -> None:
    with pytest.raises(UserMistake, match=message):
        make()


TAKES_NAME = '{"path": "/users/${feed:name}?at=${sequence}"}'


def fed(folder: Path, text: str, name: str = "users.csv", order: Any = "file") -> Feed:
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return Feed(path, order)


def requests_in(folder: Path, line: str = TAKES_NAME) -> Path:
    path = folder / "requests.jsonl"
    path.write_text(line + "\n")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.csv", 'id,name\n1,"a, b"\n\n2,c\n'),
        ("users.jsonl", '{"name": "a", "id": 1}\n\n{"id": 2, "name": "b", "more": []}\n'),
    ],
)
def test_a_feed_with_enough_rows(tmp_path: Path, name: str, text: str) -> None:
    fed(tmp_path, text, name).check(requests_in(tmp_path), 2)
    fed(tmp_path, text, name, "random").check(requests_in(tmp_path), 10**6)
    with pytest.raises(
        UserMistake, match=r"has 2 rows, which are too few for a load of up to 3 requests"
    ):
        fed(tmp_path, text, name).check(requests_in(tmp_path), 3)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("f.csv", "", "the feed contains no row"),
        ("f.csv", "name\n", "the feed contains no row"),
        (
            "f.csv",
            "id\n1\n",
            r"\$\{feed:name\}, but .*f.csv has no such column; its columns are id",
        ),
        (
            "f.csv",
            "id,name\n1,a\n2\n",
            "f.csv:3: this row has 1 values, but the file has 2 columns",
        ),
        ("f.csv", 'name\n"a\n', "f.csv:2: "),
        ("f.csv", '"user"id,name\n1,a\n', "f.csv:1: "),
        ("f.csv", "name\n\xff\n", "the feed is not valid UTF-8"),
        ("f.jsonl", "\n", "the feed contains no row"),
        ("f.jsonl", '{"name": 1}\n[1]\n', "f.jsonl:2: this line is not a JSON object"),
        ("f.jsonl", '{"name": 1}\n{"id": 1}\n', "f.jsonl:2: this row has no column 'name'"),
    ],
)
def test_a_feed_that_gives_no_values(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UserMistake, match=message) as caught:
        fed(tmp_path, text, name).check(requests_in(tmp_path), 1)
    assert "\n" not in str(caught.value)


def test_a_feed_that_nothing_needs_or_that_is_not_there(tmp_path: Path) -> None:
    plain = requests_in(tmp_path, '{"path": "/$${feed:name}"}')
    assert not takes_values(plain)
    with pytest.raises(
        UserMistake, match=r"no request of .* uses a column of this feed; write \$\{feed:NAME\}"
    ):
        fed(tmp_path, "name\n1\n").check(plain, 1)
    assert takes_values(requests_in(tmp_path))
    with pytest.raises(UserMistake, match=r"missing.csv: the feed cannot be read: No such file"):
        Feed(tmp_path / "missing.csv").check(requests_in(tmp_path), 1)
