"""A link as it is measured on loopback, and the counters of a kernel's files."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from runfair.serving import link
from runfair.serving.link import Listener, measure_link, read_counters
from runfair.serving.relay import start

MS = 1_000_000

DEVICES = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
    lo: 9999 9 0 0 0 0 0 0 9999 9 0 0 0 0 0 0
  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0
  eth1: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0
"""
TCP = """\
Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoMin OutSegs RetransSegs
Tcp: 200 700 30
"""
MORE = """\
TcpExt: SyncookiesSent TCPDSACKRecv
TcpExt: 0 28
IpExt: InNoRoutes
IpExt: 0
"""


def test_a_link_is_measured_and_measured_again() -> None:
    listener = Listener("127.0.0.1")
    try:
        for _ in range(2):
            found = measure_link("127.0.0.1", listener.port)
            assert found.round_trip_ns > 0
            assert found.bits_per_s > 0
    finally:
        listener.close()
    with pytest.raises(OSError, match="refused"):
        measure_link("127.0.0.1", listener.port)


def test_the_bandwidth_with_several_hosts_is_that_of_all_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each listener handles one client at a time, so the connections are to different listeners."""
    monkeypatch.setattr(link, "STREAM_S", 0.05)
    received: list[int] = []
    count = link._received_bytes

    def counted(connection: socket.socket) -> int:
        received.append(count(connection))
        return received[-1]

    monkeypatch.setattr(link, "_received_bytes", counted)
    listeners = [Listener("127.0.0.1") for _ in range(3)]
    began_s = time.monotonic()
    try:
        found = link.measure_joint([("127.0.0.1", one.port) for one in listeners])
    finally:
        for one in listeners:
            one.close()
    took_s = time.monotonic() - began_s
    sent, fetched = received[:3], received[3:]
    assert min(sent + fetched) > 0
    assert len(fetched) == 3
    # Each direction took a part of the time.
    assert found.sent_bits_per_s > sum(sent) * 8 / took_s
    assert found.received_bits_per_s > sum(fetched) * 8 / took_s
    # But each stream was open for at least this time.
    assert found.sent_bits_per_s <= sum(sent) * 8 / 0.05
    assert found.received_bits_per_s <= sum(fetched) * 8 / 0.05


def test_a_delay_in_both_directions_is_one_round_trip(
    relay_executable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The relay delays each byte by half of 40 ms in each direction."""
    monkeypatch.setattr(link, "ROUND_TRIPS", 5)
    monkeypatch.setattr(link, "STREAM_S", 0.05)
    listener = Listener("127.0.0.1")
    to = f"127.0.0.1:{listener.port}"
    try:
        with start(relay_executable, to=to, delay_ns=40 * MS, folder=tmp_path) as session:
            found = measure_link("127.0.0.1", session.port)
    finally:
        listener.close()
    assert 40 * MS <= found.round_trip_ns < 80 * MS


def test_only_what_has_arrived_counts_as_transferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """A receiver that takes in nothing for a while: what lies in buffers until then takes time."""
    answer = link._answer

    def late(client: socket.socket) -> None:
        time.sleep(1.0)
        answer(client)

    monkeypatch.setattr(link, "STREAM_S", 0.05)
    monkeypatch.setattr(link, "_answer", late)
    listener = Listener("127.0.0.1")
    try:
        sent = []
        send = socket.socket.sendall

        def counted(connection: socket.socket, data: bytes) -> None:
            sent.append(len(data))
            send(connection, data)

        monkeypatch.setattr(socket.socket, "sendall", counted)
        bits_per_s = link._bits_per_s(link._sent_bytes, [("127.0.0.1", listener.port)])
    finally:
        listener.close()
    assert bits_per_s <= sum(sent) * 8 / 1.0


def test_counters_are_those_of_all_devices_but_loopback(tmp_path: Path) -> None:
    folder = tmp_path / "proc/net"
    folder.mkdir(parents=True)
    (folder / "dev").write_text(DEVICES)
    (folder / "snmp").write_text(TCP)
    (folder / "netstat").write_text(MORE)
    found = read_counters(tmp_path)
    assert (found.received_bytes, found.sent_bytes) == (1001, 2002)
    assert (found.sent_segments, found.repeated_segments, found.duplicate_segments) == (700, 30, 28)


def test_a_kernel_without_these_files_counts_nothing(tmp_path: Path) -> None:
    found = read_counters(tmp_path)
    assert (found.sent_bytes, found.sent_segments, found.duplicate_segments) == (0, 0, 0)
