"""The request that routes a payment."""

from __future__ import annotations

from operator import mul
from typing import List, Optional, Sequence

from services.payments.python.fastapi.data import Processor
from services.payments.python.fastapi.messages import Choice, Routing

FEATURES = 32
DIGITS = 16


def route(processors: Sequence[Processor], routing: Routing) -> Optional[Choice]:
    """The best of the processors; None if no processor serves the country."""
    features = features_of(routing)
    best = None
    best_score = best_fee = 0
    eligible = 0
    for processor in processors:
        if routing.country not in processor.countries:
            continue
        eligible += 1
        fee = processor.fixed_fee + routing.amount * processor.fee_basis_points // 10000
        score = score_of(processor, fee, features)
        if best is None or score > best_score:
            best, best_score, best_fee = processor, score, fee
    if best is None:
        return None
    return Choice(processor=best.id, score=best_score, fee=best_fee, eligible=eligible)


def features_of(routing: Routing) -> List[int]:
    digits = [int(digit) for digit in routing.card]
    return [((routing.amount >> (i % 24)) ^ digits[i % DIGITS]) & 255 for i in range(FEATURES)]


def score_of(processor: Processor, fee: int, features: Sequence[int]) -> int:
    score = processor.success_permille * 1000 - fee
    score -= processor.latency_ms * 10 + processor.load_permille**2 // 100
    weighted: int = sum(map(mul, processor.weights, features))
    return score + weighted
