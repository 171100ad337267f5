"""The client of a driven server: makes the loads of a pass and computes the digest of
its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from runfair.formats.plan import Cell, Drive, DrivenLoad
from runfair.formats.program import Metric
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import RedisOperations, TrafficFile
from runfair.serving.address import Address
from runfair.serving.resp import NotResp, RespClient, RespError


class PassFailed(Exception):
    """An answer was wrong or missing. The message has one line."""


# Contents of the folder that the generator makes: the requests, and the files to be served.
TRAFFIC = "traffic.jsonl"
FILES = "files"
ANSWER_LIMIT_NS = 60 * NS_PER_S
_FNV_START, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


@dataclass(frozen=True)
class FileClient:
    """The client of a file server: HTTP/1.1 with persistent connections."""

    drive: Drive
    address: Address

    def prepare(self) -> None:
        """Does nothing: a file server keeps no state between requests."""

    def loads(self) -> Iterator[tuple[str, Load]]:
        yield (
            "files",
            Load(
                url=self.address.url,
                closed=True,
                requests=self.drive.requests,
                connections=self.drive.connections,
                traffic=TrafficFile(Path(self.drive.traffic)),
                timeout_ns=ANSWER_LIMIT_NS,
            ),
        )

    def digest(self) -> str:
        """The FNV-1a digest over the lines `PATH SHA256`. The body of every answer was compared
        with these digests.
        """
        total = _FNV_START
        for path, sha256 in self._expected():
            for byte in f"{path} {sha256}\n".encode():
                total = (total ^ byte) * _FNV_PRIME % 2**64
        return f"{total:016x}"

    def metrics(self) -> dict[str, Metric]:
        """No metrics: a file server reports nothing."""
        return {}

    def operations(self, loads: Sequence[DrivenLoad]) -> dict[str, int]:
        """The work of the pass, computed from the files: every body was compared, so it is as long
        as its file."""
        folder = Path(self.drive.traffic).parent / FILES
        sizes = [(folder / path.lstrip("/")).stat().st_size for path, _ in self._expected()]
        answered = sum(load.requests for load in loads)
        rounds, rest = divmod(answered, len(sizes))
        return {"requests": answered, "body_bytes": rounds * sum(sizes) + sum(sizes[:rest])}

    def _expected(self) -> Iterator[tuple[str, str]]:
        with Path(self.drive.traffic).open(encoding="utf-8") as lines:
            for line in lines:
                asked = json.loads(line)
                yield asked["path"], asked["expect"]["body_sha256"]


def requests_in(traffic: Path) -> int:
    """The number of requests in the traffic file."""
    with traffic.open("rb") as lines:
        return sum(1 for line in lines if line.strip())


COMMAND_LIMIT_S = 60.0
_DIGEST = re.compile(r"[0-9a-f]{16}")
_COUNTER = re.compile(r"^(\w+):(\d+)\r?$", re.MULTILINE)
COUNTED = "# Runfair"
LOCATED = "# Locality"


@dataclass(frozen=True)
class KeyValueClient:
    """The client of a key-value server: RESP2 (redis.io, protocol specification).

    `located`: the server reports the addresses of its nodes. `counted`: the server counts its
    operations since its start; `before` has the counts at the beginning of the pass.
    """

    drive: Drive
    address: Address
    seed: int
    located: bool = False
    counted: bool = False
    before: dict[str, int] = field(default_factory=dict)

    def prepare(self) -> None:
        said = self._asked("FLUSHALL")
        if said != "OK":
            raise PassFailed(f"the server answered FLUSHALL with {said!r} instead of OK")
        if self.counted:
            self.before.update(self._counts())

    def loads(self) -> Iterator[tuple[str, Load]]:
        # The same seed draws the same keys, so each GET asks for a key that was set.
        for operation in ("set", "get"):
            yield (
                operation,
                Load(
                    url=f"redis://{self.address.host}:{self.address.port}",
                    closed=True,
                    requests=self.drive.requests,
                    connections=self.drive.connections,
                    seed=self.seed,
                    traffic=RedisOperations(
                        operations=operation,
                        keys=self.drive.keys,
                        value_bytes=self.drive.value_bytes,
                    ),
                    timeout_ns=ANSWER_LIMIT_NS,
                ),
            )

    def digest(self) -> str:
        said = self._asked("DEBUG", "DIGEST")
        if not _DIGEST.fullmatch(said):
            raise PassFailed(
                f"the server answered DEBUG DIGEST with {said!r} instead of 16 hexadecimal digits"
            )
        return said

    def metrics(self) -> dict[str, Metric]:
        """The number of garbage collections, and the distance in memory between consecutive
        entries.

        The distance is reported by two values: the median, and the share of pairs with the most
        frequent distance. If a runtime does not report addresses, there is no distance.
        """
        told = self._section(LOCATED) if self.located else None
        if not told or not told["pairs"]:
            return {}
        share = told["frequent_distance_pairs"] / told["pairs"]
        figures = {
            "median_distance": Metric(value=told["median_distance_bytes"], unit="B"),
            "frequent_distance": Metric(value=told["frequent_distance_bytes"], unit="B"),
            "frequent_distance_share": Metric(value=share, unit="1"),
        }
        if "collections" in told:
            figures["collections"] = Metric(value=told["collections"], unit="1")
        return figures

    def operations(self, _loads: Sequence[DrivenLoad]) -> dict[str, int]:
        """The work since `prepare`, as the server itself counted it."""
        return {name: now - self.before[name] for name, now in self._counts().items()}

    def _counts(self) -> dict[str, int]:
        counted = self._section(COUNTED)
        if counted is None:
            raise PassFailed(f"the server's answer to the command INFO has no section {COUNTED!r}")
        return counted

    def _section(self, title: str) -> dict[str, int] | None:
        """The whole numbers in a section of the answer to INFO; None if there is no such
        section."""
        _, found, rest = self._asked("INFO").partition(f"{title}\r\n")
        if not found:
            return None
        lines, _, _ = rest.partition("\r\n\r\n")
        return {name: int(value) for name, value in _COUNTER.findall(lines)}

    def _asked(self, *words: str) -> str:
        """The answer to one command, sent on a separate connection. An error reply is returned as
        text.
        """
        try:
            with RespClient.connected(
                self.address.host, self.address.port, COMMAND_LIMIT_S
            ) as client:
                return client.ask(*words)
        except RespError as refusal:
            return str(refusal)
        except (OSError, NotResp) as error:
            raise PassFailed(f"{' '.join(words)}: {error or type(error).__name__}") from None


class Client(Protocol):
    """The interface of a driven server's client. There is a client for each protocol. Only `loads`
    is timed."""

    def prepare(self) -> None:
        """Puts the server into the state in which every pass begins. Raises PassFailed."""

    def loads(self) -> Iterator[tuple[str, Load]]:
        """The loads of a pass in their order, each with its name."""

    def digest(self) -> str:
        """The digest of a pass's result. The function is called only if all answers were right.
        Raises PassFailed.
        """

    def metrics(self) -> dict[str, Metric]:
        """The metrics that the server reports after a pass, in addition to its speed. Raises
        PassFailed.
        """

    def operations(self, loads: Sequence[DrivenLoad]) -> dict[str, int]:
        """The work of a pass, as values of the benchmark's counters. The counts are reported by a
        counting server or computed from its answers. Raises PassFailed.
        """


def client_of(cell: Cell, drive: Drive, address: Address, *, counted: bool = False) -> Client:
    """The client for a benchmark's protocol. `counted`: the server counts its operations."""
    if drive.protocol == "resp":
        located = bool(cell.parameters.get("addresses"))
        return KeyValueClient(drive, address, cell.seed, located, counted)
    return FileClient(drive, address)
