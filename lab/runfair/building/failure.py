"""The ways in which a program cannot be had for a variant, or its input not be used."""

from __future__ import annotations

from runfair.errors import UserMistake


class Unsupported(Exception):
    """This runtime cannot do what is asked of it; `reason` says why, in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BuildFailed(UserMistake):
    """A build that should have worked did not; the message names its log."""


class TickRefused(BuildFailed):
    """A line marked as a tick that counts otherwise than a tick may; names file and line."""


class InputBroken(UserMistake):
    """An input that is not there, cannot be made, or is not what it was: its cells cannot be
    measured, others can."""
