"""Whether a build failed for a reason that passes: network, registry or disk."""

from __future__ import annotations

import re
from pathlib import Path

# What resolvers, sockets, TLS, HTTP and file systems say through cargo, go, npm, pip, Maven,
# Gradle, curl and git.
PASSING = re.compile(
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
STEP = "$ "
LONGEST = 300


def passing_reason(log: Path) -> str | None:
    """The last line of the failed step that tells a passing reason; None where none does.

    Earlier steps went well: what they complained of did not matter. The same is true of tools that
    try again, so what a compiler says after such a line makes it no reason.
    """
    if not log.is_file():
        return None
    lines = log.read_text("utf-8", "replace").splitlines()
    begins = max((place for place, one in enumerate(lines) if one.startswith(STEP)), default=-1)
    last = lines[begins + 1 :]
    if any(COMPILED.search(one) for one in last):
        return None
    told = [one.strip() for one in last if PASSING.search(one)]
    return told[-1][:LONGEST] if told else None


COMPILED = re.compile(r"^error\[E\d+\]|^\S+\.\w+:\d+(?::\d+)?: (?:fatal )?error: |: error TS\d+")
"""A compiler's complaint about a program: rustc's, those that name a file and a line, and tsc's."""
