"""One request as a capture holds it."""

from __future__ import annotations

from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CapturedRequest:
    """`path` is the origin form with its query; `headers` are in the order of the capture, with a
    `Host` where the capture names one. Bytes that are not UTF-8 stand as lone surrogates (PEP 383).

    None is what the capture does not tell; a `body` of b"" is known to be empty. `at_ns` is when
    the request began, from the epoch; `answer_bytes` are of the answer's body.
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
        """Of path and body; headers stay out, since a conversion drops some of them on purpose."""
        return None if self.body is None else len(self.path) + len(self.body)
