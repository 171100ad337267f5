"""One direction of a TCP connection put in order again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# Held for a segment that is still missing. A sender's own retransmission comes within a window;
# what is not there by then was never captured.
MOST_HELD_SEGMENTS = 64
MOST_HELD_BYTES = 1 << 19

_CIRCLE = 1 << 32


class Piece(NamedTuple):
    """Bytes in order; `missing` bytes before them are not in the capture."""

    at_ns: int | None
    data: bytes
    missing: int


class Reassembly:
    """Orders segments by their sequence numbers, which wrap at 2³² (RFC 9293, section 3.4)."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._held: dict[int, tuple[int | None, bytes]] = {}

    def opened(self, sequence: int) -> None:
        """A SYN: its own number counts as one byte."""
        self._next = (sequence + 1) % _CIRCLE

    def add(self, sequence: int, data: bytes, at_ns: int | None) -> Iterator[Piece]:
        """What a segment lets be read; retransmitted bytes are passed over."""
        if self._next is None:
            self._next = sequence
        if not data:
            return
        if self._ahead(sequence) + len(data) <= 0:
            return
        before = self._held.get(sequence)
        if before is None or len(before[1]) < len(data):
            self._held[sequence] = (at_ns, data)
        yield from self._in_order()
        while self._too_much():
            yield from self._over_the_gap()

    def reached(self, sequence: int) -> bool:
        """Whether all bytes before a number were given."""
        return self._next is not None and self._ahead(sequence % _CIRCLE) <= 0

    def end(self) -> Iterator[Piece]:
        """All that is still held; nothing more will come."""
        while self._held:
            yield from self._over_the_gap()

    def _ahead(self, sequence: int) -> int:
        """How far a number is ahead of the next one, or behind it (negative)."""
        assert self._next is not None
        return (sequence - self._next + _CIRCLE // 2) % _CIRCLE - _CIRCLE // 2

    def _in_order(self, missing: int = 0) -> Iterator[Piece]:
        while self._held:
            sequence = min(self._held, key=self._ahead)
            ahead = self._ahead(sequence)
            if ahead > 0:
                return
            at_ns, data = self._held.pop(sequence)
            if len(data) + ahead > 0:
                assert self._next is not None
                self._next = (self._next + len(data) + ahead) % _CIRCLE
                yield Piece(at_ns, data[-ahead:], missing)
                missing = 0

    def _over_the_gap(self) -> Iterator[Piece]:
        first = min(self._held, key=self._ahead)
        missing = self._ahead(first)
        self._next = first
        yield from self._in_order(missing)

    def _too_much(self) -> bool:
        return len(self._held) > MOST_HELD_SEGMENTS or (
            sum(len(data) for _, data in self._held.values()) > MOST_HELD_BYTES
        )
