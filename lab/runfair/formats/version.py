"""Order of version strings."""

from __future__ import annotations

import re


def version_key(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Sorts 3.9 before 3.10, and a pre-release (1.27rc1, 1.97.0-nightly) before its release."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = match.group() if match else "0"
    rest = version[match.end() :] if match else version
    release = [int(part) for part in numbers.split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), not rest, rest


def at_least(version: str, minimum: str) -> bool:
    """Whether a version is the minimum or newer."""
    return version_key(version)[0] >= version_key(minimum)[0]
