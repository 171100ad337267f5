"""Conversations of clients: those written by hand in conversations.json, and mutations of them."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path
from typing import Any

from .model import Model

FILE = Path(__file__).with_suffix(".json")
SHORT_BYTES = 400
FUZZED = 300
# Pieces that reach the edge cases of a parser more often than random bytes.
PIECES = (b"\r\n", b"\n", b"\r", b"*", b"$", b"-1", b"0", b"1", b"9999999999", b" ", b"\0", b"\xff")


@functools.cache
def conversations() -> list[tuple[str, bytes, bytes]]:
    """The name, the sent bytes and the answer of each conversation. Each character is a byte;
    [text, n] is the text repeated n times."""
    texts = json.loads(FILE.read_text())

    def whole(parts: list[str | list[Any]]) -> bytes:
        texts = (part if isinstance(part, str) else part[0] * part[1] for part in parts)
        return "".join(texts).encode("latin-1")

    return [(each["name"], whole(each["sent"]), whole(each["answered"])) for each in texts]


@functools.cache
def fuzzed() -> list[tuple[bytes, bytes]]:
    """Conversations with a few changed pieces, and the answers that the contract requires."""
    generator = random.Random(5)
    short = [sent for _, sent, _ in conversations() if 0 < len(sent) <= SHORT_BYTES]
    made: list[tuple[bytes, bytes]] = []
    while len(made) < FUZZED:
        mutated = b"".join(generator.choices(short, k=generator.randint(1, 3)))
        for _ in range(generator.randint(1, 4)):
            at, length = generator.randrange(len(mutated)), generator.choice((0, 0, 1, 2, 8))
            piece = generator.choice((*PIECES, bytes([generator.randrange(256)])))
            mutated = mutated[:at] + piece + mutated[at + length :]
        if b"info" not in mutated.lower():
            made.append((mutated, Model(rows=7).converse(mutated)))
    assert sum(b"-ERR Protocol error" in answered for _, answered in made) > FUZZED // 4
    assert sum(b"-ERR" not in answered for _, answered in made) > FUZZED // 20
    return made
