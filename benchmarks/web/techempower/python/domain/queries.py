"""The number of queries that a request asks for."""

from __future__ import annotations

import re

MOST = 500
WHOLE_NUMBER = re.compile("-?[0-9]+")


def count(text: str) -> int:
    """The number of queries that a text states; 1 for a text that is not a whole number."""
    # A float, because int refuses a text of more than 4,300 digits.
    return int(max(1, min(float(text), MOST))) if WHOLE_NUMBER.fullmatch(text) else 1
