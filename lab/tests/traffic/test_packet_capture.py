"""Requests out of packets: file formats, link layers, order, loss."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runfair.errors import UserMistake
from runfair.traffic import packet_capture, packets
from runfair.traffic.request import CapturedRequest
from traffic.captures import (
    ACK,
    FIXTURES,
    T0_NS,
    conversation,
    ethernet,
    framed,
    ipv4,
    ipv6,
    pcap,
    pcapng,
    read_all,
    read_bytes,
    tcp,
)

GET = b"GET /a/1 HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
CHUNKED = (
    b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nT: 1\r\n\r\n"
)

TALK = conversation((False, GET), (True, OK), (False, POST), (True, CHUNKED))


def essence(requests: list[CapturedRequest]) -> list[tuple[str, str, bytes | None, int | None]]:
    return [(r.method, r.path, r.body, r.status) for r in requests]


WANTED = [("GET", "/a/1", b"", 200), ("POST", "/b", b"hello", 201)]


@pytest.mark.parametrize("name", ["loopback.pcap", "cooked.pcap", "cooked-2-nanoseconds.pcap"])
def test_what_tcpdump_recorded(name: str) -> None:
    requests, capture = read_all(FIXTURES / name)
    assert capture.format == "pcap"
    in_time = sorted(requests, key=lambda request: request.at_ns or 0)
    assert [(r.method, r.path) for r in in_time[:8:2]] == [
        ("GET", "/orders/1?token=abcdef"),
        ("GET", "/orders/2"),
        ("GET", "/orders/1?token=abcdef"),
        ("GET", "/orders/2"),
    ]
    assert [r.path for r in in_time[8:]] == [
        "/chunked",
        "/orders/3",
        "/orders/4",
        "/form",
        "/orders/6",
        "/split/1",
        "/pipelined/2",
        "/pipelined/3",
    ]
    by_path = {request.path: request for request in requests}
    assert by_path["/orders"].body == b'{"amount":42,"password":"swordfish"}'
    assert (by_path["/chunked"].answer_bytes, by_path["/chunked"].status) == (15, 200)
    assert (by_path["/orders/4"].method, by_path["/orders/4"].answer_bytes) == ("HEAD", 0)
    assert by_path["/form"].body == b"a=1&password=geheim"  # sent in chunks
    assert by_path["/missing"].status == 404
    assert by_path["/orders/6"].host == "[::1]:18484"
    assert all(request.status and request.duration_ns for request in requests)
    assert capture.notes == [f"{packet_capture.TLS}: 1"]


def test_all_recordings_of_one_traffic_agree() -> None:
    """Two tools, three link types, two file formats, micro- and nanoseconds."""
    names = ["loopback.pcap", "cooked.pcap", "cooked-2-nanoseconds.pcap", "loopback.pcapng"]
    recordings = [read_all(FIXTURES / name)[0] for name in names]
    assert len({len(requests) for requests in recordings}) == 1
    for together in zip(*recordings, strict=True):
        assert len(set(essence(list(together)))) == 1
        stamps = [request.at_ns for request in together if request.at_ns is not None]
        assert len(stamps) == len(names)
        assert max(stamps) - min(stamps) < 1_000_000


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_byte_orders_and_units(tmp_path: Path, order: str, nanoseconds: bool) -> None:
    requests, capture = read_bytes(
        tmp_path, pcap(framed(TALK), order=order, nanoseconds=nanoseconds)
    )
    assert (essence(requests), capture.notes) == (WANTED, [])
    assert requests[0].at_ns == T0_NS + 2_000_000
    assert requests[0].duration_ns == 1_000_000
    assert [request.answer_bytes for request in requests] == [3, 5]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("resolution", [3, 6, 9])
def test_pcapng(tmp_path: Path, order: str, resolution: int) -> None:
    content = pcapng(framed(TALK), order=order, resolution=resolution)
    requests, capture = read_bytes(tmp_path, content)
    assert (essence(requests), capture.format, capture.notes) == (WANTED, "pcapng", [])
    step_ns = 10 ** (9 - resolution)
    assert requests[0].at_ns == (T0_NS + 2_000_000) // step_ns * step_ns


LINKS: dict[str, tuple[int, Callable[[bytes], bytes]]] = {
    "raw": (101, lambda packet: packet),
    "raw IPv4": (228, lambda packet: packet),
    "BSD loopback": (0, lambda packet: b"\2\0\0\0" + packet),
    "OpenBSD loopback": (108, lambda packet: b"\0\0\0\2" + packet),
    "Ethernet": (1, ethernet),
    "VLAN in VLAN": (
        1,
        lambda packet: b"\0" * 12 + b"\x88\xa8\0\1\x81\0\0\2\x08\0" + packet,
    ),
    "Linux cooked": (113, lambda packet: b"\0" * 14 + b"\x08\0" + packet),
    "Linux cooked 2": (276, lambda packet: b"\x08\0" + b"\0" * 18 + packet),
}


@pytest.mark.parametrize("name", LINKS)
def test_link_types(tmp_path: Path, name: str) -> None:
    link, frame = LINKS[name]
    frames = [frame(ipv4(part, answer=part[:2] == b"\0\x50")) for part in TALK]
    requests, capture = read_bytes(tmp_path, pcap(frames, link=link))
    assert (essence(requests), capture.notes) == (WANTED, [])


def test_ipv6_with_extension_headers(tmp_path: Path) -> None:
    extensions = bytes([60, 0]) + b"\0" * 6 + bytes([44, 0]) + b"\0" * 6 + bytes([6]) + b"\0" * 7
    frames = [
        ethernet(ipv6(extensions + part, answer=part[:2] == b"\0\x50", next_header=0))
        for part in TALK
    ]
    requests, capture = read_bytes(tmp_path, pcap(frames))
    assert (essence(requests), capture.notes) == (WANTED, [])


def test_an_unknown_link_type_is_said(tmp_path: Path) -> None:
    requests, capture = read_bytes(tmp_path, pcap(framed(TALK), link=105))
    assert requests == []
    assert capture.notes == ["packets of the unknown link type 105 were left out: 8"]


def test_fragments_and_other_protocols(tmp_path: Path) -> None:
    frames = [
        ethernet(ipv4(TALK[2], fragment=0x2000)),
        ethernet(ipv4(b"\0\1\0\2\0\x08\0\0", protocol=17)),
        ethernet(b"\x60"),
    ]
    requests, capture = read_bytes(tmp_path, pcap(frames))
    assert requests == []
    assert capture.notes == ["fragments of IP packets were left out: 1"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_splitting_reordering_and_repetition(tmp_path: Path, data: st.DataObject) -> None:
    """Sequence numbers wrap in the middle; segments come cut anywhere, overlapping, twice, and out
    of order."""
    stream = GET + POST + GET
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=12)))
    bounds = [0, *cuts, len(stream)]
    first = 2**32 - 40
    overlap = data.draw(st.integers(0, 5))
    segments = [
        tcp(stream[max(0, low - overlap) : high], first + 1 + max(0, low - overlap))
        for low, high in pairwise(bounds)
    ]
    segments += data.draw(st.lists(st.sampled_from(segments), max_size=3))
    shuffled = data.draw(st.permutations(segments))
    talk = [tcp(b"", first, flags=2), *shuffled]
    requests, capture = read_bytes(tmp_path, pcap(framed(talk)))
    assert [(r.method, r.path, r.body) for r in requests] == [
        ("GET", "/a/1", b""),
        ("POST", "/b", b"hello"),
        ("GET", "/a/1", b""),
    ]
    assert capture.notes == [f"{packet_capture.UNANSWERED}: 3"]


def test_a_lost_segment_costs_its_request_alone(tmp_path: Path) -> None:
    half = len(POST) // 2
    talk = conversation(
        (False, GET), (True, OK), (False, POST[:half]), (False, POST[half:]), (True, OK),
        (False, GET), (True, OK),
    )  # fmt: skip
    requests, capture = read_bytes(tmp_path, pcap(framed(talk[:5] + talk[6:])))
    assert [(r.path, r.status) for r in requests] == [("/a/1", 200), ("/a/1", None)]
    assert f"{packet_capture.LOST}: 1" in capture.notes
    assert f"{packet_capture.UNPAIRED}: 1" in capture.notes


def test_loss_within_an_answer_s_body_is_counted_over(tmp_path: Path) -> None:
    body = b"x" * 3000
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n"
    talk = conversation(
        (False, GET), (True, answer + body[:1000]), (True, body[:1000]), (True, body[:1000]),
        (False, GET), (True, OK),
    )  # fmt: skip
    requests, capture = read_bytes(tmp_path, pcap(framed(talk[:4] + talk[5:])))
    assert [(r.status, r.answer_bytes) for r in requests] == [(200, 3000), (200, 3)]
    assert capture.notes == []


def test_what_the_capture_cut_short_is_a_loss(tmp_path: Path) -> None:
    """A snap length: the packet says how long it was, the record holds less."""
    frames = framed(conversation((False, POST + b" " * 400), (True, OK)))
    content = pcap(frames[:2])
    cut = frames[2][:70]
    content += struct.pack("<4I", 1, 0, len(cut), len(frames[2])) + cut
    requests, capture = read_bytes(tmp_path, content)
    assert requests == []
    assert any(
        note.startswith("packets are incomplete, because the recording cut")
        for note in capture.notes
    )
    assert f"{packet_capture.LOST}: 1" in capture.notes


def test_a_capture_that_begins_within_a_connection(tmp_path: Path) -> None:
    parts = [
        tcp(b"rest of a body", 100),
        tcp(OK, 900, answer=True),
        tcp(GET, 114),
        tcp(OK, 900 + len(OK), answer=True),
    ]
    requests, capture = read_bytes(tmp_path, pcap(framed(parts)))
    assert [(r.path, r.status) for r in requests] == [("/a/1", 200)]
    assert capture.notes == []


def test_ports_used_again_are_another_connection(tmp_path: Path) -> None:
    open_talk = conversation((False, GET), (True, OK))[:-2]
    again = conversation((False, POST), (True, OK), first=900_000)
    requests, _ = read_bytes(tmp_path, pcap(framed(open_talk + again)))
    assert [(r.path, r.status) for r in requests] == [("/a/1", 200), ("/b", 200)]


def test_pipelined_answers_belong_to_their_requests_in_turn(tmp_path: Path) -> None:
    head = b"HEAD /h HTTP/1.1\r\n\r\n"
    headless = b"HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n"
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    unmodified = b"HTTP/1.1 304 N\r\nContent-Length: 9\r\n\r\n"
    until_close = b"HTTP/1.0 200 OK\r\n\r\nuntil the end"
    talk = conversation(
        (False, head + POST + GET + GET),
        (True, headless + interim + CHUNKED + unmodified + until_close),
    )
    requests, _ = read_bytes(tmp_path, pcap(framed(talk)))
    assert [(r.path, r.status, r.answer_bytes) for r in requests] == [
        ("/h", 200, 0),
        ("/b", 201, 5),
        ("/a/1", 304, 0),
        ("/a/1", 200, 13),
    ]


@pytest.mark.parametrize(
    ("start", "note"),
    [
        (b"\x16\x03\x01\x02\x00\x01", packet_capture.TLS),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", packet_capture.HTTP2),
        (b"*1\r\n$4\r\nPING\r\n", packet_capture.OTHER),
        (b"\0\0\0\x08\x04\xd2\x16/", packet_capture.OTHER),
    ],
)
def test_other_protocols_are_said(tmp_path: Path, start: bytes, note: str) -> None:
    talk = conversation((False, start), (True, b"whatever"))
    requests, capture = read_bytes(tmp_path, pcap(framed(talk)))
    assert requests == []
    assert capture.notes == [f"{note}: 1"]


def test_after_an_upgrade_nothing_is_read(tmp_path: Path) -> None:
    upgrade = b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"
    switch = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"
    talk = conversation((False, upgrade), (True, switch + b"\x81\x05"), (False, GET))
    requests, _ = read_bytes(tmp_path, pcap(framed(talk)))
    assert [(r.path, r.status) for r in requests] == [("/ws", 101)]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1), flavour=st.sampled_from(["pcap", "pcapng"]))
def test_a_truncated_file_gives_what_came_before(
    tmp_path: Path, share: float, flavour: str
) -> None:
    def recorded(frames: list[bytes]) -> bytes:
        return pcap(frames) if flavour == "pcap" else pcapng(frames)

    frames = framed(TALK)
    whole, start = recorded(frames), len(recorded([]))
    length = start + int(share * (len(whole) - 1 - start))
    requests, capture = read_bytes(tmp_path, whole[:length])
    kept = next(n for n in range(len(frames), -1, -1) if len(recorded(frames[:n])) <= length)
    asked = [frame for frame in (2, 4) if frame < kept]
    answered = [frame for frame in (3, 5) if frame < kept]
    assert [r.path for r in requests] == ["/a/1", "/b"][: len(asked)]
    assert [r.status for r in requests if r.status] == [200, 201][: len(answered)]
    at_the_end_of_a_packet = length == len(recorded(frames[:kept]))
    assert (packets.TRUNCATED in capture.notes) == (not at_the_end_of_a_packet)


def test_nonsense_lengths_are_damage(tmp_path: Path) -> None:
    content = pcap(framed(TALK)) + struct.pack("<4I", 0, 0, 2**31, 2**31) + b"x" * 40
    requests, capture = read_bytes(tmp_path, content)
    assert (essence(requests), capture.notes) == (WANTED, [packets.CORRUPT])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), flips=st.integers(1, 30), flavour=st.sampled_from(["", "ng"]))
def test_flipped_bytes_never_break_the_reader(
    tmp_path: Path, seed: int, flips: int, flavour: str
) -> None:
    content = bytearray(pcapng(framed(TALK)) if flavour else pcap(framed(TALK)))
    draw = random.Random(seed)
    for _ in range(flips):
        content[draw.randrange(4, len(content))] = draw.randrange(256)
    try:
        requests, _ = read_bytes(tmp_path, bytes(content))
    except UserMistake:
        return
    assert len(requests) <= len(WANTED) + flips


def test_segments_are_acknowledged_only_once(tmp_path: Path) -> None:
    """A keep-alive probe repeats the last byte and is no request."""
    talk = conversation((False, GET), (True, OK))
    probe = tcp(b"\n", 1000 + len(GET), flags=ACK)
    requests, capture = read_bytes(tmp_path, pcap(framed([*talk[:4], probe, *talk[4:]])))
    assert (len(requests), capture.notes) == (1, [])


def test_a_held_repetition_of_what_was_read_moves_nothing_back(tmp_path: Path) -> None:
    stream = GET + POST + GET
    bounds = [(20, 60), (25, 40), (0, 20), (60, len(stream))]
    talk = [tcp(b"", 99, flags=2), *(tcp(stream[low:high], 100 + low) for low, high in bounds)]
    requests, capture = read_bytes(tmp_path, pcap(framed(talk)))
    assert [r.path for r in requests] == ["/a/1", "/b", "/a/1"]
    assert capture.notes == [f"{packet_capture.UNANSWERED}: 3"]
