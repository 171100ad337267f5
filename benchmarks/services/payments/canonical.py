"""The normative form of the service `payments`. This program makes the inputs, the requests and
their right answers.

    python canonical.py --seed N --records R --requests Q --orders O --folder FOLDER

writes `payments.json` (what a program keeps in memory), `orders.csv` (the rows of the table), and
for each workload `WORKLOAD.jsonl` (requests in the load generator's traffic format, each with the
digest of its one right answer). `pay-calls.jsonl` and `route-calls.jsonl` have the same requests as
gRPC calls.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROCESSORS = 200
WEIGHTS = 32
RECORD_CHARACTERS = 2048
COUNTRIES = ("AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "IE", "IT", "LU", "NL", "NO", "PL")
CURRENCIES = ("CHF", "DKK", "EUR", "GBP", "NOK", "PLN")
STATUSES = ("cancelled", "delivered", "open", "paid", "returned", "shipped")
WORDS = (
    "account",
    "batch",
    "charge",
    "debit",
    "entry",
    "fee",
    "gross",
    "hold",
    "invoice",
    "ledger",
)
COLUMNS = ("id", "customer", "status", "amount", "note")
SHORTEST_WORD = min(map(len, WORDS))

Payload = dict[str, Any]


def compact(value: Payload) -> str:
    """A value as JSON in the form of all answers: without white space, with keys in their order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def key_of(card: str, merchant: str) -> bytes:
    return hashlib.sha256(f"{card}:{merchant}".encode()).digest()


def pay(data: Payload, amount: int, request: Payload) -> Payload:
    """The answer to `POST /pay/AMOUNT`."""
    key = key_of(request["card"], request["merchant"])
    records = data["records"]
    return {
        "status": "approved",
        "amount": amount,
        "currency": request["currency"],
        "merchant": request["merchant"],
        "reference": key.hex()[:16],
        "record": records[int.from_bytes(key[:6], "big") % len(records)],
    }


def features_of(amount: int, card: str) -> list[int]:
    return [((amount >> (i % 24)) ^ int(card[i % 16])) & 255 for i in range(WEIGHTS)]


def route(data: Payload, request: Payload) -> Payload | None:
    """The answer to `POST /route`; None if no processor serves the country."""
    amount, country = request["amount"], request["country"]
    features = features_of(amount, request["card"])
    best: Payload | None = None
    eligible = 0
    for processor in data["processors"]:
        if country not in processor["countries"]:
            continue
        eligible += 1
        fee = processor["fixed_fee"] + amount * processor["fee_basis_points"] // 10000
        load = processor["load_permille"]
        score = processor["success_permille"] * 1000 - fee
        score -= processor["latency_ms"] * 10 + load * load // 100
        score += sum(w * f for w, f in zip(processor["weights"], features, strict=True))
        if best is None or score > best["score"]:
            best = {"processor": processor["id"], "score": score, "fee": fee}
    return None if best is None else {**best, "eligible": eligible}


def order(row: Payload) -> Payload:
    """The answer to `GET /order/ID`."""
    return {name: row[name] for name in COLUMNS}


def make_data(chance: random.Random, records: int) -> Payload:
    return {
        "records": [_record(chance, number) for number in range(records)],
        "processors": [_processor(chance, number) for number in range(PROCESSORS)],
    }


def make_orders(chance: random.Random, count: int) -> Iterator[Payload]:
    for number in range(1, count + 1):
        yield {
            "id": number,
            "customer": f"c-{chance.randrange(10**7):07}",
            "status": chance.choice(STATUSES),
            "amount": chance.randrange(100, 10**7),
            "note": " ".join(chance.choices(WORDS, k=12)),
        }


def pay_request(chance: random.Random, data: Payload) -> Payload:
    amount = chance.randrange(1, 10**6)
    body = {
        "card": _card(chance),
        "merchant": f"m-{chance.randrange(10**5):05}",
        "currency": chance.choice(CURRENCIES),
    }
    return _post(f"/pay/{amount}", body, pay(data, amount, body))


def route_request(chance: random.Random, data: Payload) -> Payload:
    body = {
        "amount": chance.randrange(1, 10**8),
        "country": chance.choice(COUNTRIES),
        "card": _card(chance),
    }
    answer = route(data, body)
    assert answer is not None, "every country is served by some processor"
    return _post("/route", body, answer)


def varint(number: int) -> bytes:
    """A number as protobuf writes it; a negative one as its 64 bits."""
    number &= 2**64 - 1
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def message(fields: Payload) -> bytes:
    """The fields as a protobuf message, numbered in their order. Zero and "" are left out."""
    written = b""
    for number, value in enumerate(fields.values(), 1):
        if isinstance(value, int):
            written += varint(number << 3) + varint(value) if value else b""
        elif value:
            text = value.encode()
            written += varint(number << 3 | 2) + varint(len(text)) + text
    return written


def call(method: str, request: Payload, answer: Payload) -> Payload:
    """A gRPC call (payments.proto), whose fields have the order of the JSON forms."""
    return {
        "method": "POST",
        "path": f"/payments.v1.Payments/{method}",
        "body_base64": base64.b64encode(message(request)).decode(),
        "expect": {"status": 200, "body_sha256": hashlib.sha256(message(answer)).hexdigest()},
    }


def as_call(data: Payload, request: Payload) -> Payload:
    """The call that asks the same as a request to /pay/ or /route."""
    body = json.loads(request["body"])
    if request["path"] == "/route":
        answer = route(data, body)
        assert answer is not None
        return call("Route", body, answer)
    amount = int(request["path"].removeprefix("/pay/"))
    return call("Pay", {"amount": amount, **body}, pay(data, amount, body))


def order_request(row: Payload) -> Payload:
    return {"method": "GET", "path": f"/order/{row['id']}", "expect": _expected(order(row))}


def _post(path: str, body: Payload, answer: Payload) -> Payload:
    return {
        "method": "POST",
        "path": path,
        "headers": {"content-type": "application/json"},
        "body": compact(body),
        "expect": _expected(answer),
    }


def _expected(answer: Payload) -> Payload:
    return {
        "status": 200,
        "body_sha256": hashlib.sha256(compact(answer).encode()).hexdigest(),
    }


def _card(chance: random.Random) -> str:
    return f"4000{chance.randrange(10**12):012}"


def _record(chance: random.Random, number: int) -> str:
    """A record that contains JSON within JSON, so that an answer contains characters that must be
    escaped."""
    start = f'{{"record":{number},"history":"'
    end = '"}'
    room = RECORD_CHARACTERS - len(start) - len(end)
    words = chance.choices(WORDS, k=room // SHORTEST_WORD)
    return start + " ".join(words)[:room] + end


def _processor(chance: random.Random, number: int) -> Payload:
    countries = chance.sample(COUNTRIES, chance.randrange(8, len(COUNTRIES) + 1))
    return {
        "id": f"p-{number:03}",
        "countries": sorted(countries),
        "fixed_fee": chance.randrange(5, 60),
        "fee_basis_points": chance.randrange(20, 300),
        "success_permille": chance.randrange(850, 999),
        "latency_ms": chance.randrange(20, 900),
        "load_permille": chance.randrange(0, 1000),
        "weights": [chance.randrange(-100, 101) for _ in range(WEIGHTS)],
    }


def write(folder: Path, seed: int, records: int, requests: int, orders: int) -> None:
    """Writes all files into an existing folder. The same arguments give the same bytes."""
    # Each file has its own stream of random numbers, so that a longer file does not change the
    # others.
    data = make_data(random.Random(f"data {seed}"), records)
    rows = list(make_orders(random.Random(f"orders {seed}"), orders))
    (folder / "payments.json").write_text(compact(data), encoding="utf-8")
    with (folder / "orders.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    chances = {name: random.Random(f"{name} {seed}") for name in ("pay", "route", "order")}
    traffic = {
        "pay": [pay_request(chances["pay"], data) for _ in range(requests)],
        "route": [route_request(chances["route"], data) for _ in range(requests)],
        "order": [order_request(chances["order"].choice(rows)) for _ in range(requests)],
    }
    for name in ("pay", "route"):
        traffic[f"{name}-calls"] = [as_call(data, line) for line in traffic[name]]
    for name, lines in traffic.items():
        text = "".join(f"{compact(line)}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("seed", "records", "requests", "orders"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    write(asked.folder, asked.seed, asked.records, asked.requests, asked.orders)


if __name__ == "__main__":
    main()
