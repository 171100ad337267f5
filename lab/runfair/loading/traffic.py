"""The traffic that a load sends: one request, Redis operations, or a file of requests. A feed gives
requests their values, and an expectation says which answers are right."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from runfair.errors import UserMistake

Order = Literal["file", "random"]


@dataclass(frozen=True)
class HttpRequest:
    """One HTTP request, which is sent repeatedly. The path of the request is the path of the URL.

    If `method` is None, the method is GET, or POST if there is a body. Path, header values and body
    may have fields: `${sequence}`, `${random:1..1000}`, `${key}` (one of `keys`).
    """

    method: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    body_file: Path | None = None
    keys: int | None = None

    def __post_init__(self) -> None:
        if self.body is not None and self.body_file is not None:
            raise UserMistake(
                "a request cannot have both a body and a body file; leave one of the two out"
            )

    def arguments(self) -> list[str]:
        words = [] if self.method is None else [f"--method={self.method}"]
        words += [f"--header={name}: {value}" for name, value in self.headers]
        words += [] if self.keys is None else [f"--keys={self.keys}"]
        if self.body is not None:
            words.append(f"--body={self.body}")
        if self.body_file is not None:
            words.append(f"--body-file={os.fspath(self.body_file)}")
        return words


@dataclass(frozen=True)
class RedisOperations:
    """Redis commands over a key space. `operations` is `set,get` (in turn) or `set:1,get:9` (at
    random by weight). With `preload` every key is set before the load begins.
    """

    operations: str = "set,get"
    keys: int = 1
    value_bytes: int = 64
    preload: bool = False

    def __post_init__(self) -> None:
        if self.keys < 1:
            raise UserMistake(f"a key space must have at least 1 key, not {self.keys}")
        if self.value_bytes < 0:
            raise UserMistake(f"a value cannot have {self.value_bytes} bytes; state 0 or more")

    def arguments(self) -> list[str]:
        words = [f"--operations={self.operations}", f"--keys={self.keys}"]
        words.append(f"--value-bytes={self.value_bytes}")
        return [*words, "--preload"] if self.preload else words


@dataclass(frozen=True)
class TrafficFile:
    """A file of requests (JSON Lines, `loadgen/schemas/traffic.schema.json`).

    The requests are sent in the file's order, at random by weight, or, if the load's arrivals are a
    trace, at their time stamps. `${key}` is one of `keys`.
    """

    path: Path
    order: Order = "file"
    keys: int | None = None

    def arguments(self) -> list[str]:
        words = [f"--traffic={os.fspath(self.path)}"]
        return words if self.keys is None else [*words, f"--keys={self.keys}"]


_VALUE = re.compile(r"(?<!\$)\$\{feed:([^}]*)\}")


@dataclass(frozen=True)
class Feed:
    """A file of rows: CSV, whose first line names the columns, or JSON Lines with an object a line.

    `${feed:NAME}` in a request is the value in the column NAME. All values of a request are from
    one row. In the order `file`, each row is used once; `random` draws rows by the seed.
    """

    path: Path
    order: Order = "random"

    def arguments(self) -> list[str]:
        return [f"--feed={os.fspath(self.path)}", f"--feed-order={self.order}"]

    def check(self, traffic: Path, requests: int) -> None:
        """Raises UserMistake if the file cannot give values to this number of requests of the
        traffic file."""
        columns, rows = self._read()
        named = set(_VALUE.findall(traffic.read_text(encoding="utf-8", errors="replace")))
        if not named:
            raise UserMistake(
                f"{self.path}: no request of {traffic} uses a column of this feed; write "
                f"${{feed:NAME}} in a request, or leave `feed` out"
            )
        unknown = min(named.difference(columns), default=None)
        if unknown is not None:
            raise UserMistake(
                f"{traffic} contains ${{feed:{unknown}}}, but {self.path} has no such column; its "
                f"columns are {', '.join(columns)}"
            )
        if self.order == "file" and rows < requests:
            raise UserMistake(
                f"{self.path}: the file has {rows} rows, which are too few for a load of up to "
                f'{requests} requests; add rows, or write `feed_order = "random"`'
            )

    def _read(self) -> tuple[Sequence[str], int]:
        """The names of the columns and the number of rows."""
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                found = self._csv(file) if self.path.suffix == ".csv" else self._json(file)
        except OSError as error:
            raise UserMistake(f"{self.path}: the feed cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserMistake(f"{self.path}: the feed is not valid UTF-8") from None
        if not found[1]:
            raise UserMistake(f"{self.path}: the feed contains no row")
        return found

    def _csv(self, file: Iterable[str]) -> tuple[Sequence[str], int]:
        lines = csv.reader(file, strict=True)
        rows, columns = 0, list[str]()
        try:
            columns = next(lines, columns)
            for row in filter(None, lines):
                if len(row) != len(columns):
                    raise csv.Error(
                        f"this row has {len(row)} values, but the file has {len(columns)} columns"
                    )
                rows += 1
        except csv.Error as error:
            raise UserMistake(f"{self.path}:{lines.line_num}: {error}") from None
        return columns, rows

    def _json(self, file: Iterable[str]) -> tuple[Sequence[str], int]:
        columns: list[str] | None = None
        rows = 0
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise UserMistake(f"{self.path}:{number}: this line is not a JSON object")
            columns = list(row) if columns is None else columns
            lacking = next((name for name in columns if name not in row), None)
            if lacking is not None:
                raise UserMistake(
                    f"{self.path}:{number}: this row has no column {lacking!r}, but the first "
                    "row has this column"
                )
            rows += 1
        return columns or [], rows


def takes_values(traffic: Path) -> bool:
    """Whether a request of the traffic file contains a value of a feed."""
    return _VALUE.search(traffic.read_text(encoding="utf-8", errors="replace")) is not None


_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class Expectation:
    """The rules for a right answer.

    `status` is written for the generator: `200`, `200,404` or `2xx`; None leaves the generator's
    default (200 to 399). `json_values` maps a JSON pointer (RFC 6901) to a value. The generator
    checks the status of every answer, and the body of a share `check_share` (0 to 1) of the
    answers. With a traffic file, these rules apply to requests without rules of their own.
    """

    status: str | None = None
    body_sha256: str | None = None
    body_contains: str | None = None
    json_values: Mapping[str, Any] = field(default_factory=dict)
    check_share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.check_share <= 1:
            raise UserMistake(
                f"the share of answers to check must be from 0 to 1, not {self.check_share:g}"
            )
        if self.body_sha256 is not None and not _SHA256.fullmatch(self.body_sha256):
            raise UserMistake(
                f"'{self.body_sha256}' is not a SHA-256 digest; write 64 hexadecimal digits"
            )
        for pointer in self.json_values:
            if pointer and not pointer.startswith("/"):
                raise UserMistake(
                    f"'{pointer}' is not a JSON pointer; write a pointer that begins with /"
                )

    def arguments(self) -> list[str]:
        # The generator refuses `--check-share` without a body check, so the default 1 is left out.
        words = [] if self.check_share == 1 else [f"--check-share={self.check_share:.9g}"]
        if self.status is not None:
            words.append(f"--expect-status={self.status}")
        if self.body_sha256 is not None:
            words.append(f"--expect-body-sha256={self.body_sha256}")
        if self.body_contains is not None:
            words.append(f"--expect-body-contains={self.body_contains}")
        words += [
            f"--expect-json={pointer}={json.dumps(value)}"
            for pointer, value in self.json_values.items()
        ]
        return words
