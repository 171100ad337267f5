"""The request that takes a payment."""

from __future__ import annotations

from hashlib import sha256
from typing import Sequence

from services.payments.python.fastapi.messages import Payment, Receipt


def pay(records: Sequence[str], amount: int, payment: Payment) -> Receipt:
    key = sha256(f"{payment.card}:{payment.merchant}".encode()).digest()
    return Receipt(
        status="approved",
        amount=amount,
        currency=payment.currency,
        merchant=payment.merchant,
        reference=key[:8].hex(),
        record=records[int.from_bytes(key[:6], "big") % len(records)],
    )
