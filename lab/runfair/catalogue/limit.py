"""Limits as people write them: an objective (`p99 < 25 ms`), and what a run is required to show,
which may also limit the failed requests (`failed < 0.1%`)."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from runfair.catalogue.amount import parse_length
from runfair.formats.service import SHARES, FailureLimit, Objective, Percentile, Requirement

_OBJECTIVE = re.compile(r"^(p\d+(?:\.\d+)?)\s*<=?\s*(.+)$")
_FAILED = re.compile(r"^failed\s*<=?\s*(\d+(?:\.\d+)?)\s*%$")


def parse_objective(text: str) -> Objective:
    """The objective that a text such as `p99 < 25 ms` states. Raises ValueError if the text is
    malformed.
    """
    match = _OBJECTIVE.match(text.strip())
    known = {name.replace("_", "."): name for name in SHARES}
    if match is None or match[1] not in known:
        raise ValueError(f"{text!r} is not an objective such as 'p99 < 25 ms' ({', '.join(known)})")
    percentile: Percentile = known[match[1]]
    limit_ns = parse_length(match[2])
    if limit_ns < 1:
        raise ValueError(
            f"{text!r}: the limit must be longer than 0, because every answer takes some time"
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
            f"{text!r} is not a limit on the failed requests such as 'failed < 0.1%': the share "
            "must be above 0% and at most 100%"
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
