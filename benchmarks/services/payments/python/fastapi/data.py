"""The data that the service keeps in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import FrozenSet, List


@dataclass(frozen=True)
class Processor:
    """A processor to which a payment can be routed."""

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
        """Reads the text of `payments.json`. Raises ValueError, KeyError or TypeError if it has
        another form."""
        data = json.loads(text)
        return Data(
            records=data["records"],
            processors=[
                Processor(**{**processor, "countries": frozenset(processor["countries"])})
                for processor in data["processors"]
            ],
        )
