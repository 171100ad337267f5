"""Lines and columns of V8's positions, which count UTF-16 units from the script's begin."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from runfair.probing.checks.listing import Function

UTF_16_BYTES = 2


def line_and_column(function: Function, position: int) -> tuple[int | None, int | None]:
    """The line and the column of a position, both from 1. (None, None) if the script's file is
    missing, or does not contain the function's text where V8 says it is."""
    script = _script(function.path)
    begin = UTF_16_BYTES * function.start
    if script is None or not script.startswith(function.text.encode("utf-16-le"), begin):
        return None, None
    before = script[: UTF_16_BYTES * position].decode("utf-16-le", "replace")
    line_start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before) - line_start + 1


@lru_cache(maxsize=64)
def _script(path: str) -> bytes | None:
    """The script in UTF-16; None if it is not a readable file."""
    file = unquote(urlsplit(path).path) if path.startswith("file://") else path
    try:
        return Path(file).read_bytes().decode("utf-8").encode("utf-16-le")
    except (OSError, ValueError):
        return None
