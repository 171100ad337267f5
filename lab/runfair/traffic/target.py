"""What a request line or an address asks for: a path in origin form, and a host if it names one."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    host: str | None


def target_of(text: str) -> Target | None:
    """The target of a request line (RFC 9112, section 3.2) or of an address; None for what is not
    sent to an origin server by HTTP: `*`, `host:port`, data: and other schemes. User names and
    passwords of an address are left out, as is its fragment."""
    text = text.split("#", 1)[0]
    if text.startswith("/"):
        return Target(text, None)
    found = _ABSOLUTE.fullmatch(text)
    if found is None:
        return None
    authority, rest = found[2].rpartition("@")[2], found[3]
    if not authority:
        return None
    return Target(rest if rest.startswith("/") else f"/{rest}", authority)
