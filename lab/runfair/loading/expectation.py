"""What an answer has to be to count as good."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runfair.errors import UserMistake

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class Expectation:
    """`status` as the generator reads it: `200`, `200,404` or `2xx`; None leaves its own rule
    (200 to 399). `json_values`: JSON pointer (RFC 6901) → value. The status is checked of every
    answer, the body of `check_share` (0 to 1) of them; beside a traffic file these rules are for
    the requests without rules of their own."""

    status: str | None = None
    body_sha256: str | None = None
    body_contains: str | None = None
    json_values: Mapping[str, Any] = field(default_factory=dict)
    check_share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.check_share <= 1:
            raise UserMistake(f"the share of checked answers is 0 to 1, not {self.check_share:g}")
        if self.body_sha256 is not None and not _SHA256.fullmatch(self.body_sha256):
            raise UserMistake(f"'{self.body_sha256}' is no SHA-256: 64 hexadecimal digits are")
        for pointer in self.json_values:
            if pointer and not pointer.startswith("/"):
                raise UserMistake(f"'{pointer}' is no JSON pointer: one begins with /")

    def arguments(self) -> list[str]:
        # The generator refuses a share of nothing, so that what checks all need not know of it.
        words = [] if self.check_share == 1 else [f"--check-share={self.check_share:.9g}"]
        if self.status is not None:
            words.append(f"--expect-status={self.status}")
        if self.body_sha256 is not None:
            words.append(f"--expect-body-sha256={self.body_sha256}")
        if self.body_contains is not None:
            words.append(f"--expect-body-contains={self.body_contains}")
        words += [
            f"--expect-json={pointer}={json.dumps(value)}"
            for pointer, value in self.json_values.items()
        ]
        return words
