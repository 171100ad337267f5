"""A reader of HdrHistogram's V2 compressed form, and of interval logs (`--hlog`). A log has a line
with a histogram in this form for each quantity and interval.

The official Python port is not used: it has wheels only for x86-64, and its log reader skips lines
that it cannot read. If the Python port is installed, `lab/tests/loading` compares this reader with
it. Layout: github.com/HdrHistogram/HdrHistogram, AbstractHistogram.java (`encodeIntoByteBuffer`,
`fillBufferFromCountsArray`, `valueFromIndex`) and ZigZagEncoding.java.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.record import BrokenLoadFile

_COOKIE = 0x1C849303  # of the counts, V2
_COMPRESSED_COOKIE = 0x1C849304
_WORD_SIZE_BITS = 0xF0  # bits of the header's cookie that V2 leaves to the writer
_OUTER = struct.Struct(">Ii")
_HEADER = struct.Struct(">IiiiQQd")
_MOST_DIGITS = 5
# With five digits of precision, 64-bit values need 47 times 131,072 cells.
_MOST_CELLS = 1 << 23
# The generator's histograms have three digits of precision: 55 times 1,024 cells of at most 9
# bytes. A much larger size is not the generator's, and would fill the memory.
_MOST_BYTES = 9 << 16


class NotAHistogram(ValueError):
    """The bytes are not a V2 compressed histogram; the message says why."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram: its non-empty cells, in rising order.

    `least` and `greatest` are the ends of each cell (int64, in the recorded unit); `counts` has the
    number of values in each cell.
    """

    least: npt.NDArray[np.int64]
    greatest: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @cached_property
    def cumulative_counts(self) -> npt.NDArray[np.int64]:
        """The number of values in each cell and all cells below it."""
        return np.cumsum(self.counts)

    @property
    def total(self) -> int:
        return int(self.cumulative_counts[-1]) if len(self.cumulative_counts) else 0

    @property
    def max(self) -> int | None:
        """The upper end of the highest cell; None if the histogram is empty."""
        return int(self.greatest[-1]) if len(self.greatest) else None

    @property
    def mean(self) -> float | None:
        """The mean of the values, each taken as the middle of its cell; None if the histogram is
        empty."""
        total = self.total
        if total == 0:
            return None
        return float(((self.least + self.greatest) / 2 @ self.counts) / total)

    def value_at(self, share: float) -> int | None:
        """The percentile of `share` (0 to 1), as the upper end of its cell, like HdrHistogram's
        percentiles; None if the histogram is empty."""
        if not 0 <= share <= 1:
            raise ValueError(
                f"a percentile must be given as a fraction from 0 to 1, not as {share}"
            )
        total = self.total
        if total == 0:
            return None
        # Binary rounding errors must not turn a share of 0.999 of 1,000 values into rank 1,000.
        return self.value_at_rank(max(1, math.ceil(math.nextafter(share * total, 0))))

    def value_at_rank(self, rank: int) -> int:
        """The value with this rank (1 to `total`), taken as the upper end of its cell."""
        return int(self.greatest[self.cumulative_counts.searchsorted(rank)])

    @classmethod
    def of_values(cls, values: npt.ArrayLike) -> Histogram:
        """A histogram in which each value has its own cell."""
        found, counts = np.unique(np.asarray(values, dtype=np.int64), return_counts=True)
        return cls(found, found, counts)

    @classmethod
    def merged(cls, histograms: Iterable[Histogram]) -> Histogram:
        """The sum of histograms that were recorded with the same precision; of one, itself."""
        parts = list(histograms)
        if not parts:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing, nothing)
        if len(parts) == 1:
            return parts[0]
        least, place = np.unique(
            np.concatenate([part.least for part in parts]), return_inverse=True
        )
        counts = np.zeros(len(least), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([part.counts for part in parts]))
        greatest = np.zeros(len(least), dtype=np.int64)
        greatest[place] = np.concatenate([part.greatest for part in parts])
        return cls(least, greatest, counts)

    @classmethod
    def decoded(cls, text: str) -> Histogram:
        """The histogram in the last column of an interval's line (Base64). Raises NotAHistogram."""
        header, body = _unpacked(text)
        _, _, offset, digits, lowest, highest, _ = header
        if offset != 0:
            raise NotAHistogram(
                "the histogram has a normalizing index offset, which runfair cannot read"
            )
        if not 0 <= digits <= _MOST_DIGITS:
            raise NotAHistogram(
                f"the histogram states {digits} significant digits, which is not possible"
            )
        if not 1 <= lowest <= highest // 2:
            raise NotAHistogram(
                f"the histogram states a range from {lowest} to {highest}, which is not possible"
            )
        cells = list(_cells(body))
        index = np.array([cell for cell, _ in cells], dtype=np.int64)
        counts = np.array([count for _, count in cells], dtype=np.int64)
        least, width = ranges(index, digits, lowest)
        return cls(least, least + width - 1, counts)


def _unpacked(text: str) -> tuple[tuple[int, int, int, int, int, int, float], bytes]:
    """The header, and the bytes of the counts."""
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NotAHistogram("not Base64") from None
    if len(packed) < _OUTER.size:
        raise NotAHistogram("too short")
    cookie, length = _OUTER.unpack_from(packed)
    if cookie & ~_WORD_SIZE_BITS != _COMPRESSED_COOKIE:
        raise NotAHistogram("the histogram is not in the compressed V2 format")
    if length != len(packed) - _OUTER.size:
        raise NotAHistogram("the histogram is incomplete, or is followed by other bytes")
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed[_OUTER.size :], _MOST_BYTES)
    except zlib.error:
        raise NotAHistogram("the compressed part of the histogram is damaged") from None
    if not inflater.eof:
        raise NotAHistogram("the compressed part of the histogram is incomplete or too large")
    if len(content) < _HEADER.size:
        raise NotAHistogram("too short")
    header = _HEADER.unpack_from(content)
    if header[0] & ~_WORD_SIZE_BITS != _COOKIE:
        raise NotAHistogram("the histogram is not in the V2 format")
    if header[1] != len(content) - _HEADER.size:
        raise NotAHistogram("the counts of the histogram are incomplete")
    return header, content[_HEADER.size :]


def _cells(body: bytes) -> Iterator[tuple[int, int]]:
    """The index and count of each non-empty cell. In the encoding, a positive number is the count
    of a cell; a negative number −n stands for n empty cells."""
    index = 0
    for number in _numbers(body):
        if number < 0:
            index -= number
        else:
            if number:
                yield index, number
            index += 1
        if index > _MOST_CELLS:
            raise NotAHistogram("the histogram has more cells than the HdrHistogram format allows")


def _numbers(body: bytes) -> Iterator[int]:
    """The numbers of a ZigZag LEB128 encoding. A number takes at most 9 bytes, and the ninth byte
    holds 8 bits."""
    value = shift = 0
    for byte in body:
        if shift == 56:
            value |= byte << shift
        else:
            value |= (byte & 0x7F) << shift
            if byte & 0x80:
                shift += 7
                continue
        yield (value >> 1) ^ -(value & 1)
        value = shift = 0
    if shift:
        raise NotAHistogram("the counts of the histogram end in the middle of a number")


def ranges(
    index: npt.NDArray[np.int64], digits: int, lowest: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The least value and the width of each cell with one of these indices."""
    unit_magnitude = lowest.bit_length() - 1
    # Cells of width 1 up to twice the power of ten give that many digits (AbstractHistogram.init).
    half_magnitude = max(1, (2 * 10**digits - 1).bit_length()) - 1
    half = 1 << half_magnitude
    bucket = (index >> half_magnitude) - 1
    within = (index & (half - 1)) + half
    first = bucket < 0
    within = np.where(first, within - half, within)
    shift = np.where(first, 0, bucket) + unit_magnitude
    if len(shift) and int(shift.max()) + half_magnitude + 1 > 63:
        raise NotAHistogram("the histogram contains values of more than 64 bits")
    return within << shift, np.int64(1) << shift


Quantity = Literal["latency", "queue_wait", "send_lag", "service_time"]
QUANTITIES: tuple[Quantity, ...] = ("latency", "queue_wait", "send_lag", "service_time")

_FORMAT = "#[Histogram log format version 1.3]"
_LEGEND = '"StartTimestamp"'
_REMEDY = "restore the file from a copy, or measure again"
_LINE = re.compile(
    r"Tag=(?P<warmup>warmup\.)?(?P<quantity>\w+),(?P<start>\d+(?:\.\d+)?),"
    r"(?P<length>\d+(?:\.\d+)?),\d+(?:\.\d+)?,(?P<histogram>[A-Za-z0-9+/=]+)",
    re.ASCII,
)


@dataclass(frozen=True)
class Interval:
    """The values of one quantity in one interval. Instants are counted from the load's start.

    `warmup`: the values belong to requests that were due in the warm-up.
    """

    quantity: Quantity
    warmup: bool
    start_ns: int
    length_ns: int
    histogram: Histogram


def read_intervals(path: Path) -> Iterator[Interval]:
    """The intervals in the order of the file, which is sorted by time. A quantity without values in
    an interval has no line.

    Raises BrokenLoadFile if a line cannot be read, and names the line. No line is skipped.
    """
    try:
        with path.open(encoding="ascii") as file:
            for number, line in enumerate(file, 1):
                if number == 1 and line.rstrip("\n") != _FORMAT:
                    raise BrokenLoadFile(
                        path, "line 1: the file is not an interval log of format 1.3"
                    )
                if not line.startswith(("#", _LEGEND)):
                    yield _interval(path, number, line)
    except OSError as error:
        raise BrokenLoadFile(path, f"the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BrokenLoadFile(path, f"the file cannot be read ({error})") from None


def merged(
    intervals: Iterable[Interval], quantity: Quantity, *, warmup: bool | None = None
) -> Histogram:
    """All values of a quantity. `warmup` selects the values of the warm-up (True), the values after
    it (False), or both (None)."""
    return Histogram.merged(
        interval.histogram
        for interval in intervals
        if interval.quantity == quantity and warmup in (None, interval.warmup)
    )


def _interval(path: Path, number: int, line: str) -> Interval:
    found = _LINE.fullmatch(line.removesuffix("\n"))
    if found is None or not line.endswith("\n"):
        raise BrokenLoadFile(
            path,
            f"line {number}: this line is incomplete, or describes no interval; {_REMEDY}",
        )
    quantity = next((each for each in QUANTITIES if each == found["quantity"]), None)
    if quantity is None:
        raise BrokenLoadFile(
            path, f"line {number}: the quantity {found['quantity']} is unknown; {_REMEDY}"
        )
    try:
        histogram = Histogram.decoded(found["histogram"])
    except NotAHistogram as error:
        raise BrokenLoadFile(
            path, f"line {number}: the histogram is damaged ({error}); {_REMEDY}"
        ) from None
    return Interval(
        quantity=quantity,
        warmup=found["warmup"] is not None,
        start_ns=_nanoseconds(found["start"]),
        length_ns=_nanoseconds(found["length"]),
        histogram=histogram,
    )


def _nanoseconds(seconds: str) -> int:
    return round(Decimal(seconds).scaleb(9))
