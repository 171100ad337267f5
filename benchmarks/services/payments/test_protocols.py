"""Tests the answers by HTTP/2 and gRPC against contract.md, by the canonical form."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runfair.formats.service import Protocol
from runfair.serving.address import Address
from runfair.serving.request import CheckedRequest
from services.payments.canonical import message
from services.payments.conftest import program_of, speaking
from services.payments.framework_program import ANSWER_LIMIT_S, Program, Running

CARD = "4000123412341234"
INVALID, MISSING, INTERNAL, UNKNOWN, UNIMPLEMENTED = "3", "5", "13", "2", "12"


@pytest.fixture(scope="module", params=speaking("http2"))
def multiplexed(
    request: pytest.FixtureRequest, inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    said = tmp_path_factory.mktemp("multiplexed") / "said"
    with program_of(str(request.param)).serving(inputs, said) as running:
        yield running


@pytest.fixture(scope="module", params=speaking("grpc"))
def callee(request: pytest.FixtureRequest) -> Program:
    return program_of(str(request.param))


@pytest.fixture(scope="module")
def called(
    callee: Program, inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    said = tmp_path_factory.mktemp("called") / "said"
    with callee.serving(inputs, said, threads=2) as running:
        yield running


def ask_all(running: Running, traffic: Path, protocol: Protocol) -> int:
    address = Address("127.0.0.1", running.port)
    questions = CheckedRequest.all_of(traffic, protocol)
    for question in questions:
        assert question.asked(address, ANSWER_LIMIT_S) is None
    return len(questions)


@pytest.mark.parametrize("workload", ["pay", "route"])
def test_by_http2_every_request_has_the_answer_of_http1(
    multiplexed: Running, inputs: Path, workload: str
) -> None:
    assert ask_all(multiplexed, inputs / f"{workload}.jsonl", "http2") == 50
    assert ask_all(multiplexed, inputs / f"{workload}.jsonl", "http") == 50


@pytest.mark.parametrize("workload", ["pay", "route"])
def test_every_call_has_its_one_right_message(called: Running, inputs: Path, workload: str) -> None:
    assert ask_all(called, inputs / f"{workload}-calls.jsonl", "grpc") == 50


def routing(**changes: Any) -> bytes:
    return message({"amount": 12345, "country": "DE", "card": CARD, **changes})


@pytest.mark.parametrize(
    ("method", "body", "statuses"),
    [
        ("Payments/Pay", message({"amount": 0, "card": CARD}), [INVALID]),
        ("Payments/Pay", message({"amount": 10**12 + 1, "card": CARD}), [INVALID]),
        ("Payments/Pay", message({"amount": -1, "card": CARD}), [INVALID]),
        ("Payments/Pay", b"\xff", [INVALID, INTERNAL, UNKNOWN]),
        ("Payments/Route", routing(amount=0), [INVALID]),
        ("Payments/Route", routing(amount=10**9 + 1), [INVALID]),
        ("Payments/Route", routing(card=CARD[1:]), [INVALID]),
        ("Payments/Route", routing(card="x" + CARD[1:]), [INVALID]),
        ("Payments/Route", b"", [INVALID]),
        ("Payments/Route", routing(country="XX"), [MISSING]),
        ("Payments/Refund", b"", [UNIMPLEMENTED]),
        ("Refunds/Pay", b"", [UNIMPLEMENTED]),
    ],
)
def test_wrong_calls_have_a_status(
    called: Running, method: str, body: bytes, statuses: list[str]
) -> None:
    call = CheckedRequest("POST", f"/payments.v1.{method}", {}, body, protocol="grpc")
    wrong = call.asked(Address("127.0.0.1", called.port), ANSWER_LIMIT_S)
    assert wrong is not None
    assert wrong.split("with the gRPC status ")[1].split(" ")[0] in statuses


def test_the_life_of_a_program_that_is_called(
    callee: Program, inputs: Path, tmp_path: Path
) -> None:
    with callee.serving(inputs, tmp_path / "said") as running:
        start = running.events[0]
        assert (start["benchmark"], start["tier"]) == ("payments", callee.tier)
        address = ("127.0.0.1", running.port)
        with socket.create_connection(address):
            running.end()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        refused = callee.refusal(input=inputs / "payments.json", port=port)
    assert f'host "127.0.0.1" port {port} cannot be listened on' in refused
    assert "cannot be read: " in callee.refusal(input=tmp_path / "missing.json")


def test_messages_are_those_of_the_protocol() -> None:
    """The wire format's own examples, and the fields that proto3 leaves out."""
    assert message({"a": 150}) == b"\x08\x96\x01"
    assert message({"a": 0, "b": "testing"}) == b"\x12\x07testing"
    assert message({"a": -2}) == b"\x08\xfe" + b"\xff" * 8 + b"\x01"
    assert message({"a": 0, "b": ""}) == b""


def test_calls_ask_the_same_as_requests(inputs: Path) -> None:
    for workload in ("pay", "route"):
        lines = (inputs / f"{workload}-calls.jsonl").read_text().splitlines()
        plain = (inputs / f"{workload}.jsonl").read_text().splitlines()
        assert len(lines) == len(plain)
        for line, request in zip(lines, plain, strict=True):
            asked = base64.b64decode(json.loads(line)["body_base64"])
            assert json.loads(json.loads(request)["body"])["card"].encode() in asked
