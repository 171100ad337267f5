"""TCP: reads segments from packets, and puts the bytes of each direction of a connection in order.

Sources: the link layers' types, IPv4 and IPv6 (RFC 791, 8200), TCP (RFC 9293).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from runfair.traffic.packets import Packet
from runfair.traffic.source import Notes

# Link types, from tcpdump.org's registry.
ETHERNET, LINUX_COOKED, LINUX_COOKED_2 = 1, 113, 276
LOOPBACK, OPENBSD_LOOPBACK = 0, 108
RAW = (101, 12, 14, 228, 229)
KNOWN_LINKS = (ETHERNET, LINUX_COOKED, LINUX_COOKED_2, LOOPBACK, OPENBSD_LOOPBACK, *RAW)

IPV4, IPV6 = 0x0800, 0x86DD
VLAN_TAGS = (0x8100, 0x88A8, 0x9100)
TCP = 6
# RFC 8200, section 4: headers that may stand between the IPv6 header and the TCP header.
HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION = 0, 43, 44, 51, 60
FIN, SYN, RST, ACK = 1, 2, 4, 16

FRAGMENTS = "fragments of IP packets were left out"
CUT = (
    "packets are incomplete, because the recording cut them short (tcpdump -s 0 records whole "
    "packets)"
)

Endpoint = tuple[bytes, int]


class Segment(NamedTuple):
    at_ns: int | None
    source: Endpoint
    destination: Endpoint
    sequence: int
    flags: int
    data: bytes


def segment_of(packet: Packet, notes: Notes) -> Segment | None:
    """The TCP segment in a packet; None if the packet contains no TCP segment, or if the segment's
    header is incomplete."""
    if packet.link not in KNOWN_LINKS:
        notes.count(f"packets of the unknown link type {packet.link} were left out")
        return None
    try:
        start = _network(packet)
        found = None if start is None else _transport(packet, start, notes)
    except (struct.error, IndexError):
        found = None
    if packet.cut and (found is None or found.data):
        notes.count(CUT)
    return found


def _network(packet: Packet) -> int | None:
    """The offset of the IP header in a packet."""
    data, link = packet.data, packet.link
    if link in RAW:
        return 0
    if link in (LOOPBACK, OPENBSD_LOOPBACK):
        # The address family is not read, because its number differs between systems; the IP version
        # is enough.
        return 4
    if link == LINUX_COOKED_2:
        return 20 if _kind(data, 0) in (IPV4, IPV6) else None
    at = 12 if link == ETHERNET else 14
    while _kind(data, at) in VLAN_TAGS:
        at += 4
    return at + 2 if _kind(data, at) in (IPV4, IPV6) else None


def _kind(data: bytes, at: int) -> int:
    return int(struct.unpack_from(">H", data, at)[0])


def _transport(packet: Packet, start: int, notes: Notes) -> Segment | None:
    data = packet.data
    version = data[start] >> 4
    if version == 4:
        length, fragment = struct.unpack_from(">2x H 2x H", data, start)
        at, kind = start + 4 * (data[start] & 15), data[start + 9]
        addresses = data[start + 12 : start + 16], data[start + 16 : start + 20]
        fragmented = bool(fragment & 0x3FFF)
    elif version == 6:
        length = struct.unpack_from(">4x H", data, start)[0]
        length += 40 if length else 0
        addresses = data[start + 8 : start + 24], data[start + 24 : start + 40]
        at, kind, fragmented = _after_extensions(data, start + 40, data[start + 6])
    else:
        return None
    if kind != TCP:
        return None
    if fragmented:
        notes.count(FRAGMENTS)
        return None
    # The length is 0 if the network card was supposed to split the packet. Bytes after this length
    # are padding.
    end = min(len(data), start + length) if length else len(data)
    ports_and_sequence = struct.unpack_from(">HHI", data, at)
    source_port, destination_port, sequence = ports_and_sequence
    header = 4 * (data[at + 12] >> 4)
    if header < 20 or at + header > end:
        return None
    return Segment(
        packet.at_ns,
        (addresses[0], source_port),
        (addresses[1], destination_port),
        sequence,
        data[at + 13],
        data[at + header : end],
    )


def _after_extensions(data: bytes, at: int, kind: int) -> tuple[int, int, bool]:
    fragmented = False
    while kind in (HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION):
        if kind == FRAGMENT:
            # A fragment has an offset or the flag "more fragments". If a packet has neither, it is
            # complete (RFC 6946).
            fragmented = fragmented or bool(struct.unpack_from(">H", data, at + 2)[0] & 0xFFF9)
            length = 8
        elif kind == AUTHENTICATION:
            length = 4 * (data[at + 1] + 2)
        else:
            length = 8 * (data[at + 1] + 1)
        kind, at = data[at], at + length
    return at, kind, fragmented


# The greatest number of bytes that are held while a segment is missing. A retransmission arrives
# within one window. If the segment is still missing then, it was never captured.
MOST_HELD_SEGMENTS = 64
MOST_HELD_BYTES = 1 << 19

_CIRCLE = 1 << 32


class Piece(NamedTuple):
    """A sequence of bytes in order. `missing` is the number of bytes before it that are not in the
    capture."""

    at_ns: int | None
    data: bytes
    missing: int


class Reassembly:
    """Orders segments by their sequence numbers, which wrap at 2³² (RFC 9293, section 3.4)."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._held: dict[int, tuple[int | None, bytes]] = {}

    def opened(self, sequence: int) -> None:
        """Notes a SYN, whose own sequence number counts as one byte."""
        self._next = (sequence + 1) % _CIRCLE

    def add(self, sequence: int, data: bytes, at_ns: int | None) -> Iterator[Piece]:
        """The pieces of bytes that can be read after this segment. Retransmitted bytes are
        skipped."""
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
        """Whether all bytes before a sequence number were returned."""
        return self._next is not None and self._ahead(sequence % _CIRCLE) <= 0

    def end(self) -> Iterator[Piece]:
        """The pieces that are still held, at the end of the connection."""
        while self._held:
            yield from self._over_the_gap()

    def _ahead(self, sequence: int) -> int:
        """The distance of a sequence number from the next expected number; negative if the number
        lies before the expected."""
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
