"""The two ways in which a program cannot be had for a variant."""

from __future__ import annotations

from runfair.errors import UserMistake


class Unsupported(Exception):
    """This runtime cannot do what is asked of it; `reason` says why, in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BuildFailed(UserMistake):
    """A build that should have worked did not; the message names its log."""
