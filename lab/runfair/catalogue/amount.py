"""Readers of amounts as people write them: memory (`512 MiB`), lengths of time (`25 ms`), limits.

A limit is an objective (`p99 < 25 ms`) or a requirement, which a run must show to be met. A
requirement limits a percentile, like an objective, or the failed requests (`failed < 0.1%`).
"""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import AfterValidator

from runfair.formats.service import SHARES, FailureLimit, Objective, Percentile, Requirement

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
            f"{text[:20]}… is too large for an amount of memory; state a smaller amount"
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
        raise ValueError(f"{text[:20]}… is too large for a length of time; state a shorter time")
    return round(length_ns)


def _amount(text: str) -> str:
    if parse_bytes(text) < 1:
        raise ValueError(f"{text!r} is no amount of memory; state an amount greater than zero")
    return text


def _length(text: str) -> str:
    parse_length(text)
    return text


OF_NETWORK = "network"


def _round_trip(text: str) -> str:
    return text if text == OF_NETWORK else _length(text)


Amount = Annotated[str, AfterValidator(_amount)]
Length = Annotated[str, AfterValidator(_length)]
RoundTrip = Annotated[str, AfterValidator(_round_trip)]


_OBJECTIVE = re.compile(r"^(p\d+(?:\.\d+)?)\s*<=?\s*(.+)$")
_FAILED = re.compile(r"^failed\s*<=?\s*(\d+(?:\.\d+)?)\s*%$")


def parse_objective(text: str) -> Objective:
    """The objective that a text such as `p99 < 25 ms` states. Raises ValueError if the text is
    malformed.
    """
    match = _OBJECTIVE.match(text.strip())
    known = {name.replace("_", "."): name for name in SHARES}
    if match is None or match[1] not in known:
        raise ValueError(
            f"{text!r} is not an objective such as 'p99 < 25 ms'; the known percentiles are "
            f"{', '.join(known)}"
        )
    percentile: Percentile = known[match[1]]
    limit_ns = parse_length(match[2])
    if limit_ns < 1:
        raise ValueError(
            f"the objective {text!r} has the limit 0, but every answer takes some time; state a "
            "longer limit"
        )
    return Objective(percentile=percentile, limit_ns=limit_ns)


def parse_requirement(text: str) -> Requirement:
    """The requirement that a text states: an objective, or `failed < 0.1%`. Raises ValueError if
    the text is malformed.
    """
    if not text.strip().startswith("failed"):
        return parse_objective(text)
    match = _FAILED.match(text.strip())
    if match is None or not 0 < float(match[1]) <= 100:
        raise ValueError(
            f"{text!r} is not a limit such as 'failed < 0.1%'; the share of failed requests must "
            "be above 0% and at most 100%"
        )
    return FailureLimit(failed_share=float(match[1]) / 100)


def _objective(text: str) -> str:
    parse_objective(text)
    return text


def _requirement(text: str) -> str:
    parse_requirement(text)
    return text


ObjectiveText = Annotated[str, AfterValidator(_objective)]
RequirementText = Annotated[str, AfterValidator(_requirement)]
