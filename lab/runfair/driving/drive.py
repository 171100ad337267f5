"""What a benchmark's servers are asked, from its folder, a size and its input."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runfair.catalogue.benchmark import Benchmark, DriveSizeText
from runfair.driving.file_client import TRAFFIC, requests_in
from runfair.formats.plan import Drive


def drive_of(benchmark: Benchmark, size: str, inputs: Sequence[str], connections: int) -> Drive:
    """The pass over a server of this benchmark; without inputs (of a cell that cannot run here) of
    HTTP a single request stands for those of the file that was not made."""
    assert benchmark.text.drive is not None
    asked = benchmark.size(size).drive or DriveSizeText()
    protocol = benchmark.text.drive.protocol
    if protocol == "http":
        traffic = Path(inputs[0]) / TRAFFIC if inputs else None
        return Drive(
            protocol=protocol,
            connections=connections,
            requests=requests_in(traffic) * asked.rounds if traffic else 1,
            traffic=str(traffic or ""),
        )
    return Drive(
        protocol=protocol,
        connections=connections,
        requests=asked.requests,
        keys=asked.keys,
        value_bytes=asked.value_bytes,
    )
