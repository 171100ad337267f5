"""The exceptions that are raised if a program cannot be built for a variant, or if its input cannot
be used."""

from __future__ import annotations

import re
from pathlib import Path

from runfair.errors import UserMistake


class Unsupported(Exception):
    """The runtime does not support the request. `reason` says why, in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BuildFailed(UserMistake):
    """A build failed that should have worked. The message names its log."""


class BuildHindered(BuildFailed):
    """A build failed for a transient reason (network, registry, disk). The program and its runtime
    are not the cause. `line` is the line in which the tool reports the error."""

    def __init__(self, message: str, line: str) -> None:
        super().__init__(message)
        self.line = line


def build_failed(message: str, log: Path, cause: BuildFailed) -> BuildFailed:
    """The exception for a failed build, chosen by its `cause` and its log. The exception is a
    BuildHindered if the reason is transient."""
    line = cause.line if isinstance(cause, BuildHindered) else transient_reason(log)
    if line is None:
        wrong = integrity_reason(log)
        said = f"{cause}: {wrong}" if wrong else str(cause)
        return BuildFailed(f"{message}: {said}; see {log}")
    return BuildHindered(f"{message}: {line}; see {log}", line)


class TickRefused(BuildFailed):
    """A line is marked as a tick but is not a valid tick. The message names file and line."""


class InputBroken(UserMistake):
    """An input is missing, cannot be generated, or has changed. Only the cells that use it cannot
    be measured."""


# Messages of resolvers, sockets, TLS, HTTP and file systems, as cargo, go, npm, pip, Maven, Gradle,
# curl and git print them.
TRANSIENT = re.compile(
    r"could not resolve|name resolution|no such host|unknownhost|enotfound|eai_again|dns error"
    r"|connection (?:refused|reset|timed out)|couldn't connect|could not connect|failed to connect"
    r"|network is (?:unreachable|down)|no route to host|econnrefused|econnreset|etimedout"
    r"|i/o timeout|tls handshake timeout|operation timed out|read timed out|spurious network error"
    r"|could not transfer artifact|newconnectionerror|max retries exceeded"
    r"|\b(?:429 too many requests|50[0234] (?:internal server error|bad gateway|service unavailable"
    r"|gateway time-?out))"
    r"|no space left on device|enospc|disk quota exceeded",
    re.IGNORECASE,
)
# Messages of sha256sum, cargo, go, npm and pip if a downloaded file does not have the pinned
# checksum.
NOT_THE_PINNED = re.compile(
    r"checksums? did not match|checksum mismatch|checksum for .* changed|failed to verify the check"
    r"|EINTEGRITY|do not match the hashes",
    re.IGNORECASE,
)
STEP = "$ "
LONGEST = 300


def transient_reason(log: Path) -> str | None:
    """The last line of the failed step that shows a transient reason; None if there is no such
    line.

    Messages of earlier steps are ignored, because these steps succeeded. Tools may also retry, so a
    line is ignored if a compiler's error follows it.
    """
    last = _failed_step(log)
    if any(COMPILED.search(one) for one in last):
        return None
    return _last_of(last, TRANSIENT)


def integrity_reason(log: Path) -> str | None:
    """The last line of the failed step that reports a wrong checksum; None if there is no such
    line."""
    return _last_of(_failed_step(log), NOT_THE_PINNED)


def _failed_step(log: Path) -> list[str]:
    """The output of the last step in the log."""
    if not log.is_file():
        return []
    lines = log.read_text("utf-8", "replace").splitlines()
    begins = max((place for place, one in enumerate(lines) if one.startswith(STEP)), default=-1)
    return lines[begins + 1 :]


def _last_of(lines: list[str], wanted: re.Pattern[str]) -> str | None:
    told = [one.strip() for one in lines if wanted.search(one)]
    return told[-1][:LONGEST] if told else None


COMPILED = re.compile(r"^error\[E\d+\]|^\S+\.\w+:\d+(?::\d+)?: (?:fatal )?error: |: error TS\d+")
"""Patterns of a compiler's error about a program: rustc's errors, errors that name a file and a
line, and tsc's errors."""
