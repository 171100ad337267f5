"""Readers of amounts as people write them: memory (`512 MiB`) and lengths of time (`25 ms`)."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import AfterValidator

_BYTES = re.compile(r"^(\d+(?:\.\d+)?)\s*([KMGT]i?B|B)$")
_UNITS = {"B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_LENGTH = re.compile(r"^(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|min)$")
_UNITS_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


def parse_bytes(text: str) -> int:
    """The bytes that a number with a unit states, for example `512 MiB` or `2 GB`. Raises
    ValueError for other texts."""
    match = _BYTES.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not an amount of memory such as '512 MiB'")
    unit = match[2]
    scale = _BINARY[unit[0]] if "i" in unit else _UNITS[unit[0]]
    amount = float(match[1]) * scale
    if not math.isfinite(amount):
        raise ValueError(
            f"{text[:20]}… is too large for an amount of memory: state a smaller amount"
        )
    return int(amount)


def parse_length(text: str) -> int:
    """The nanoseconds that a length of time states, for example `25 ms` or `1.5 s`. Raises
    ValueError for other texts."""
    match = _LENGTH.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a length of time such as '25 ms'")
    length_ns = float(match[1]) * _UNITS_NS[match[2]]
    if not length_ns < 2**63:
        raise ValueError(f"{text[:20]}… is too large for a length of time: state a shorter time")
    return round(length_ns)


def _amount(text: str) -> str:
    if parse_bytes(text) < 1:
        raise ValueError(f"{text!r} is not an amount of memory: it must be greater than zero")
    return text


def _length(text: str) -> str:
    parse_length(text)
    return text


Amount = Annotated[str, AfterValidator(_amount)]
Length = Annotated[str, AfterValidator(_length)]
