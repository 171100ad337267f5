"""A reader of packets from pcap and pcapng files.

Sources: draft-ietf-opsawg-pcap (the magic number shows byte order and unit of time);
draft-ietf-opsawg-pcapng (blocks; each interface has its own unit of time).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from runfair.traffic.request import NS_PER_S, plausible
from runfair.traffic.source import Notes

PCAP_UNITS_NS = {
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\x3c\x4d": (">", 1),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
}
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
BYTE_ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}

# 64 times libpcap's own limit (MAXIMUM_SNAPLEN); a greater number cannot be a length
LARGEST_RECORD = 1 << 24

INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 1, 2, 3, 6
END_OF_OPTIONS, TIME_RESOLUTION, TIME_OFFSET = 0, 9, 14

TRUNCATED = "the file ends in the middle of a packet, so only the earlier packets were read"
CORRUPT = "the file is damaged, so only the packets before the damage were read"


class Packet(NamedTuple):
    """A packet. `cut`: the capture contains fewer bytes than were on the wire."""

    at_ns: int | None
    link: int
    data: bytes
    cut: bool


@dataclass(frozen=True)
class _Interface:
    link: int
    units_per_s: int
    offset_s: int


def packets(path: Path, notes: Notes) -> Iterator[Packet]:
    """The packets of a file in order. A note is made of unreadable packets. Raises OSError if the
    file cannot be read."""
    with path.open("rb") as file:
        try:
            if file.read(4) == PCAPNG_MAGIC:
                file.seek(0)
                yield from _pcapng(file)
            else:
                file.seek(0)
                yield from _pcap(file)
        except EOFError:
            notes.say(TRUNCATED)
        except struct.error:
            notes.say(CORRUPT)


def _pcap(file: BinaryIO) -> Iterator[Packet]:
    order, unit_ns = PCAP_UNITS_NS[file.read(4)]
    # The upper bits of the link type say whether frames end with a checksum.
    link = struct.unpack(order + "16xI", _exactly(file, 20))[0] & 0xFFFF
    header = struct.Struct(order + "4I")
    while data := file.read(header.size):
        seconds, fraction, kept, length = header.unpack(_whole(data, header.size))
        if kept > LARGEST_RECORD:
            raise struct.error
        at_ns = seconds * NS_PER_S + fraction * unit_ns
        yield Packet(at_ns, link, _exactly(file, kept), kept < length)


def _pcapng(file: BinaryIO) -> Iterator[Packet]:
    order = "<"
    interfaces: list[_Interface] = []
    while start := file.read(8):
        _whole(start, 8)
        if start[:4] == PCAPNG_MAGIC:
            magic = _exactly(file, 4)
            if magic not in BYTE_ORDERS:
                raise struct.error
            order, interfaces = BYTE_ORDERS[magic], []
            _body(file, order, start, 4)
            continue
        kind = struct.unpack(order + "I", start[:4])[0]
        body = _body(file, order, start, 0)
        if kind == INTERFACE:
            interfaces.append(_interface(body, order))
        elif kind in (PACKET, OLD_PACKET, SIMPLE_PACKET):
            yield _packet(kind, body, order, interfaces)


def _body(file: BinaryIO, order: str, start: bytes, read: int) -> bytes:
    """The rest of a block without the length at its end. 8 + `read` bytes of the block were already
    read."""
    length = struct.unpack(order + "I", start[4:])[0]
    if not 12 + read <= length <= LARGEST_RECORD or length % 4:
        raise struct.error
    return _exactly(file, length - 8 - read)[:-4]


def _packet(kind: int, body: bytes, order: str, interfaces: list[_Interface]) -> Packet:
    if kind == SIMPLE_PACKET:
        number, high, low = 0, None, 0
        length = struct.unpack_from(order + "I", body)[0]
        kept, start = min(length, len(body) - 4), 4
    else:
        layout = "IIIII" if kind == PACKET else "HxxIIII"
        number, high, low, kept, length = struct.unpack_from(order + layout, body)
        start = 20
    if number >= len(interfaces) or start + kept > len(body):
        raise struct.error
    own = interfaces[number]
    at_ns = None
    if high is not None:
        ticks = high << 32 | low
        at_ns = plausible(own.offset_s * NS_PER_S + ticks * NS_PER_S // own.units_per_s)
    return Packet(at_ns, own.link, body[start : start + kept], kept < length)


def _interface(body: bytes, order: str) -> _Interface:
    link = struct.unpack_from(order + "H", body)[0]
    units_per_s, offset_s, at = 10**6, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        value = body[at + 4 : at + 4 + length]
        at += 4 + length + -length % 4
        if code == END_OF_OPTIONS:
            break
        if code == TIME_RESOLUTION and length == 1:
            power = value[0] & 0x7F
            units_per_s = 2**power if value[0] & 0x80 else 10**power
        elif code == TIME_OFFSET and length == 8:
            offset_s = struct.unpack(order + "q", value)[0]
    return _Interface(link, units_per_s, offset_s)


def _exactly(file: BinaryIO, length: int) -> bytes:
    return _whole(file.read(length), length)


def _whole(data: bytes, length: int) -> bytes:
    if len(data) < length:
        raise EOFError
    return data
