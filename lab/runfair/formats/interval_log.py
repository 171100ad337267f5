"""A writer of interval logs, as the load generator writes them (`loadgen/src/recording`): for each
interval and quantity a line with an HdrHistogram in the V2 compressed form. `histogram` reads
them."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from runfair.formats.histogram import Quantity

IntArray = npt.NDArray[np.int64]

# The cookies of the V2 encoding, with a word size of 1 byte.
_COOKIE = 0x1C849313
_COMPRESSED_COOKIE = 0x1C849314
_DIGITS = 3
# Cells of width 1 up to 2,048 give three digits; each further bucket has 1,024 cells.
_HALF_BITS = 10
_HIGHEST = (1 << 62) - 1
_LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def write_intervals(
    path: Path,
    started_realtime_ns: int,
    interval_ns: int,
    quantities: Mapping[Quantity, tuple[IntArray, IntArray]],
) -> None:
    """Writes the values of each quantity, given as the instants at which they were known (in
    nanoseconds from the load's start) and the values in nanoseconds."""
    seconds = started_realtime_ns / 1e9
    lines = [
        "#[Histogram log format version 1.3]",
        "#[values in ns; Interval_Max in ms]",
        f"#[BaseTime: {seconds:.3f} (seconds since epoch)]",
        f"#[StartTime: {seconds:.3f} (seconds since epoch)]",
        _LEGEND,
    ]
    rows = [
        (number, place, name, found)
        for place, (name, (at_ns, values)) in enumerate(quantities.items())
        for number, found in _by_interval(at_ns // interval_ns, values)
    ]
    for number, _, name, found in sorted(rows, key=lambda row: row[:2]):
        lines.append(
            f"Tag={name},{number * interval_ns / 1e9:.6f},{interval_ns / 1e9:.6f},"
            f"{int(found.max()) / 1e6:.3f},{encoded(found)}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def encoded(values: IntArray) -> str:
    """The histogram of these values with three digits of precision, in Base64."""
    index, counts = np.unique(cell_of(values), return_counts=True)
    body = bytearray()
    at = 0
    for cell, count in zip(index.tolist(), counts.tolist(), strict=True):
        if cell > at:
            body += _number(at - cell)
        body += _number(count)
        at = cell + 1
    header = struct.pack(">IiiiQQd", _COOKIE, len(body), 0, _DIGITS, 1, _HIGHEST, 1.0)
    packed = zlib.compress(header + bytes(body))
    return base64.b64encode(struct.pack(">Ii", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def cell_of(values: IntArray) -> IntArray:
    """The index of each value's cell."""
    clipped = np.clip(values, 0, _HIGHEST)
    # The exponent of a number's floating-point form may be one too great, because of rounding.
    bits = np.frexp(clipped.astype(np.float64))[1].astype(np.int64)
    bits -= (clipped >> np.maximum(bits - 1, 0)) == 0
    bucket = np.maximum(bits - (_HALF_BITS + 1), 0)
    cells: IntArray = (bucket << _HALF_BITS) + (clipped >> bucket)
    return cells


def _by_interval(numbers: IntArray, values: IntArray) -> Iterator[tuple[int, IntArray]]:
    order = np.argsort(numbers, kind="stable")
    found, first = np.unique(numbers[order], return_index=True)
    yield from zip(found.tolist(), np.split(values[order], first[1:]), strict=True)


def _number(value: int) -> bytes:
    """A number in the ZigZag LEB128 encoding."""
    left = (value << 1) ^ (value >> 63)
    out = bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    out.append(left)
    return bytes(out)
