"""How a load stands, as the generator tells it while it lasts."""

from __future__ import annotations

from typing import Literal

from runfair.formats.record import Record


class Progress(Record):
    """A load at one moment. Counts are since its start. The percentiles are of the interval that
    just ended, None where it had no good answer. `horizon_ns` is when the schedule ends, None
    where requests alone end it. `overdue` requests were due and are not sent yet."""

    event: Literal["progress"]
    loop: Literal["open", "closed"]
    elapsed_ns: int
    horizon_ns: int | None
    scheduled: int
    sent: int
    completed: int
    failed: int
    overdue: int
    p50_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    achieved_per_s: float
