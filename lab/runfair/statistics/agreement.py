"""Whether the executions of one variant behave alike."""

from collections.abc import Iterable
from typing import Literal

from runfair.statistics.steady_state import Classification

Agreement = Literal["consistent", "mixed", "inconsistent", "too short"]

HARMLESS: frozenset[Classification] = frozenset({"flat", "warmup"})
"""Both end as fast as they ever were; Barrett et al. (OOPSLA 2017) call a mixture of
them a good inconsistency."""


def agreement(classifications: Iterable[Classification]) -> Agreement:
    """`consistent`: all alike. `mixed`: some flat, some warming up, all steady in the end.

    `inconsistent`: any other disagreement among executions long enough to tell. `too short`: those
    do not disagree, but some execution was too short, so nothing is established.
    Raises ValueError when there are none.
    """
    seen = set(classifications)
    if not seen:
        raise ValueError("no executions to compare")
    told = seen - {"too short"}
    if len(told) > 1 and not told <= HARMLESS:
        return "inconsistent"
    if "too short" in seen:
        return "too short"
    return "consistent" if len(told) == 1 else "mixed"
