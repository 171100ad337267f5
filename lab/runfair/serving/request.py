"""One request of a traffic file. The request is sent outside of loads, to check whether a service
answers correctly.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runfair.errors import UserMistake
from runfair.formats.service import Protocol
from runfair.serving.address import Address
from runfair.serving.http2_client import asked_by_http2

Status = int | tuple[int, ...] | str
"""The allowed status, the allowed statuses, or their class (`2xx`); 0 allows any status below
400."""


@dataclass(frozen=True)
class CheckedRequest:
    """A request, and the rules for its right answer. If `protocol` is gRPC, the bodies of request
    and answer are messages without their prefix, and the gRPC status must be OK."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    status: Status = 0
    sha256: str | None = None
    protocol: Protocol = "http"

    @classmethod
    def first_of(cls, traffic: Path, protocol: Protocol = "http") -> CheckedRequest | None:
        """The first request of a traffic file that has no fields to be filled in."""
        return next(cls._read(traffic, protocol), None)

    @classmethod
    def check(cls, traffic: Path, protocol: Protocol = "http") -> None:
        """Raises UserMistake for the first line that is not a request, before a load fails because
        of it.
        """
        for _ in cls._read(traffic, protocol):
            pass

    @classmethod
    def all_of(cls, traffic: Path, protocol: Protocol = "http") -> list[CheckedRequest]:
        """Every request of a traffic file that has no fields to be filled in."""
        return list(cls._read(traffic, protocol))

    @classmethod
    def _read(cls, traffic: Path, protocol: Protocol) -> Iterator[CheckedRequest]:
        with traffic.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and b"${" not in line:
                    try:
                        yield cls._of(json.loads(line.decode("utf-8")), protocol)
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        what = f"{type(error).__name__}: {error}"
                        raise UserMistake(
                            f"{traffic}:{number}: this line is not a valid request ({what}); "
                            "loadgen/schemas/traffic.schema.json describes valid requests"
                        ) from None

    @classmethod
    def _of(cls, line: dict[str, Any], protocol: Protocol) -> CheckedRequest:
        headers = dict(_pairs(line.get("headers")))
        if "body_json" in line and "content-type" not in map(str.lower, headers):
            headers["content-type"] = "application/json"
        expected = line.get("expect") or {}
        status = expected.get("status") or 0
        if isinstance(status, list):
            status = tuple(status)
        _allowed(status)  # so that a malformed class is refused here
        return cls(
            method=line.get("method") or "GET",
            path=line["path"],
            headers=headers,
            body=_body(line),
            status=status,
            sha256=expected.get("body_sha256"),
            protocol=protocol,
        )

    def asked(self, address: Address, timeout_s: float) -> str | None:
        """Sends the request. Returns None if the answer is right, otherwise a text that says what
        is wrong. Raises OSError or HTTPException if there is no answer.
        """
        if self.protocol != "http":
            return self._asked_by_http2(address, timeout_s)
        kind = http.client.HTTPSConnection if address.tls else http.client.HTTPConnection
        connection = kind(address.host, address.port, timeout=timeout_s)
        try:
            connection.request(self.method, self.path, self.body, self.headers)
            answer = connection.getresponse()
            body = answer.read()
        except http.client.RemoteDisconnected:
            raise
        except http.client.BadStatusLine as error:
            raise http.client.HTTPException(_not_http1(str(error))) from None
        finally:
            connection.close()
        return self._judged(answer.status, answer.headers.get("location"), body)

    def _asked_by_http2(self, address: Address, timeout_s: float) -> str | None:
        headers, body = list(self.headers.items()), self.body
        if self.protocol == "grpc":
            headers += [("te", "trailers"), ("content-type", "application/grpc")]
            body = _PREFIX.pack(0, len(body or b"")) + (body or b"")
        answer = asked_by_http2(address, self.method, self.path, headers, body, timeout_s)
        if self.protocol == "grpc" and answer.status == 200:
            wrong = self._wrong_call(answer.fields, answer.body)
            if wrong:
                return f"{self.method} {self.path} was answered {wrong}"
            return self._judged(200, None, answer.body[_PREFIX.size :])
        return self._judged(answer.status, answer.fields.get("location"), answer.body)

    def _wrong_call(self, fields: Mapping[str, str], body: bytes) -> str | None:
        """What is wrong with the answer to a gRPC call, apart from the message's content."""
        status = fields.get("grpc-status")
        if status is None:
            return "without a gRPC status"
        if status != "0":
            return f"with the gRPC status {status} ({fields.get('grpc-message', '')})"
        if len(body) < _PREFIX.size:
            return "with the gRPC status OK, but without a response message"
        compressed, length = _PREFIX.unpack_from(body)
        if compressed or length != len(body) - _PREFIX.size:
            return "with a body that is not exactly one uncompressed message"
        return None

    def _judged(self, status: int, location: str | None, body: bytes) -> str | None:
        asked = f"{self.method} {self.path}"
        if status not in _allowed(self.status):
            wanted = str(self.status) if self.status else "less than 400"
            if isinstance(self.status, tuple):
                wanted = " or ".join(map(str, self.status))
            to = f" (to {location})" if location else ""
            return f"{asked} was answered with status {status}{to}, but {wanted} was expected"
        if self.sha256 is not None and hashlib.sha256(body).hexdigest() != self.sha256:
            return (
                f"{asked} was answered by the body {body[:80]!r}, which differs from the right body"
            )
        return None


def _allowed(wanted: Status) -> Collection[int]:
    if isinstance(wanted, tuple):
        return wanted
    if isinstance(wanted, str):
        if not re.fullmatch("[2-5][xX]{2}", wanted):
            raise ValueError(f"{wanted!r} is not a class of statuses, such as 2xx")
        hundreds = 100 * int(wanted[0])
        return range(hundreds, hundreds + 100)
    return (wanted,) if wanted else range(400)


# Whether a message is compressed, and its length (gRPC over HTTP/2).
_PREFIX = struct.Struct(">BI")


# The type of the frame with which a server begins HTTP/2 (RFC 9113, sections 3.4 and 6.5).
_SETTINGS = "\x04"


def _not_http1(line: str) -> str:
    """What is wrong with a server whose answer begins with this line."""
    by = "HTTP/2" if line[3:4] == _SETTINGS else repr(line[:40])
    return f"the server does not speak HTTP/1.1, because its answer began with {by}"


def _pairs(headers: Any) -> list[tuple[str, str]]:
    if headers is None:
        return []
    return list(headers.items()) if isinstance(headers, dict) else [(n, v) for n, v in headers]


def _body(line: dict[str, Any]) -> bytes | None:
    if line.get("body_base64") is not None:
        return base64.b64decode(line["body_base64"])
    if "body_json" in line:
        return json.dumps(line["body_json"], separators=(",", ":"), sort_keys=True).encode()
    return None if line.get("body") is None else str(line["body"]).encode()
