"""Who asks a driven server: the loads of a pass, and afterwards the digest of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from runfair.driving.file_client import FileClient
from runfair.driving.key_value_client import KeyValueClient
from runfair.formats.plan import Cell, Drive, DrivenLoad
from runfair.formats.program import Metric
from runfair.loading.load import Load
from runfair.serving.address import Address


class Client(Protocol):
    """One for each protocol. All but the loads is untimed."""

    def prepare(self) -> None:
        """The server as every pass finds it. Raises PassFailed."""

    def loads(self) -> Iterator[tuple[str, Load]]:
        """The loads of a pass in their order, each with its name."""

    def digest(self) -> str:
        """Of what the pass came to, after loads whose every answer was right. Raises PassFailed."""

    def metrics(self) -> dict[str, Metric]:
        """What the server tells of itself after a pass, beside how fast it was. Raises
        PassFailed."""

    def operations(self, loads: Sequence[DrivenLoad]) -> dict[str, int]:
        """The work of the pass that these loads were, by the benchmark's counters: asked of a
        server that counts, or seen in its answers. Raises PassFailed."""


def client_of(cell: Cell, drive: Drive, address: Address, *, counted: bool = False) -> Client:
    """`counted`: the server was told to count."""
    if drive.protocol == "resp":
        located = bool(cell.parameters.get("addresses"))
        return KeyValueClient(drive, address, cell.seed, located, counted)
    return FileClient(drive, address)
