"""Services that speak HTTP/2 and gRPC: the lab's own requests, and loads."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from runfair.formats.load_result import LoadResult
from runfair.machine.launching import Launcher
from runfair.serving.address import Address, free_port
from runfair.serving.http2_client import asked_by_http2
from runfair.serving.instance import ServiceFailed
from runfair.serving.request import CheckedRequest
from runfair.serving.running_service import RunningService
from serving.services import (
    cell,
    certificate_in,
    found,
    multiplexed,
    point,
    surroundings,
    timed,
    traffic_in,
)
from serving.test_measurement import measuring

LIMIT_S = 20.0
HELLO = {
    "path": "/hello",
    "expect": {"status": 200, "body_sha256": hashlib.sha256(b"hello").hexdigest()},
}
MESSAGE = b"\x08\x96\x01"
CALL = {
    "method": "POST",
    "path": "/shop.Shop/Echo",
    "body_base64": base64.b64encode(MESSAGE).decode(),
    "expect": {"body_sha256": hashlib.sha256(MESSAGE).hexdigest()},
}


@contextmanager
def answering(*lie: str) -> Iterator[Address]:
    """A service that runs already."""
    address = Address("127.0.0.1", free_port())
    command = [word.replace("{port}", str(address.port)) for word in multiplexed(*lie)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            deadline_s = time.monotonic() + LIMIT_S
            while not _accepts(address):
                assert time.monotonic() < deadline_s
                time.sleep(0.02)
            yield address
        finally:
            process.kill()


def _accepts(address: Address) -> bool:
    return address.accepts(LIMIT_S)


def question(folder: Path, line: dict[str, Any], protocol: Any) -> CheckedRequest:
    asked = CheckedRequest.first_of(traffic_in(folder, json.dumps(line)), protocol)
    assert asked is not None
    return asked


def test_right_answers(tmp_path: Path) -> None:
    with answering() as address:
        assert question(tmp_path, HELLO, "http2").asked(address, LIMIT_S) is None
        assert question(tmp_path, CALL, "grpc").asked(address, LIMIT_S) is None
        missing = CheckedRequest("GET", "/", {}, None, 404, protocol="http2")
        assert (
            missing.asked(address, LIMIT_S)
            == "GET / was answered with status 200, but 404 was expected"
        )


def test_a_body_larger_than_the_window() -> None:
    with answering() as address:
        body = bytes(300_000)
        answer = asked_by_http2(address, "POST", "/", [("X-Shop", "1")], body, LIMIT_S)
    assert (answer.status, answer.body) == (200, b"hello")


@pytest.mark.parametrize(
    ("lie", "line", "protocol", "said"),
    [
        ("body", HELLO, "http2", "by the body b'something"),
        ("message", CALL, "grpc", "which differs from the right body"),
        ("status", CALL, "grpc", "/shop.Shop/Echo was answered with the gRPC status 13"),
        ("silent", CALL, "grpc", "/shop.Shop/Echo was answered without a gRPC status"),
    ],
)
def test_wrong_answers(
    lie: str, line: dict[str, Any], protocol: str, said: str, tmp_path: Path
) -> None:
    with answering(lie) as address:
        wrong = question(tmp_path, line, protocol).asked(address, LIMIT_S)
    assert wrong is not None
    assert said in wrong


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ("reset", r"the server reset the HTTP/2 stream \(INTERNAL_ERROR\)"),
        ("http1", "does not speak HTTP/2"),
    ],
)
def test_no_answer_is_one_line(lie: str, said: str, tmp_path: Path) -> None:
    with answering(lie) as address:
        for line, protocol in ((HELLO, "http2"), (CALL, "grpc")):
            with pytest.raises(HTTPException, match=said) as caught:
                question(tmp_path, line, protocol).asked(address, LIMIT_S)
            assert "\n" not in str(caught.value)


def test_a_server_that_speaks_only_http2_is_named_in_one_line(tmp_path: Path) -> None:
    with answering() as address, pytest.raises(HTTPException) as caught:
        question(tmp_path, HELLO, "http").asked(address, LIMIT_S)
    assert str(caught.value) == (
        "the server does not speak HTTP/1.1, because its answer began with HTTP/2"
    )


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options of a service that speaks TLS, with a certificate that the lab trusts."""
    certificate, key = certificate_in(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))  # read when a context is made
    return ["--tls", str(certificate), str(key)]


def test_inside_tls_both_sides_agree_to_http2(tls: list[str], tmp_path: Path) -> None:
    with answering(*tls, "--alpn", "h2") as plain:
        address = replace(plain, tls=True)
        assert question(tmp_path, HELLO, "http2").asked(address, LIMIT_S) is None
        assert question(tmp_path, CALL, "grpc").asked(address, LIMIT_S) is None


@pytest.mark.parametrize("agreed", [[], ["--alpn", "http/1.1"]])
def test_inside_tls_a_server_that_does_not_agree_is_refused(
    agreed: list[str], tls: list[str], tmp_path: Path
) -> None:
    """The server would answer by HTTP/2, but RFC 9113, section 3.2, asks for ALPN."""
    with answering(*tls, *agreed) as plain:
        address = replace(plain, tls=True)
        for line, protocol in ((HELLO, "http2"), (CALL, "grpc")):
            with pytest.raises(
                HTTPException, match=r"did not choose HTTP/2 in the TLS handshake \(ALPN\)"
            ):
                question(tmp_path, line, protocol).asked(address, LIMIT_S)


@pytest.mark.parametrize("body", [b"", b"\0\0\0\0", b"\0\0\0\0\2a", b"\0\0\0\0\0a", b"\1\0\0\0\1a"])
def test_a_message_that_is_none(body: bytes) -> None:
    call = CheckedRequest("POST", "/a.B/C", {}, None, protocol="grpc")
    assert call._wrong_call({"grpc-status": "0"}, body) is not None
    assert call._wrong_call({"grpc-status": "0"}, b"\0\0\0\0\1a") is None


@pytest.mark.parametrize(
    ("lie", "protocol", "said"),
    [
        ("body", "http2", "which differs from the right body"),
        ("status", "grpc", "answered with the gRPC status 13"),
        ("http1", "http2", "does not speak HTTP/2"),
    ],
)
def test_a_service_that_lies_is_never_ready(
    launcher: Launcher, tmp_path: Path, lie: str, protocol: Any, said: str
) -> None:
    asked = question(tmp_path, CALL if protocol == "grpc" else HELLO, protocol)
    with answering(lie) as address:
        running = RunningService(
            found(tmp_path, address.url), [surroundings(launcher, tmp_path)], asked
        )
        with pytest.raises(ServiceFailed, match=said):
            running.__enter__()


def test_the_path_of_readiness_is_asked_by_the_same_protocol(
    launcher: Launcher, tmp_path: Path
) -> None:
    ready = {"timeout_ns": 20 * 10**9, "path": "/health"}
    one = cell(tmp_path, multiplexed(), point(tmp_path, protocol="http2"), ready=ready)
    with RunningService(one, [surroundings(launcher, tmp_path / "raw")], None) as running:
        assert running.cold is not None
        assert running.cold.ready_ns is not None


def measured(
    launcher: Launcher, folder: Path, command: list[str], line: str, generator: Path, **asked: Any
) -> LoadResult:
    operating = point(folder, **asked)
    traffic_in(folder, line)
    with measuring(launcher, folder, cell(folder, command, operating), generator) as one:
        return one.operating_point()


@pytest.mark.parametrize(("line", "protocol"), [(HELLO, "http2"), (CALL, "grpc")])
def test_a_load_by_streams(
    launcher: Launcher, tmp_path: Path, load_generator: Path, line: dict[str, Any], protocol: str
) -> None:
    result = measured(
        *(launcher, tmp_path, multiplexed(), json.dumps(line), load_generator),
        protocol=protocol,
        streams=8,
        connections=2,
    )
    assert result.protocol == protocol
    assert (result.requests.good, result.requests.failed) == (100, 0)
    assert result.streams is not None
    assert result.streams.allowed == 8
    assert "unstamped" in {finding.check for finding in result.verdict.findings}


def test_a_load_on_a_liar_has_no_good_answer(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    ask = (launcher, tmp_path, multiplexed("status"), json.dumps(CALL), load_generator)
    result = measured(*ask, protocol="grpc")
    assert result.requests.good == 0
    assert result.requests.failures.grpc_status == 100


def test_a_pool_that_grows_and_rows_of_a_feed(
    launcher: Launcher, tmp_path: Path, load_generator: Path
) -> None:
    feed = tmp_path / "users.csv"
    feed.write_text("name\n" + "".join(f"user-{number}\n" for number in range(100)))
    result = measured(
        *(
            launcher,
            tmp_path,
            timed("--each-ms", "100"),
            '{"path": "/${feed:name}"}',
            load_generator,
        ),
        connections=1,
        max_connections=60,
        new_connection_every=20,
        feed=str(feed),
        feed_order="file",
    )
    assert result.requests.good == 100
    assert result.connections_added >= 5
    assert (result.max_connections, result.new_connection_every) == (60, 20)
    assert result.traffic.feed is not None
    assert (result.traffic.feed.rows, result.traffic.feed.order) == (100, "file")
