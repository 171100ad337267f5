"""Tests the answers of every framework's program against contract.md, by the canonical form."""

from __future__ import annotations

import concurrent.futures
import json
from pathlib import Path
from typing import Any

import pytest

from services.payments.framework_program import ORDERS, Running, requests_of

# ---------------------------------------------------------------- right answers


@pytest.mark.parametrize("workload", ["pay", "route"])
def test_every_request_has_its_one_right_answer(
    plain: Running, inputs: Path, workload: str
) -> None:
    with plain.client() as client:
        for request in requests_of(inputs, workload):
            client.check(request)


def test_every_order_is_the_row_of_the_table(full: Running, inputs: Path) -> None:
    with full.client() as client:
        for request in requests_of(inputs, "order"):
            client.check(request)


def test_two_threads_answer_connections_side_by_side(full: Running, inputs: Path) -> None:
    mixed = [each for name in ("pay", "route", "order") for each in requests_of(inputs, name)]

    def ask_all() -> int:
        with full.client() as client:
            for request in mixed:
                client.check(request)
        return len(mixed)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answered = [pool.submit(ask_all) for _ in range(8)]
        assert sum(future.result() for future in answered) == 8 * len(mixed)


def test_only_quotes_and_backslashes_are_escaped(plain: Running) -> None:
    merchant = 'a "quoted" \\ <b> & c/d'
    asked = {"card": "4000", "merchant": merchant, "currency": "EUR"}
    with plain.client() as client:
        answer = client.ask("POST", "/pay/7", json.dumps(asked))
    assert json.loads(answer.body)["merchant"] == merchant
    escaped = merchant.replace("\\", "\\\\").replace('"', '\\"').encode()
    assert b'"merchant":"' + escaped + b'"' in answer.body


# ---------------------------------------------------------------- wrong requests

PAYMENT = {"card": "4000123412341234", "merchant": "m-00042", "currency": "EUR"}
ROUTING = {"amount": 12345, "country": "DE", "card": "4000123412341234"}
ARABIC_FIVE = "%D9%A5"


@pytest.mark.parametrize(
    "amount",
    ["0", "1000000000001", "9" * 30, "-5", "+5", "5.0", "1e3", "five", "0x5", "%205", ARABIC_FIVE],
)
def test_an_amount_is_decimal_digits_in_range(plain: Running, amount: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", f"/pay/{amount}", json.dumps(PAYMENT))
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize("amount", ["1", "1000000000000", "007"])
def test_an_amount_at_the_ends_of_its_range_is_taken(plain: Running, amount: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", f"/pay/{amount}", json.dumps(PAYMENT))
    assert (answer.status, json.loads(answer.body)["amount"]) == (200, int(amount))


OTHER_TYPES: list[Any] = [4000, None, True, [], {}]
NOT_OBJECTS = ["", "{", "null", "7", "[]", '"text"', "{}"]


@pytest.mark.parametrize(
    "body",
    [
        *NOT_OBJECTS,
        json.dumps(PAYMENT) + "}",
        json.dumps(PAYMENT)[:-1],
        *(json.dumps({k: v for k, v in PAYMENT.items() if k != left}) for left in PAYMENT),
        *(json.dumps(PAYMENT | {"card": card}) for card in OTHER_TYPES),
        json.dumps(PAYMENT | {"currency": 7}),
        json.dumps(PAYMENT | {"merchant": None}),
    ],
)
def test_a_payment_lacks_nothing(plain: Running, body: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/pay/5", body)
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize(
    "body",
    [
        *NOT_OBJECTS,
        *(json.dumps({k: v for k, v in ROUTING.items() if k != left}) for left in ROUTING),
        *(
            json.dumps(ROUTING | {"amount": amount})
            for amount in (0, -1, 10**9 + 1, 10**30, 1.5, "5", None, True)
        ),
        *(
            json.dumps(ROUTING | {"card": card})
            for card in ("", "400012341234123", "40001234123412345", "400012341234123x", 4000, None)
        ),
        json.dumps(ROUTING | {"country": 49}),
    ],
)
def test_a_routing_lacks_nothing(plain: Running, body: str) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/route", body)
    assert answer.status == 400
    assert answer.error()


def test_a_country_that_nobody_serves(plain: Running) -> None:
    with plain.client() as client:
        answer = client.ask("POST", "/route", json.dumps(ROUTING | {"country": "XX"}))
    assert (answer.status, answer.error()) == (404, "no processor")


@pytest.mark.parametrize("identifier", ["0", "-1", "+1", "9223372036854775808", "1x", ARABIC_FIVE])
def test_an_order_id_is_decimal_digits_in_range(full: Running, identifier: str) -> None:
    with full.client() as client:
        answer = client.ask("GET", f"/order/{identifier}")
    assert answer.status == 400
    assert answer.error()


@pytest.mark.parametrize("identifier", [ORDERS + 1, 2**53 + 1, 2**63 - 1])
def test_an_order_that_is_not_there(full: Running, identifier: int) -> None:
    with full.client() as client:
        answer = client.ask("GET", f"/order/{identifier}")
    assert (answer.status, answer.error()) == (404, "no order")


def test_without_a_database_there_are_no_orders(plain: Running) -> None:
    with plain.client() as client:
        answer = client.ask("GET", "/order/1")
    assert answer.status == 503
    assert answer.error()


@pytest.mark.parametrize("path", ["/", "/pay", "/pay/5/6", "/routes", "/route/5", "/favicon.ico"])
def test_other_paths_are_not_found(plain: Running, path: str) -> None:
    with plain.client() as client:
        assert client.ask("GET", path).status == 404
        # This request is the last, because a server may close a connection after an unexpected
        # body.
        assert client.ask("POST", path, json.dumps(PAYMENT)).status == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/pay/5"), ("PUT", "/route"), ("GET", "/route"), ("DELETE", "/order/5")],
)
def test_other_methods_are_refused(plain: Running, method: str, path: str) -> None:
    with plain.client() as client:
        assert client.ask(method, path).status in (404, 405)


def test_a_wrong_request_leaves_the_next_one_right(plain: Running, inputs: Path) -> None:
    first, *_ = requests_of(inputs, "pay")
    with plain.client() as client:
        for method, path, body in (
            ("POST", "/pay/0", "{"),
            ("POST", "/route", ""),
            ("GET", "/", None),
        ):
            assert client.ask(method, path, body).status in (400, 404)
            client.check(first)
