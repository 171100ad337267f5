"""One request as a capture contains it, and the target of its request line or address."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    host: str | None


def target_of(text: str) -> Target | None:
    """The target of a request line (RFC 9112, section 3.2) or of an address.

    None if the target is not sent to an origin server by HTTP: `*`, `host:port`, data: and other
    schemes. The user name, password and fragment of an address are left out.
    """
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
    """A captured request.

    `path` is the origin form with its query. `headers` are in the capture's order, with a `Host` if
    the capture names one. Bytes that are not UTF-8 are kept as lone surrogates (PEP 383). A value
    is None if the capture does not contain it; a `body` of b"" is known to be empty. `at_ns` is the
    beginning of the request, in nanoseconds since the epoch. `answer_bytes` is the size of the
    answer's body.
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
        """The size of path and body. Headers are excluded, because a conversion drops some of them
        on purpose.
        """
        return None if self.body is None else len(self.path) + len(self.body)
