"""Each format, read from what its tool wrote; and files that are none."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from runfair.errors import UserMistake
from runfair.traffic import access_log, goreplay, har
from runfair.traffic.capture import read_capture, read_captures
from runfair.traffic.request import any_ns, epoch_ns, iso_ns, log_ns
from traffic.captures import FIXTURES, read_all, read_bytes

HAR = (FIXTURES / "browser.har").read_text(encoding="utf-8")
DAY_NS = 1_795_285_812_000_000_000  # 2026-11-21T18:30:12Z

LOG_PATHS = [
    ("GET", "/index.html?user=7&password=hunter2", 200),
    ("POST", "/orders/42", 404),
    ("GET", "/caf%C3%A9/x", 404),
]


def test_har() -> None:
    requests, capture = read_all(FIXTURES / "browser.har")
    assert capture.format == "HAR"
    orders, login, form, upload, cafe = requests
    assert (orders.at_ns, orders.path) == (DAY_NS + 250_000_000, "/orders/17?api_key=k-123")
    assert orders.headers == (
        ("Host", "shop.example"),
        ("Cookie", "session=abc"),
        ("Accept", "text/html"),
    )
    assert (orders.duration_ns, orders.answer_bytes, orders.body) == (12_500_000, 10, b"")
    assert login.at_ns == DAY_NS + 100_000_000  # another zone
    assert login.body == '{"user":"zoë","password":"geheim"}'.encode()
    assert form.body == b"a+b=1%262"
    assert upload.body is None
    assert (cafe.status, cafe.duration_ns, cafe.path) == (None, None, "/café?q=${x}")
    assert capture.notes == [
        f"{har.NO_BODY}: 1 (first: entry 4)",
        f"{har.NO_REQUEST}: 1 (first: entry 5)",
    ]


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"]
)
def test_a_har_of_any_encoding(tmp_path: Path, encoding: str) -> None:
    requests, capture = read_bytes(tmp_path, HAR.encode(encoding))
    assert requests == read_all(FIXTURES / "browser.har")[0]
    assert capture.format == "HAR"


def test_a_har_of_one_line_and_in_latin_1_keeps_its_bytes(tmp_path: Path) -> None:
    compact = json.dumps(json.loads(HAR), ensure_ascii=False)
    requests, _ = read_bytes(tmp_path, compact.encode("latin-1"))
    assert requests[1].body == '{"user":"zoë","password":"geheim"}'.encode("latin-1")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(length=st.integers(60, len(HAR) - 10))
def test_a_truncated_har_gives_its_whole_entries(tmp_path: Path, length: int) -> None:
    whole = read_all(FIXTURES / "browser.har")[0]
    requests, capture = read_bytes(tmp_path, HAR[:length].encode())
    assert requests == whole[: len(requests)]
    complete = HAR[:length].count('"timings"') - 1
    assert len(requests) >= min(complete, 4)
    assert capture.notes


def test_a_har_nested_without_end_is_damaged(tmp_path: Path) -> None:
    """Python's JSON reader gives up at its own depth; what came before is kept."""
    content = '{"log":{"entries":[{"request":{"method":"GET","url":"http://h/"}},' + "[" * 200_000
    requests, capture = read_bytes(tmp_path, content.encode())
    assert [r.path for r in requests] == ["/"]
    assert capture.notes == [har.DAMAGED]


@pytest.mark.parametrize(
    ("name", "sizes", "agent"),
    [
        ("nginx-combined.txt", [6, 153, 153], 'Mozilla/5.0 (X11; "quoted")'),
        ("nginx.jsonl", [6, 153, 153], 'Mozilla/5.0 (X11; "quoted")'),
        ("apache-common.txt", [6, 236, 236], None),
        ("apache-vhost-combined.txt", [206, 397, 397], 'Mozilla/5.0 (X11; "quoted")'),
        ("apache-combined-duration.txt", [206, 397, 397], 'Mozilla/5.0 (X11; "quoted")'),
        ("caddy.jsonl", [6, 0, 0], 'Mozilla/5.0 (X11; "quoted")'),
    ],
)
def test_access_logs_of_real_servers(name: str, sizes: list[int], agent: str | None) -> None:
    requests, capture = read_all(FIXTURES / name)
    assert capture.format == ("JSON access log" if name.endswith("jsonl") else "access log")
    assert [(r.method, r.path, r.status) for r in requests] == LOG_PATHS
    assert [r.answer_bytes for r in requests] == sizes
    assert [r.body for r in requests] == [b"", None, b""]
    headers = {name.lower(): value for name, value in requests[0].headers}
    assert headers.get("user-agent") == agent
    assert headers.get("referer") == (agent and "http://example.com/?token=12345")
    assert all((r.at_ns or 0) // 10**9 == 1_795_317_553 for r in requests)
    assert f"{access_log.NO_BODY}: 1 (first: line 2)" in capture.notes


def test_times_of_json_logs_are_of_the_beginning() -> None:
    caddy = read_all(FIXTURES / "caddy.jsonl")[0][0]
    assert caddy.duration_ns == 4_085_534
    assert caddy.at_ns == 1_795_317_553_592_351_700 - 4_085_534
    assert caddy.host == "127.0.0.1:18483"
    nginx = read_all(FIXTURES / "nginx.jsonl")[0]
    assert [r.at_ns for r in nginx] == [
        1_795_317_553_535_000_000, 1_795_317_553_541_000_000, 1_795_317_553_548_000_000,
    ]  # fmt: skip


def test_whole_seconds_of_a_json_log_are_not_taken_for_exact_times(tmp_path: Path) -> None:
    """nginx writes `time_iso8601` without a fraction."""
    entry = {"request": "GET / HTTP/1.1", "status": 200, "request_time": 0.25}
    lines = [
        json.dumps({**entry, "time": f"2026-11-21T18:30:{second}+00:00"}) for second in (12, 12, 13)
    ]
    requests, capture = read_bytes(tmp_path, "\n".join(lines).encode() + b"\n")
    assert capture.resolution_ns == 10**9
    assert access_log.COARSE in capture.notes
    assert [one.at_ns for one in requests] == [
        1_795_285_812_000_000_000, 1_795_285_812_000_000_000, 1_795_285_813_000_000_000,
    ]  # fmt: skip


TRAEFIK = {
    "RequestMethod": "GET", "RequestPath": "/a?b=1", "RequestHost": "h", "DownstreamStatus": 200,
    "Duration": 1_500_000, "StartUTC": "2026-11-21T18:30:12.000000123Z", "DownstreamContentSize": 7,
}  # fmt: skip
ENVOY = {
    "method": "GET", "path": "/a?b=1", "authority": "h", "response_code": 200, "duration": 1.5,
    "start_time": "2026-11-21T18:30:12.000000123Z", "bytes_sent": 7,
}  # fmt: skip
WHOLE_LINE = {
    "request": "GET /a?b=1 HTTP/1.1", "http_host": "h", "status": 200, "bytes": "7",
    "latency_ms": 1.5, "timestamp": 1_795_285_812_001,
}  # fmt: skip


@pytest.mark.parametrize("entry", [TRAEFIK, ENVOY, WHOLE_LINE])
def test_json_logs_known_from_documentation(tmp_path: Path, entry: dict[str, object]) -> None:
    requests, capture = read_bytes(tmp_path, json.dumps(entry).encode() + b"\n{}\nrubbish\n")
    assert len(requests) == 1
    found = requests[0]
    assert (found.method, found.path, found.host) == ("GET", "/a?b=1", "h")
    assert (found.status, found.answer_bytes, found.duration_ns) == (200, 7, 1_500_000)
    assert found.at_ns is not None and abs(found.at_ns - DAY_NS) < 1_000_000
    assert len(capture.notes) == 3


def test_fractions_in_an_access_log_are_exact_times(tmp_path: Path) -> None:
    line = '127.0.0.1 - - [21/Nov/2026:18:30:12.250 +0000] "GET /a HTTP/1.1" 200 12\n'
    requests, capture = read_bytes(tmp_path, line.encode())
    assert capture.resolution_ns == 1
    assert access_log.COARSE not in capture.notes
    assert [one.at_ns for one in requests] == [DAY_NS + 250_000_000]


LINES = """127.0.0.1 - - [21/Nov/2026:18:30:12 +0000] "GET /a HTTP/1.1" 200 12
::1 - zoe smith [21/Nov/2026:19:30:13 +0100] "GET http://h/b%20c HTTP/1.0" - -
10.0.0.1 - - [21/Nov/2026:18:30:14 +0000] "\\x16\\x03\\x01" 400 0 "-" "-"
nothing of the kind
10.0.0.1 - - [31/Feb/2026:18:30:14 +0000] "PUT /caf\\xc3\\xa9?x=\\"1\\" HTTP/2.0" 201 5 "-" "a\\\\b"
"""


def test_the_odd_lines_of_access_logs(tmp_path: Path) -> None:
    requests, capture = read_bytes(tmp_path, LINES.replace("\n", "\r\n").encode())
    assert [(r.at_ns, r.method, r.path, r.status, r.answer_bytes) for r in requests] == [
        (DAY_NS, "GET", "/a", 200, 12),
        (DAY_NS + 10**9, "GET", "/b%20c", None, 0),
        (None, "PUT", '/café?x="1"', 201, 5),
    ]
    assert requests[1].host == "h"
    assert requests[2].headers == (("User-Agent", "a\\b"),)
    assert f"{access_log.NO_REQUEST}: 1 (first: line 3)" in capture.notes
    assert f"{access_log.NO_ENTRY}: 1 (first: line 4)" in capture.notes


def test_goreplay() -> None:
    requests, capture = read_all(FIXTURES / "goreplay.gor")
    assert capture.format == "GoReplay"
    assert [(r.path, r.status, r.answer_bytes, r.duration_ns) for r in requests] == [
        ("/orders", 201, 2, 2_500_000),
        ("/orders/1", 200, 5, 4_000_000),
        ("/orders/2", None, None, None),
    ]
    assert requests[0].body == b"\xff\x00\n1"
    assert requests[0].at_ns == 1_795_317_553_000_500_000
    assert capture.notes == [f"{goreplay.UNANSWERED}: 1"]


def test_a_truncated_goreplay_file(tmp_path: Path) -> None:
    content = (FIXTURES / "goreplay.gor").read_bytes()
    requests, capture = read_bytes(tmp_path, content[:-30])
    assert [r.path for r in requests] == ["/orders", "/orders/1"]
    assert capture.notes == [goreplay.CUT_OFF]


def test_k6() -> None:
    requests, capture = read_all(FIXTURES / "k6.jsonl")
    assert capture.format == "k6 JSON output"
    assert len(requests) == 12
    assert {(r.method, r.path, r.status) for r in requests if "orders/" not in r.path} == {
        ("POST", "/orders", 200),
        ("GET", "/missing", 404),
    }
    assert all(r.duration_ns and r.host == "127.0.0.1:18480" for r in requests)
    ends = [(r.at_ns or 0) + (r.duration_ns or 0) for r in requests]
    assert ends[0] == iso_ns("2026-11-22T03:18:12.719978115Z")


def test_vegeta_in_both_formats(tmp_path: Path) -> None:
    requests, capture = read_all(FIXTURES / "vegeta.http")
    assert (capture.format, capture.timed) == ("vegeta targets", False)
    assert [(r.method, r.path) for r in requests] == [
        ("GET", "/orders/1?token=abcdef"),
        ("POST", "/orders"),
        ("GET", "/orders/2"),
        ("GET", "/missing"),
    ]
    assert requests[1].body == (FIXTURES / "order.json").read_bytes()
    assert requests[0].headers[1] == ("Authorization", "Bearer 0123456789")
    target = {"method": "PUT", "url": "https://h/x?y", "body": "aGk=", "header": {"A": ["1", "2"]}}
    found, capture = read_bytes(tmp_path, json.dumps(target).encode())
    assert capture.format == "vegeta targets (JSON)"
    assert (found[0].path, found[0].body) == ("/x?y", b"hi")
    assert found[0].headers == (("Host", "h"), ("A", "1"), ("A", "2"))


@pytest.mark.parametrize("name", ["missing.json", "\0", "."])
def test_a_body_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserMistake, match="body file"):
        read_bytes(tmp_path, f"POST http://h/\n@{name}\n".encode())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (gzip.compress(b"x", mtime=0), "uncompress"),
        (b"\x7fELF\x02\x01\x01" + bytes(200), "binary"),
        (b"import http from 'k6/http';\n", "--out json=FILE"),
        (b"<?xml version='1.0'?>", "runfair reads HAR"),
        (b'{"some": "JSON"}', "runfair reads HAR"),
        (b"[" * 100_000, "runfair reads HAR"),
        (" ".join(["été"] * 9).encode("cp037"), "runfair reads HAR"),
    ],
)
def test_files_that_are_no_capture(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        read_bytes(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="is a folder"):
        read_capture(tmp_path)
    with pytest.raises(UserMistake, match="No such file"):
        read_capture(tmp_path / "nothing")
    with pytest.raises(UserMistake, match="cannot be read"):
        read_capture(Path("a\0b"))
    with pytest.raises(UserMistake, match="not a regular file"):
        read_capture(Path("/dev/null"))


def test_several_files_are_one_capture() -> None:
    names = ["nginx-combined.txt", "apache-common.txt"]
    capture = read_captures([FIXTURES / name for name in names])
    assert [r.path for r in capture.requests] == [path for _, path, _ in LOG_PATHS] * 2
    assert capture.format == "access log"
    assert all(str(FIXTURES) in note for note in capture.notes)
    with pytest.raises(UserMistake, match="contains no times"):
        read_captures([FIXTURES / "nginx.jsonl", FIXTURES / "vegeta.http"])


def test_a_long_log_is_read_in_bounded_memory(tmp_path: Path) -> None:
    line = b'1.2.3.4 - - [21/Nov/2026:18:30:12 +0000] "GET /a/%d HTTP/1.1" 200 12 "-" "agent"\n'
    path = tmp_path / "long.log"
    with path.open("wb") as file:
        file.writelines(line % number for number in range(40_000))
    capture = read_capture(path)
    tracemalloc.start()
    try:
        count = sum(1 for _ in capture.requests)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 40_000
    assert peak_bytes < path.stat().st_size / 3


STARTS = [path.read_bytes() for path in sorted(FIXTURES.iterdir()) if path.suffix != ".md"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400), start=st.sampled_from([b"", *STARTS]), kept=st.floats(0, 1))
@example(b"\\ud800", b'{"path":"/', 1.0)
def test_no_bytes_whatsoever_break_a_reader(
    tmp_path: Path, content: bytes, start: bytes, kept: float
) -> None:
    """Noise, alone and behind the beginning of a real file."""
    try:
        requests, capture = read_bytes(tmp_path, start[: int(kept * len(start))] + content)
    except UserMistake as mistake:
        assert "\n" not in str(mistake)
        return
    assert capture.format
    assert all(request.method for request in requests)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
JSON_STARTS = {
    "traffic": '{"path":"/"}',
    "vegeta": '{"method":"GET","url":"http://h/"}',
    "k6": '{"metric":"http_reqs","type":"Point","data":{}}',
    "log": '{"method":"GET","uri":"/"}',
}
NAMES = [
    *("path", "method", "headers", "body", "body_base64", "body_json", "at_ns", "at_s", "url"),
    *("header", "metric", "type", "data", "uri", "request", "status", "ts", "duration", "size"),
    *("request_uri", "args", "time", "start_time", "msec", "tags", "value", "name"),
]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(JSON_STARTS)),
    entries=st.lists(
        st.dictionaries(st.sampled_from(NAMES), VALUES | st.just("GET"), max_size=6), max_size=4
    ),
)
def test_json_of_any_types_breaks_no_reader(
    tmp_path: Path, kind: str, entries: list[dict[str, object]]
) -> None:
    lines = [JSON_STARTS[kind], *map(json.dumps, entries)]
    requests, _ = read_bytes(tmp_path, "\n".join(lines).encode())
    assert len(requests) <= len(lines)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    entry=st.dictionaries(
        st.sampled_from(["request", "response", "time", "startedDateTime"]), VALUES
    ),
    request=VALUES,
)
def test_har_entries_of_any_types(
    tmp_path: Path, entry: dict[str, object], request: object
) -> None:
    entries = [
        entry,
        {"request": {"url": "http://h/", "method": "GET", "postData": request, "headers": request}},
    ]
    content = json.dumps({"log": {"entries": entries}}).encode()
    requests, _ = read_bytes(tmp_path, content)
    assert requests[-1].path == "/"


@pytest.mark.parametrize(
    ("text", "at_ns"),
    [
        ("2026-11-21T18:30:12Z", DAY_NS),
        ("2026-11-21 18:30:12.000000001", DAY_NS + 1),
        ("2026-11-21T13:00:12,5-0530", DAY_NS + 500_000_000),
        ("1969-12-31T23:59:59Z", None),
        ("2026-13-21T18:30:12Z", None),
        ("2026-11-21T18:30:12+99:00", None),
    ],
)
def test_instants(text: str, at_ns: int | None) -> None:
    assert iso_ns(text) == at_ns


def test_instants_of_other_notations() -> None:
    assert log_ns("21/Nov/2026:18:30:12 +0000") == DAY_NS
    assert log_ns("21/Foo/2026:18:30:12 +0000") is None
    for number in (1_795_285_812, 1_795_285_812_000, 1_795_285_812_000_000, DAY_NS):
        assert epoch_ns(number) == DAY_NS
    assert any_ns("1795285812.25") == DAY_NS + 250_000_000
    for nonsense in (None, True, "", "x", "1e999999999", float("nan"), float("inf"), -1, 10**40):
        assert any_ns(nonsense) is None
