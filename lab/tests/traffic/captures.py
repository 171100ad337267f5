"""Captures for tests: the fixtures, and packets put together by hand."""

from __future__ import annotations

import struct
from pathlib import Path

from runfair.traffic.capture import Capture, read_capture
from runfair.traffic.request import CapturedRequest

FIXTURES = Path(__file__).parent / "fixtures"

CLIENT, SERVER = 40_000, 80
SYN, ACK, FIN, RST = 2, 16, 1, 4
T0_NS = 1_795_317_553_000_001_000


def read_all(path: Path) -> tuple[list[CapturedRequest], Capture]:
    capture = read_capture(path)
    return list(capture.requests), capture


def read_bytes(folder: Path, content: bytes) -> tuple[list[CapturedRequest], Capture]:
    path = folder / "capture"
    path.write_bytes(content)
    return read_all(path)


def tcp(
    data: bytes, sequence: int, *, answer: bool = False, flags: int = ACK, client: int = CLIENT
) -> bytes:
    ports = (SERVER, client) if answer else (client, SERVER)
    return struct.pack(">HHIIBBHHH", *ports, sequence % 2**32, 0, 0x50, flags, 0, 0, 0) + data


def ipv4(payload: bytes, *, answer: bool = False, protocol: int = 6, fragment: int = 0) -> bytes:
    ends = (b"\x0a\0\0\2", b"\x0a\0\0\1") if answer else (b"\x0a\0\0\1", b"\x0a\0\0\2")
    length = 20 + len(payload)
    return struct.pack(">BBHHHBBH", 0x45, 0, length, 0, fragment, 64, protocol, 0) + (
        ends[0] + ends[1] + payload
    )


def ipv6(payload: bytes, *, answer: bool = False, next_header: int = 6) -> bytes:
    ends = (b"\2" * 16, b"\1" * 16) if answer else (b"\1" * 16, b"\2" * 16)
    return (
        struct.pack(">IHBB", 6 << 28, len(payload), next_header, 64) + ends[0] + ends[1] + payload
    )


def ethernet(packet: bytes) -> bytes:
    kind = b"\x08\0" if packet[0] >> 4 == 4 else b"\x86\xdd"
    return (b"\0" * 12 + kind + packet).ljust(60, b"\0")  # short frames are padded


def pcap(
    frames: list[bytes], *, order: str = "<", nanoseconds: bool = False, link: int = 1
) -> bytes:
    """Frames a millisecond apart, from T0_NS on."""
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link)
    for number, frame in enumerate(frames):
        seconds, rest_ns = divmod(T0_NS + number * 1_000_000, 10**9)
        fraction = rest_ns if nanoseconds else rest_ns // 1000
        content += struct.pack(order + "4I", seconds, fraction, len(frame), len(frame)) + frame
    return content


def pcapng(frames: list[bytes], *, order: str = "<", link: int = 1, resolution: int = 6) -> bytes:
    """As `pcap`, with time stamps in 10^-resolution seconds."""

    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        length = struct.pack(order + "I", 12 + len(body))
        return struct.pack(order + "I", kind) + length + body + length

    content = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
    content += block(1, struct.pack(order + "HHI", link, 0, 0) + options)
    content += block(11, b"of a kind that nobody knows")
    for number, frame in enumerate(frames):
        ticks = (T0_NS + number * 1_000_000) * 10**resolution // 10**9
        head = (0, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame))
        content += block(6, struct.pack(order + "5I", *head) + frame)
    return content


def conversation(*parts: tuple[bool, bytes], first: int = 1000) -> list[bytes]:
    """TCP segments of a connection from its SYN to both FINs: (from the server?, bytes) each."""
    sequences = {False: first, True: 5_000}
    segments = [
        tcp(b"", sequences[False], flags=SYN),
        tcp(b"", sequences[True], answer=True, flags=SYN | ACK),
    ]
    sequences = {side: number + 1 for side, number in sequences.items()}
    for answer, data in parts:
        segments.append(tcp(data, sequences[answer], answer=answer))
        sequences[answer] += len(data)
    for answer in (False, True):
        segments.append(tcp(b"", sequences[answer], answer=answer, flags=FIN | ACK))
    return segments


def framed(segments: list[bytes]) -> list[bytes]:
    """In IPv4 and Ethernet; the server's are known by their port."""
    return [
        ethernet(ipv4(segment, answer=segment[:2] == struct.pack(">H", SERVER)))
        for segment in segments
    ]
