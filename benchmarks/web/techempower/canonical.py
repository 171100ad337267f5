"""The tables and requests of the web tests.

    python canonical.py --seed N --rows R --folder FOLDER

writes `world.csv` and `fortune.csv` (the rows of the tables), and for each workload
`WORKLOAD.jsonl`: its request in the load generator's traffic format. If the answer is the same for
every request, the request has the digest of the body. Other answers are checked by the rules of the
suite.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
from pathlib import Path
from typing import Any

MOST = 10_000
COUNTS = (1, 5, 10, 15, 20)
MESSAGE = "Hello, World!"

# Sayings of programmers and of logicians, in this project's own words. Some contain characters that
# must be escaped, some are not ASCII, and some are sorted differently by bytes and by language.
FORTUNES = (
    "A program is read far more often than it is written.",
    '<script>alert("This should not be run.");</script>',
    "Any cache is correct until something changes.",
    "フレームワークのベンチマーク",
    "Before you measure it, guess; afterwards, explain the difference.",
    "The fastest code is the code that does not run & never ships.",
    "Émigré code returns home with an accent.",
    "zero is a number that many loops forget",
    "Two clocks never agree; one clock never doubts.",
    "It's only a tail; what could it do to a mean?",
    "Percentiles of percentiles are of nothing.",
    "Every queue is empty in a demonstration.",
)


def world(seed: int, rows: int) -> list[tuple[int, int]]:
    """The rows of World: `id` from 1, and a random number from 1 to 10,000."""
    chance = random.Random(f"world {seed}")
    return [(number, chance.randint(1, MOST)) for number in range(1, rows + 1)]


def fortunes() -> list[tuple[int, str]]:
    """The rows of Fortune."""
    return list(enumerate(FORTUNES, 1))


def requests() -> dict[str, dict[str, Any]]:
    """The request of each workload, by the workload's name."""
    body = hashlib.sha256(MESSAGE.encode()).hexdigest()
    found = {
        "plaintext": _get("/plaintext", body_sha256=body),
        "json": _get("/json"),
        "single-query": _get("/db"),
        "fortunes": _get("/fortunes"),
    }
    for name, path in (("multiple-queries", "/queries"), ("updates", "/updates")):
        for count in COUNTS:
            found[f"{name}-{count}"] = _get(f"{path}?queries={count}")
    return found


def _get(path: str, **expected: str) -> dict[str, Any]:
    return {"method": "GET", "path": path, "expect": {"status": 200, **expected}}


def write(folder: Path, seed: int, rows: int) -> None:
    """Writes all files into an existing folder. The same arguments give the same bytes."""
    _write_table(folder / "world.csv", ("id", "randomnumber"), world(seed, rows))
    _write_table(folder / "fortune.csv", ("id", "message"), fortunes())
    for name, request in requests().items():
        (folder / f"{name}.jsonl").write_text(f"{json.dumps(request)}\n", encoding="utf-8")


def _write_table(path: Path, columns: tuple[str, str], rows: list[Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("seed", "rows"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    write(asked.folder, asked.seed, asked.rows)


if __name__ == "__main__":
    main()
