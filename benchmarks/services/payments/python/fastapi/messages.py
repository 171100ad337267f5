"""The content of requests and of answers."""

from __future__ import annotations

from typing import Any

from fastapi import Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import Annotated


def decimal(text: Any) -> int:
    """A number that is written with ASCII digits only. int() would also accept "+1", "1_0" and
    digits of other scripts."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError("not a decimal number")
    return int(text)


Amount = Annotated[int, BeforeValidator(decimal), Path(ge=1, le=10**12)]
OrderId = Annotated[int, BeforeValidator(decimal), Path(ge=1, le=2**63 - 1)]


class Asked(BaseModel):
    model_config = ConfigDict(strict=True)


class Payment(Asked):
    card: str
    merchant: str
    currency: str


class Routing(Asked):
    amount: Annotated[int, Field(ge=1, le=10**9)]
    country: str
    card: Annotated[str, Field(pattern="^[0-9]{16}$")]


class Receipt(BaseModel):
    status: str
    amount: int
    currency: str
    merchant: str
    reference: str
    record: str


class Choice(BaseModel):
    processor: str
    score: int
    fee: int
    eligible: int


class Order(BaseModel):
    id: int
    customer: str
    status: str
    amount: int
    note: str
