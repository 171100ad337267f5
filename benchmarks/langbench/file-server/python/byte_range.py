"""A range of bytes of a file (RFC 9110, section 14)."""

from __future__ import annotations

import re
from typing import Optional, Tuple

from .failure import Failure

RANGE = re.compile(r"bytes=(?:([0-9]+)-([0-9]*)|-([0-9]+))")
MOST_DIGITS = 15
BEYOND_ANY_FILE = 10**15


def requested_range(asked: Optional[str], size: int) -> Optional[Tuple[int, int]]:
    """The first byte and the number of bytes of the requested range; None stands for the whole
    file. Raises Failure if the range lies outside of the file."""
    parts = RANGE.fullmatch(asked) if asked is not None and size > 0 else None
    if parts is None:
        return None
    first, last, suffix = parts.groups()
    if suffix is not None:
        count = min(number(suffix), size)
        if count == 0:
            raise Failure(416, f"Content-Range: bytes */{size}")
        return size - count, count
    begin = number(first)
    end = number(last) if last else size - 1
    if last and end < begin:
        return None
    if begin >= size:
        raise Failure(416, f"Content-Range: bytes */{size}")
    return begin, min(end, size - 1) - begin + 1


def number(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else BEYOND_ANY_FILE
