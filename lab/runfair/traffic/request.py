"""One request as a capture holds it, and what its request line or address asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    host: str | None


def target_of(text: str) -> Target | None:
    """The target of a request line (RFC 9112, section 3.2) or of an address; None for targets that
    are not sent to an origin server by HTTP: `*`, `host:port`, data: and other schemes. User names
    and passwords of an address are left out, as is its fragment."""
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


Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """`path` is the origin form with its query; `headers` are in the order of the capture, with a
    `Host` where the capture names one. Bytes that are not UTF-8 stand as lone surrogates (PEP 383).

    None stands for what the capture does not contain; a `body` of b"" is known to be empty. `at_ns`
    is when the request began, from the epoch; `answer_bytes` are of the answer's body.
    """

    at_ns: int | None
    method: str
    path: str
    headers: Headers = ()
    body: bytes | None = b""
    status: int | None = None
    answer_bytes: int | None = None
    duration_ns: int | None = None

    @property
    def host(self) -> str | None:
        return next((value for name, value in self.headers if name.lower() == "host"), None)

    @property
    def size_bytes(self) -> int | None:
        """The size of path and body, without headers: a conversion drops some of these on
        purpose."""
        return None if self.body is None else len(self.path) + len(self.body)
