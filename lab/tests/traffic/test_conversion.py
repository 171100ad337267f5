"""What is written is what was captured, without what nobody should read, and can be sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loading.server import Server
from runfair.errors import UserMistake
from runfair.formats.traffic import Conversion, Timing
from runfair.loading.generator import LoadFiles, start
from runfair.loading.load import Load
from runfair.loading.traffic import TrafficFile
from runfair.paths import REPOSITORY
from runfair.traffic import conversion as conversions
from runfair.traffic.capture import Capture, read_capture
from runfair.traffic.conversion import write_traffic
from runfair.traffic.credentials import is_secret_header
from runfair.traffic.request import CapturedRequest
from runfair.traffic.sorting import SortedEntries
from traffic.captures import FIXTURES

SCHEMA = json.loads((REPOSITORY / "loadgen/schemas/traffic.schema.json").read_text())
LINE = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize(("lines", "valid"), [("traffic_good", True), ("traffic_bad", False)])
def test_the_schema_allows_the_lines_that_the_generator_reads(lines: str, valid: bool) -> None:
    """The generator's own tests read the same lines."""
    text = (REPOSITORY / f"loadgen/tests/vectors/{lines}.jsonl").read_text(encoding="utf-8")
    said = {line: LINE.is_valid(json.loads(line)) for line in text.splitlines()}
    assert len(said) >= 10
    assert said == dict.fromkeys(said, valid)


def captured(*requests: CapturedRequest, timed: bool = True, resolution_ns: int = 1) -> Capture:
    return Capture("test", iter(requests), timed, resolution_ns)


def request(path: str = "/", at_ns: int | None = 0, **more: Any) -> CapturedRequest:
    return CapturedRequest(at_ns, more.pop("method", "GET"), path, **more)


def converted(
    folder: Path, capture: Capture, timing: Timing = "recorded", **options: Any
) -> tuple[list[dict[str, Any]], Conversion]:
    """Every line fulfils the schema."""
    out = folder / "out.jsonl"
    conversion = write_traffic(capture, out, timing=timing, **options)
    lines = [json.loads(line) for line in out.read_text(encoding="ascii").splitlines()]
    for line in lines:
        LINE.validate(line)
    assert conversion.written == len(lines)
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []
    return lines, conversion


def one(folder: Path, *requests: CapturedRequest, **options: Any) -> dict[str, Any]:
    lines, _ = converted(folder, captured(*requests), **options)
    assert len(lines) == 1
    return lines[0]


def test_recorded_times_are_sorted_from_zero(tmp_path: Path) -> None:
    capture = captured(request("/c", 1_700), request("/a", 1_000), request("/b", 1_000))
    lines, conversion = converted(tmp_path, capture)
    assert [(line["path"], line["at_ns"]) for line in lines] == [("/a", 0), ("/b", 0), ("/c", 700)]
    assert (conversion.found.span_ns, conversion.found.requests) == (700, 3)
    assert conversion.found.rate_per_s == pytest.approx(2e9 / 700)


def test_a_constant_rate_has_the_order_and_no_times(tmp_path: Path) -> None:
    capture = captured(request("/b", 5), request("/c", None), request("/a", 1))
    lines, _ = converted(tmp_path, capture, "constant")
    assert lines == [{"method": "GET", "path": path} for path in ("/a", "/b", "/c")]


def test_whole_seconds_are_spread(tmp_path: Path) -> None:
    stamps = [10**9, 10**9, 2 * 10**9, 10**9, 10**9]
    lines, _ = converted(
        tmp_path, captured(*(request("/", at) for at in stamps), resolution_ns=10**9)
    )
    assert [line["at_ns"] // 10**6 for line in lines] == [0, 250, 500, 750, 1000]


def test_no_time_is_after_the_next_one(tmp_path: Path) -> None:
    """A log with whole seconds, read together with a log with fractions of a second."""
    stamps = [0, 0, 250_000_000, 10**9, 10**9]
    lines, _ = converted(
        tmp_path, captured(*(request("/", at) for at in stamps), resolution_ns=10**9)
    )
    assert [line["at_ns"] // 10**6 for line in lines] == [0, 125, 250, 1000, 1500]


def test_times_that_are_not_there(tmp_path: Path) -> None:
    lines, conversion = converted(tmp_path, captured(request("/a", 3), request("/b", None)))
    assert [line["path"] for line in lines] == ["/a"]
    assert any(note.startswith(f"{conversions.NO_TIME}: 1") for note in conversion.notes)
    with pytest.raises(UserMistake, match="--timing constant"):
        converted(tmp_path, captured(request(), timed=False))


SECRET_HEADERS = (
    *(
        "Cookie",
        "authorization",
        "Proxy-Authorization",
        "X-API-Key",
        "X-Auth-Token",
        "x-csrf-token",
    ),
    *("Set-Cookie", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Session-Id"),
)


def test_credentials_are_dropped_and_said(tmp_path: Path) -> None:
    headers = tuple((name, "hunter2") for name in SECRET_HEADERS)
    kept = (("Accept", "a/b"), ("X-Author", "zoe"), ("Referer", "http://h/x?token=hunter2"))
    capture = captured(
        request("/a?id=7&token=hunter2&page=2&api_key=hunter2;key=hunter2", headers=headers + kept)
    )
    lines, conversion = converted(tmp_path, capture)
    assert "hunter2" not in (tmp_path / "out.jsonl").read_text()
    assert [name for name, _ in lines[0]["headers"]] == ["Accept", "X-Author", "Referer"]
    pseudonym = "[0-9a-f]{7}"
    shape = rf"/a\?id=7&token=({pseudonym})&page=2&api_key=({pseudonym});key=({pseudonym})"
    found = re.fullmatch(shape, lines[0]["path"])
    assert found is not None and len(set(found.groups())) == 1
    said = " ".join(conversion.notes)
    assert "'cookie' 1" in said and "'api_key' 1" in said and "hunter2" not in said


@pytest.mark.parametrize(
    ("header", "secret"),
    [("X-Functions-Key", True), ("Idempotency-Key", False), ("Sec-WebSocket-Key", False)],
)
def test_headers_that_are_keys(header: str, secret: bool) -> None:
    assert is_secret_header(header) is secret


def test_credentials_are_kept_if_asked_for(tmp_path: Path) -> None:
    original = request("/a?token=t", headers=(("Cookie", "a=b"),), body=b'{"password":"x"}')
    lines, conversion = converted(tmp_path, captured(original), keep_secrets=True)
    assert lines[0] == {
        "at_ns": 0,
        "method": "GET",
        "path": "/a?token=t",
        "headers": [["Cookie", "a=b"]],
        "body": '{"password":"x"}',
    }
    assert any("do not share" in note for note in conversion.notes)


@pytest.mark.parametrize(
    ("kind", "body", "wanted"),
    [
        ("application/x-www-form-urlencoded", "user=zoe&password=geheim&n=1",
         r"user=zoe&password=[0-9a-f]{6}&n=1"),
        ("application/json; charset=utf-8",
         r'{"a": {"passWord" : "ge\"heim", "max_tokens": 100}, "pin": 1234, "key": "é"}',
         r'\{"a": \{"passWord" : "[0-9a-f]{8}", "max_tokens": 100\}, "pin": 1[0-9]{3}, '
         r'"key": "[0-9a-f]{2}"\}'),
        ("text/plain", "password=geheim", "password=geheim"),
    ],
)  # fmt: skip
def test_secrets_in_bodies(tmp_path: Path, kind: str, body: str, wanted: str) -> None:
    headers = (("Content-Type", kind),)
    line = one(tmp_path, request(method="POST", headers=headers, body=body.encode()))
    assert re.fullmatch(wanted, line["body"])
    assert len(line["body"].encode()) == len(body.encode())


def test_pseudonyms_keep_the_popularity_of_keys(tmp_path: Path) -> None:
    """The same value is replaced alike, another otherwise; another conversion tells nothing."""
    values = ["secret-a", "secret-b", "secret-a"]
    runs = []
    for _ in range(2):
        lines, _ = converted(tmp_path, captured(*(request(f"/?key={value}") for value in values)))
        runs.append([line["path"] for line in lines])
        assert runs[-1][0] == runs[-1][2] != runs[-1][1]
    assert runs[0][0] != runs[1][0]


def test_headers_of_one_connection_are_left_to_the_generator(tmp_path: Path) -> None:
    headers = tuple(
        (name, "x")
        for name in (
            *("Host", "Content-Length", "Transfer-Encoding", "Keep-Alive", "TE", "Trailer"),
            *("Proxy-Connection", "Expect", ":path", "X-Hop", "Accept", "X-Twice", "X-Twice"),
        )
    )
    line = one(tmp_path, request(headers=(("Connection", "close, X-Hop"), *headers)))
    assert line["headers"] == [["Accept", "x"], ["X-Twice", "x"], ["X-Twice", "x"]]


def test_what_cannot_be_sent_is_left_out_and_said(tmp_path: Path) -> None:
    unfit = {
        conversions.BAD_METHOD: [
            request(method="get"), request(method="CONNECT"), request(method="G T"),
        ],
        conversions.BAD_PATH: [request("*"), request("/\ud800")],
        conversions.UPGRADE: [request(headers=(("upgrade", "websocket"),))],
    }  # fmt: skip
    bad = [request(headers=(("a b", "x"), ("X", "a\r\nEvil: 1"), ("Y", "\udcff"))), request("/ok")]
    capture = captured(*(entry for entries in unfit.values() for entry in entries), *bad)
    lines, conversion = converted(tmp_path, capture)
    assert lines == [
        {"at_ns": 0, "method": "GET", "path": "/"},
        {"at_ns": 0, "method": "GET", "path": "/ok"},
    ]
    for reason, entries in unfit.items():
        assert any(note.startswith(f"{reason}: {len(entries)}") for note in conversion.notes)
    assert any(note.startswith(f"{conversions.BAD_HEADER}: 3") for note in conversion.notes)


def test_refusals_are_expected_again_and_failures_are_not(tmp_path: Path) -> None:
    capture = captured(*(request(f"/{status}", status=status) for status in (200, 304, 404, 503)))
    lines, _ = converted(tmp_path, capture)
    assert [line.get("expect") for line in lines] == [None, None, {"status": 404}, None]


def test_texts_are_no_fields_and_bytes_stay(tmp_path: Path) -> None:
    text = request("/${sequence}?q=é ü", headers=(("X", "$${key}"),), body=b"${random:1..2}")
    line = one(tmp_path, text)
    assert line["path"] == "/$${sequence}?q=%C3%A9%20%C3%BC"
    assert line["headers"] == [["X", "$$${key}"]]
    assert line["body"] == "$${random:1..2}"
    assert one(tmp_path, request(body=b"\xff\0"))["body_base64"] == "/wA="


def test_one_host_of_several(tmp_path: Path) -> None:
    def requests() -> Sequence[CapturedRequest]:
        return [request(f"/{host}", headers=(("Host", host),)) for host in ("a:80", "B", "b")]

    lines, conversion = converted(tmp_path, captured(*requests()))
    assert len(lines) == 3 and any("2 hosts" in note for note in conversion.notes)
    lines, _ = converted(tmp_path, captured(*requests()), host="B")
    assert [line["path"] for line in lines] == ["/B", "/b"]


def test_a_limit_ends_the_reading(tmp_path: Path) -> None:
    def endless() -> Iterator[CapturedRequest]:
        number = 0
        while True:
            yield request(f"/{number}", number, method="bad method" if number % 2 else "GET")
            number += 1

    lines, conversion = converted(tmp_path, Capture("test", endless()), limit=3)
    assert [line["path"] for line in lines] == ["/0", "/2", "/4"]
    assert any("stopped after 3 requests" in note for note in conversion.notes)


def test_nothing_to_write_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    with pytest.raises(UserMistake, match="the load generator cannot send their method"):
        write_traffic(captured(request(method="CONNECT")), out, timing="recorded")
    assert out.read_text() == "before"
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(UserMistake, match="cannot be written"):
        write_traffic(captured(request()), tmp_path / "no" / "out.jsonl", timing="recorded")


@given(
    stamps=st.lists(st.integers(0, 2**63 - 1), max_size=300),
    in_memory_bytes=st.sampled_from([1, 500, 10_000]),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sorting_keeps_the_order_of_one_instant(
    tmp_path: Path, stamps: list[int], in_memory_bytes: int
) -> None:
    with SortedEntries(tmp_path, in_memory_bytes) as entries:
        for place, at_ns in enumerate(stamps):
            entries.add(at_ns, f"line {place} of it")
        found = [(entry.at_ns, entry.text) for entry in entries]
    assert found == sorted(
        ((at_ns, f"line {place} of it") for place, at_ns in enumerate(stamps)),
        key=lambda entry: entry[0],
    )
    assert not any(path.name.startswith(".sorting") for path in tmp_path.iterdir())


ANY_TEXT = st.text(max_size=12)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=ANY_TEXT.map(lambda text: f"/{text}"),
    headers=st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=4).map(tuple),
    body=st.binary(max_size=20) | ANY_TEXT.map(lambda text: text.encode("utf-8", "replace")),
    status=st.none() | st.integers(100, 999),
    kind=st.sampled_from(["application/json", "application/x-www-form-urlencoded", "é"]),
)
def test_whatever_was_captured_fulfils_the_schema(
    tmp_path: Path,
    path: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
    status: int | None,
    kind: str,
) -> None:
    odd = request(path, headers=(("Content-Type", kind), *headers), body=body, status=status)
    lines, _ = converted(tmp_path, captured(odd, request("/last")))
    assert lines[-1]["path"] == "/last"


@pytest.mark.parametrize(
    "name",
    [
        *("loopback.pcap", "loopback.pcapng", "browser.har", "goreplay.gor", "k6.jsonl"),
        *("vegeta.http", "nginx-combined.txt", "nginx.jsonl", "caddy.jsonl"),
    ],
)
def test_the_generator_sends_every_request(
    load_generator: Path,
    server: Server,
    tmp_path: Path,
    name: str,
) -> None:
    """The server knows no bodies, so only requests without one are counted on it."""
    capture = read_capture(FIXTURES / name)
    timed = capture.timed
    out = tmp_path / "out.jsonl"
    conversion = write_traffic(capture, out, timing="recorded" if timed else "constant")
    load = Load(
        server.url.removesuffix("/hello"),
        **({"arrivals": "trace", "speed": 10.0} if timed else {"rate": 100, "requests": 4}),
        connections=4,
        traffic=TrafficFile(out),
    )
    with start(load_generator, load, LoadFiles.below(tmp_path)) as session:
        result = session.result()
    assert result.requests.scheduled == result.requests.sent == conversion.written
    assert server.requests >= 1


def test_odd_texts_are_taken_by_the_generator(
    load_generator: Path,
    server: Server,
    tmp_path: Path,
) -> None:
    """Each at the edge of what the schema can say: what only the generator refuses."""
    odd = ["/$${", "/${", "/$$${}", "/é#x", '/"\\', "/a?b=${key}", "//x", "/%", "/\x7f\udcff"]
    headers = (("X", "${"), ("Y", "\x80ü\t${sequence}"), ("Z", "\x7f"))
    out = tmp_path / "out.jsonl"
    requests = [request(path, number, headers=headers) for number, path in enumerate(odd)]
    write_traffic(captured(*requests), out, timing="recorded")
    url = server.url.removesuffix("/hello")
    load = Load(url, arrivals="trace", connections=1, traffic=TrafficFile(out))
    with start(load_generator, load, LoadFiles.below(tmp_path)) as session:
        result = session.result()
    assert result.requests.good == server.requests == len(odd)
