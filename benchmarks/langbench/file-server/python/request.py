"""A request: its lines, and their meaning for the connection."""

from __future__ import annotations

import re
from typing import Dict, Mapping, Tuple

from .failure import Failure

MOST_BODY_BYTES = 65_536
LONGEST_LENGTH = 15  # digits; a longer number is always too large

REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/([0-9])\.([0-9])")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)")
HOST = re.compile(r"[A-Za-z0-9._~%!$&'()*+;=:\[\]-]*")
DIGITS = re.compile(r"[0-9]+")


class Request:
    """A request that was read from a connection."""

    __slots__ = ("headers", "method", "minor", "persistent", "target")

    def __init__(self, method: str, target: str, minor: int, headers: Mapping[str, str]) -> None:
        self.method = method
        self.target = target
        self.minor = minor
        self.headers = headers
        self.persistent = persistent(headers.get("connection", ""), minor)


def request_line(line: bytes) -> Tuple[str, str, int]:
    """The method, the target, and the second digit of the version. Raises Failure if the line is
    invalid."""
    parts = REQUEST_LINE.fullmatch(line)
    if parts is None:
        raise Failure(400)
    method, target, major, minor = parts.groups()
    if major != b"1":
        raise Failure(505)
    return method.decode("ascii"), target.decode("ascii"), 0 if minor == b"0" else 1


def add_field(headers: Dict[str, str], line: bytes) -> None:
    """Adds a header field. Raises Failure if the field is invalid."""
    parts = FIELD.fullmatch(line)
    if parts is None:
        raise Failure(400)
    name = parts[1].decode("ascii").lower()
    value = parts[2].strip(b" \t").decode("latin-1")
    headers[name] = f"{headers[name]},{value}" if name in headers else value


def body_length(headers: Mapping[str, str], minor: int) -> int:
    """The number of bytes after the headers. Raises Failure if the headers are contradictory."""
    if "host" not in headers and minor == 1:
        raise Failure(400)
    if not HOST.fullmatch(headers.get("host", "")):
        raise Failure(400)
    if "transfer-encoding" in headers:
        raise Failure(400 if "content-length" in headers else 411)
    length = headers.get("content-length", "0")
    if not DIGITS.fullmatch(length):
        raise Failure(400)
    if len(length) > LONGEST_LENGTH or int(length) > MOST_BODY_BYTES:
        raise Failure(413)
    if "expect" in headers and minor == 1:
        raise Failure(417)
    return int(length)


def persistent(connection: str, minor: int) -> bool:
    """Whether another request may follow on the connection."""
    tokens = [token.strip(" \t").lower() for token in connection.split(",")]
    return "close" not in tokens and (minor == 1 or "keep-alive" in tokens)
