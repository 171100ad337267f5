"""One request of a traffic file. The request is sent outside of loads, to check whether a service
answers correctly.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runfair.errors import UserMistake
from runfair.serving.address import Address


@dataclass(frozen=True)
class CheckedRequest:
    """A request, and the rules for its right answer. A status of 0 allows any status below 400."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    status: int = 0
    sha256: str | None = None

    @classmethod
    def first_of(cls, traffic: Path) -> CheckedRequest | None:
        """The first request of a traffic file that has no fields to be filled in."""
        return next(cls._read(traffic), None)

    @classmethod
    def check(cls, traffic: Path) -> None:
        """Raises UserMistake for the first line that is not a request, before a load fails because
        of it.
        """
        for _ in cls._read(traffic):
            pass

    @classmethod
    def all_of(cls, traffic: Path) -> list[CheckedRequest]:
        """Every request of a traffic file that has no fields to be filled in."""
        return list(cls._read(traffic))

    @classmethod
    def _read(cls, traffic: Path) -> Iterator[CheckedRequest]:
        with traffic.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and b"${" not in line:
                    try:
                        yield cls._of(json.loads(line.decode("utf-8")))
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        what = f"{type(error).__name__}: {error}"
                        raise UserMistake(
                            f"{traffic}:{number}: not a valid request ({what}): write it "
                            "as loadgen/schemas/traffic.schema.json says"
                        ) from None

    @classmethod
    def _of(cls, line: dict[str, Any]) -> CheckedRequest:
        headers = dict(_pairs(line.get("headers")))
        if "body_json" in line and "content-type" not in map(str.lower, headers):
            headers["content-type"] = "application/json"
        expected = line.get("expect") or {}
        status = expected.get("status")
        return cls(
            method=line.get("method") or "GET",
            path=line["path"],
            headers=headers,
            body=_body(line),
            status=status if isinstance(status, int) else 0,
            sha256=expected.get("body_sha256"),
        )

    def asked(self, address: Address, timeout_s: float) -> str | None:
        """Sends the request. Returns None if the answer is right, otherwise a text that says what
        is wrong. Raises OSError or HTTPException if there is no answer.
        """
        kind = http.client.HTTPSConnection if address.tls else http.client.HTTPConnection
        connection = kind(address.host, address.port, timeout=timeout_s)
        try:
            connection.request(self.method, self.path, self.body, self.headers)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        return self._judged(answer.status, answer.headers.get("location"), body)

    def _judged(self, status: int, location: str | None, body: bytes) -> str | None:
        asked = f"{self.method} {self.path}"
        wanted = str(self.status) if self.status else "less than 400"
        if self.status not in (0, status) or (self.status == 0 and status >= 400):
            to = f" (to {location})" if location else ""
            return f"{asked} was answered with status {status}{to}, but {wanted} was expected"
        if self.sha256 is not None and hashlib.sha256(body).hexdigest() != self.sha256:
            return (
                f"{asked} was answered by a body that differs from the canonical body: "
                f"{body[:80]!r}"
            )
        return None


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
