"""The client of a file server: each file once, every body compared with its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.formats.plan import Drive, DrivenLoad
from runfair.formats.program import Metric
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import TrafficFile
from runfair.serving.address import Address

# What the folder that the generator makes holds: the requests, and the files that are served.
TRAFFIC = "traffic.jsonl"
FILES = "files"
ANSWER_LIMIT_NS = 60 * NS_PER_S
_FNV_START, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


@dataclass(frozen=True)
class FileClient:
    """Speaks HTTP/1.1, keeping its connections."""

    drive: Drive
    address: Address

    def prepare(self) -> None:
        """A file server remembers nothing of the requests before."""

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
        """FNV-1a over the lines `PATH SHA256`: what every body was compared with."""
        total = _FNV_START
        for path, sha256 in self._expected():
            for byte in f"{path} {sha256}\n".encode():
                total = (total ^ byte) * _FNV_PRIME % 2**64
        return f"{total:016x}"

    def metrics(self) -> dict[str, Metric]:
        """It tells nothing."""
        return {}

    def operations(self, loads: Sequence[DrivenLoad]) -> dict[str, int]:
        """A body that was compared is as long as the file."""
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
    """How many requests the file holds."""
    with traffic.open("rb") as lines:
        return sum(1 for line in lines if line.strip())
