"""The interval log (`--hlog`): HdrHistogram's log format, one line a quantity and interval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from runfair.formats.broken_file import BrokenLoadFile
from runfair.formats.histogram import Histogram, NotAHistogram

Quantity = Literal["latency", "queue_wait", "send_lag", "service_time"]
QUANTITIES: tuple[Quantity, ...] = ("latency", "queue_wait", "send_lag", "service_time")

_FORMAT = "#[Histogram log format version 1.3]"
_LEGEND = '"StartTimestamp"'
_LINE = re.compile(
    r"Tag=(?P<warmup>warmup\.)?(?P<quantity>\w+),(?P<start>\d+(?:\.\d+)?),"
    r"(?P<length>\d+(?:\.\d+)?),\d+(?:\.\d+)?,(?P<histogram>[A-Za-z0-9+/=]+)",
    re.ASCII,
)


@dataclass(frozen=True)
class Interval:
    """The values of one quantity in one interval; instants count from the load's start.

    `warmup`: of requests meant to go in the warm-up.
    """

    quantity: Quantity
    warmup: bool
    start_ns: int
    length_ns: int
    histogram: Histogram


def read_intervals(path: Path) -> Iterator[Interval]:
    """The intervals in the order of the file, which is by time. A quantity of which nothing was
    recorded in an interval has no line.

    Raises BrokenLoadFile, naming the line, for one that cannot be read: none is passed over.
    """
    try:
        with path.open(encoding="ascii") as file:
            for number, line in enumerate(file, 1):
                if number == 1 and line.rstrip("\n") != _FORMAT:
                    raise BrokenLoadFile(path, "line 1: not an interval log of format 1.3")
                if not line.startswith(("#", _LEGEND)):
                    yield _interval(path, number, line)
    except OSError as error:
        raise BrokenLoadFile(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BrokenLoadFile(path, f"cannot be read: {error}") from None


def merged(
    intervals: Iterable[Interval], quantity: Quantity, *, warmup: bool | None = None
) -> Histogram:
    """All values of a quantity; of the warm-up alone, or the rest, where that is said."""
    return Histogram.merged(
        interval.histogram
        for interval in intervals
        if interval.quantity == quantity and warmup in (None, interval.warmup)
    )


def _interval(path: Path, number: int, line: str) -> Interval:
    found = _LINE.fullmatch(line.removesuffix("\n"))
    if found is None or not line.endswith("\n"):
        raise BrokenLoadFile(path, f"line {number}: not an interval of a load, or cut off")
    quantity = next((each for each in QUANTITIES if each == found["quantity"]), None)
    if quantity is None:
        raise BrokenLoadFile(path, f"line {number}: no quantity is called {found['quantity']}")
    try:
        histogram = Histogram.decoded(found["histogram"])
    except NotAHistogram as error:
        raise BrokenLoadFile(path, f"line {number}: no histogram: {error}") from None
    return Interval(
        quantity=quantity,
        warmup=found["warmup"] is not None,
        start_ns=_nanoseconds(found["start"]),
        length_ns=_nanoseconds(found["length"]),
        histogram=histogram,
    )


def _nanoseconds(seconds: str) -> int:
    return round(Decimal(seconds).scaleb(9))
