"""The traffic that a load sends: one request, Redis operations, or a file of requests."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
            raise UserMistake("a request has either a body or a body file: leave one of them out")

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
            raise UserMistake(f"a value cannot have {self.value_bytes} bytes")

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
