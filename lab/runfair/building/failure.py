"""The ways in which a program cannot be had for a variant, or its input not be used."""

from __future__ import annotations

from pathlib import Path

from runfair.building.passing_reason import passing_reason
from runfair.errors import UserMistake


class Unsupported(Exception):
    """This runtime cannot do what is asked of it; `reason` says why, in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BuildFailed(UserMistake):
    """A build that should have worked did not; the message names its log."""


class BuildHindered(BuildFailed):
    """A build that failed for a passing reason (network, registry, disk), which says nothing of the
    program or its runtime. `line` is the tool's own error line."""

    def __init__(self, message: str, line: str) -> None:
        super().__init__(message)
        self.line = line


def build_failed(message: str, log: Path, cause: BuildFailed) -> BuildFailed:
    """The failure of a build, by its `cause` and log: a BuildHindered if the reason passes."""
    line = cause.line if isinstance(cause, BuildHindered) else passing_reason(log)
    if line is None:
        return BuildFailed(f"{message}: {cause}; see {log}")
    return BuildHindered(f"{message}: {line}; see {log}", line)


class TickRefused(BuildFailed):
    """A line marked as a tick that counts otherwise than a tick may; names file and line."""


class InputBroken(UserMistake):
    """An input that is not there, cannot be made, or is not what it was: its cells cannot be
    measured, others can."""
