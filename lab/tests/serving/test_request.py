"""One request of a traffic file, asked and judged."""

from __future__ import annotations

import hashlib
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from loading.server import serving
from runfair.errors import UserMistake
from runfair.serving.address import Address
from runfair.serving.request import CheckedRequest, _allowed


def first(folder: Path, *lines: dict[str, Any]) -> CheckedRequest | None:
    path = folder / "traffic.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines))
    return CheckedRequest.first_of(path)


@pytest.mark.parametrize(
    ("url", "address", "again"),
    [
        ("http://shop.example", Address("shop.example", 80), "http://shop.example:80"),
        ("https://shop.example/", Address("shop.example", 443, True), "https://shop.example:443"),
        ("http://[::1]:8080", Address("::1", 8080), "http://[::1]:8080"),
    ],
)
def test_addresses(url: str, address: Address, again: str | None) -> None:
    assert Address.of(url) == address
    assert Address.of(address.url) == address
    assert again is None or address.url == again


@pytest.mark.parametrize("line", ["", "[1]", "{}", '{"path": "/", "headers": 5}', "{"])
def test_a_line_that_is_no_request_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    traffic = tmp_path / "requests.jsonl"
    traffic.write_text(f'{{"path": "/${{key}}"}}\n{line}\n')
    if not line:
        assert CheckedRequest.first_of(traffic) is None
        return
    with pytest.raises(UserMistake, match=r"requests\.jsonl:2: "):
        CheckedRequest.first_of(traffic)


def test_the_first_line_with_nothing_to_fill_in(tmp_path: Path) -> None:
    question = first(tmp_path, {"path": "/${key}"}, {"path": "/b"}, {"path": "/c"})
    assert question == CheckedRequest("GET", "/b", {}, None)
    assert first(tmp_path, {"path": "/${sequence}"}) is None


def test_bodies_headers_and_expectations(tmp_path: Path) -> None:
    question = first(
        tmp_path,
        {
            "method": "POST",
            "path": "/pay/5",
            "headers": [["X-Shop", "1"]],
            "body_json": {"b": 1, "a": "x"},
            "expect": {"status": 201, "body_sha256": "0" * 64},
        },
    )
    assert question is not None
    assert question.headers == {"X-Shop": "1", "content-type": "application/json"}
    assert json.loads(question.body or b"") == {"a": "x", "b": 1}
    assert (question.status, question.sha256) == (201, "0" * 64)

    theirs = first(tmp_path, {"path": "/", "headers": {"Content-Type": "x/y"}, "body_json": 1})
    assert theirs is not None
    assert theirs.headers == {"Content-Type": "x/y"}
    assert [
        question.body
        for line in ({"body": "plain"}, {"body_base64": "AP8="}, {})
        if (question := first(tmp_path, {"path": "/", **line})) is not None
    ] == [b"plain", b"\x00\xff", None]
    several = first(tmp_path, {"path": "/", "expect": {"status": [200, 404]}})
    assert several is not None
    assert several.status == (200, 404)


@pytest.mark.parametrize(
    ("stated", "wrong", "expected"),
    [([404], 200, "404"), ([200, 404], 500, "200 or 404"), ("4XX", 302, "4XX")],
)
def test_several_statuses_may_be_right(
    stated: object, wrong: int, expected: str, tmp_path: Path
) -> None:
    question = first(tmp_path, {"path": "/", "expect": {"status": stated}})
    assert question is not None
    assert question._judged(404, None, b"") is None
    assert question._judged(wrong, None, b"") == (
        f"GET / was answered with status {wrong}, but {expected} was expected"
    )


def test_answers_are_judged() -> None:
    right = hashlib.sha256(b"hello").hexdigest()
    with serving() as server:
        address = Address.of(server.url)

        def asked(**changes: Any) -> str | None:
            values = {"method": "GET", "path": "", "headers": {}, "body": None, **changes}
            return CheckedRequest(**values).asked(address, 10)

        assert asked() is None
        assert asked(status=200, sha256=right) is None
        assert asked(status=404) == "GET  was answered with status 200, but 404 was expected"
        other = asked(sha256="0" * 64)
        assert other == "GET  was answered by the body b'hello', which differs from the right body"
        assert server.requests == 4
        assert address.accepts(1)
    assert not address.accepts(1)
    with pytest.raises(ConnectionRefusedError):
        asked()


def test_a_redirect_says_where_to() -> None:
    judged = CheckedRequest("GET", "/", {}, None, 200)._judged(302, "/login", b"")
    assert judged == "GET / was answered with status 302 (to /login), but 200 was expected"
    assert CheckedRequest("GET", "/", {}, None)._judged(302, "/login", b"") is None
    assert CheckedRequest("GET", "/", {}, None)._judged(500, None, b"") is not None


def test_somebody_who_accepts_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = Address("127.0.0.1", silent.getsockname()[1])
        assert address.accepts(1)
        with pytest.raises(TimeoutError):
            CheckedRequest("GET", "/", {}, None).asked(address, 0.2)


@pytest.mark.parametrize("malformed", ["2", "200", "20x", "9xx"])
def test_a_malformed_class_of_statuses_is_refused(malformed: str) -> None:
    with pytest.raises(ValueError, match="is not a class of statuses"):
        _allowed(malformed)
