"""Parses, hashes, keeps and answers as a small server does, as often as its argument says."""

from __future__ import annotations

import hashlib
import json
import sys


def main() -> None:
    count = int(sys.argv[1])
    records: list[dict[str, object]] = [{} for _ in range(1000)]
    sent = 0
    for i in range(count):
        body = f'{{"amount": {i % 997}, "card": "4000-{i % 8999}", "items": [{i}, {i + 1}]}}'
        request = json.loads(body)
        key = hashlib.sha256(request["card"].encode()).hexdigest()
        record = {"key": key, "request": request, "parts": [[part] for part in range(20)]}
        records[i % len(records)] = record
        sent += len(json.dumps({"key": key, "amount": request["amount"]}))
    print(json.dumps({"sent": sent}))


if __name__ == "__main__":
    main()
