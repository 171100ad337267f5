"""The client of a key-value store: SETs, then GETs, then the digest of what is stored."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runfair.driving.failure import PassFailed
from runfair.formats.plan import Drive, DrivenLoad
from runfair.formats.program import Metric
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import RedisOperations
from runfair.serving.address import Address

COMMAND_LIMIT_S = 60.0
ANSWER_LIMIT_NS = 60 * NS_PER_S
_DIGEST = re.compile(r"[0-9a-f]{16}")
_COUNTER = re.compile(r"^(\w+):(\d+)\r?$", re.MULTILINE)
COUNTED = "# Runfair"
LOCATED = "# Locality"


@dataclass(frozen=True)
class KeyValueClient:
    """Speaks RESP2 (redis.io, protocol specification). `located`: the server was told to tell where
    its nodes lie. `counted`: it counts, from its start on; `before` is what it had counted when the
    pass began."""

    drive: Drive
    address: Address
    seed: int
    located: bool = False
    counted: bool = False
    before: dict[str, int] = field(default_factory=dict)

    def prepare(self) -> None:
        said = self._asked("FLUSHALL")
        if said != "OK":
            raise PassFailed(f"FLUSHALL was answered by {said!r}, not OK")
        if self.counted:
            self.before.update(self._counts())

    def loads(self) -> Iterator[tuple[str, Load]]:
        # The same seed draws the same keys: each GET is of a key that was set.
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
            raise PassFailed(f"DEBUG DIGEST was answered by {said!r}, not by 16 hexadecimal digits")
        return said

    def metrics(self) -> dict[str, Metric]:
        """How often the runtime has collected, and how far apart neighbours in a row lie: the
        median, and the share of pairs at the most frequent distance. Nothing of a runtime that does
        not tell addresses."""
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
        """As the server has counted them itself, since `prepare`."""
        return {name: now - self.before[name] for name, now in self._counts().items()}

    def _counts(self) -> dict[str, int]:
        counted = self._section(COUNTED)
        if counted is None:
            raise PassFailed(f"INFO has no section {COUNTED!r}")
        return counted

    def _section(self, title: str) -> dict[str, int] | None:
        """The whole numbers below a title of INFO, None where there is no such title."""
        _, found, rest = self._asked("INFO").partition(f"{title}\r\n")
        if not found:
            return None
        lines, _, _ = rest.partition("\r\n\r\n")
        return {name: int(value) for name, value in _COUNTER.findall(lines)}

    def _asked(self, *words: str) -> str:
        """The answer to one command: a simple string, an error's text, or a bulk string."""
        command = f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words)
        try:
            with (
                socket.create_connection(
                    (self.address.host, self.address.port), COMMAND_LIMIT_S
                ) as connection,
                connection.makefile("rb") as answers,
            ):
                connection.sendall(command.encode())
                kind, line = answers.read(1), answers.readline().rstrip(b"\r\n")
                if kind == b"$" and line.isdigit():
                    return answers.read(int(line)).decode("latin-1")
                return line.decode("latin-1")
        except OSError as error:
            raise PassFailed(f"{' '.join(words)}: {error or type(error).__name__}") from None
