"""What is kept in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import FrozenSet, List


@dataclass(frozen=True)
class Processor:
    """One that a payment can be routed to."""

    id: str
    countries: FrozenSet[str]
    fixed_fee: int
    fee_basis_points: int
    success_permille: int
    latency_ms: int
    load_permille: int
    weights: List[int]


@dataclass(frozen=True)
class Data:
    records: List[str]
    processors: List[Processor]

    @staticmethod
    def parse(text: bytes) -> Data:
        """Raises ValueError, KeyError or TypeError for what is not `payments.json`."""
        data = json.loads(text)
        return Data(
            records=data["records"],
            processors=[
                Processor(**{**processor, "countries": frozenset(processor["countries"])})
                for processor in data["processors"]
            ],
        )
