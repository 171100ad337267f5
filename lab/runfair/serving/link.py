"""The link between two hosts: its round trip and its bandwidth, measured through one TCP
connection. The bandwidth of a host with several others at the same time, and the counters of a
host's network devices."""

from __future__ import annotations

import socket
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from runfair.machine.kernel_files import ROOT, read_text

ROUND_TRIPS = 200
STREAM_S = 0.5
CHUNK_BYTES = 1 << 18
LIMIT_S = 10.0
# The first byte of a connection says what its client wants.
_ECHO, _SINK, _SOURCE = b"e", b"s", b"r"
_LOOPBACK = "lo"


@dataclass(frozen=True)
class LinkFigures:
    """The median round trip of one byte, and the bandwidth of one connection."""

    round_trip_ns: int
    bits_per_s: float


@dataclass(frozen=True)
class JointFigures:
    """The bandwidth of connections to several hosts at the same time, in each direction."""

    sent_bits_per_s: float
    received_bits_per_s: float


class Listener:
    """The far end of a measurement. It answers until it is closed."""

    def __init__(self, address: str) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.create_server((address, 0), family=family)
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:  # closed
                return
            with client:
                client.settimeout(LIMIT_S)
                try:
                    _answer(client)
                except OSError:  # the client is gone; the next may come
                    continue


def _answer(client: socket.socket) -> None:
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wanted = client.recv(1)
    if wanted == _ECHO:
        while byte := client.recv(1):
            client.sendall(byte)
    elif wanted == _SOURCE:
        _stream(client)
    else:
        client.sendall(_received_bytes(client).to_bytes(8, "big"))


def _stream(connection: socket.socket) -> None:
    data = bytes(CHUNK_BYTES)
    began_ns = time.monotonic_ns()
    while time.monotonic_ns() - began_ns < STREAM_S * 1e9:
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def _received_bytes(connection: socket.socket) -> int:
    received = 0
    while data := connection.recv(CHUNK_BYTES):
        received += len(data)
    return received


def measure_link(address: str, port: int) -> LinkFigures:
    """The link to a `Listener`. Raises OSError if its port cannot be reached."""
    return LinkFigures(_round_trip_ns(address, port), _bits_per_s(_sent_bytes, [(address, port)]))


def measure_joint(listeners: Sequence[tuple[str, int]]) -> JointFigures:
    """The bandwidth of one connection to each of these `Listener`s, all at the same time. Raises
    OSError if a port cannot be reached."""
    return JointFigures(_bits_per_s(_sent_bytes, listeners), _bits_per_s(_fetched_bytes, listeners))


def _connected(address: str, port: int) -> socket.socket:
    connection = socket.create_connection((address, port), LIMIT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _round_trip_ns(address: str, port: int) -> int:
    times_ns = []
    with _connected(address, port) as connection:
        connection.sendall(_ECHO)
        for _ in range(ROUND_TRIPS):
            began_ns = time.monotonic_ns()
            connection.sendall(b".")
            if not connection.recv(1):
                raise ConnectionResetError("the listener closed the connection")
            times_ns.append(time.monotonic_ns() - began_ns)
    return round(statistics.median(times_ns))


def _bits_per_s(
    transfer: Callable[[socket.socket], int], listeners: Sequence[tuple[str, int]]
) -> float:
    """The bandwidth of all transfers together, until the last of them has ended."""
    with ExitStack() as stack, ThreadPoolExecutor(len(listeners)) as pool:
        connections = [stack.enter_context(_connected(*one)) for one in listeners]
        began_ns = time.monotonic_ns()
        transferred = sum(pool.map(transfer, connections))
        return transferred * 8e9 / (time.monotonic_ns() - began_ns)


def _sent_bytes(connection: socket.socket) -> int:
    """Sends until the listener has received everything, so that bytes that are still buffered are
    not counted as transferred."""
    connection.sendall(_SINK)
    _stream(connection)
    told = b""
    while part := connection.recv(8):
        told += part
    if len(told) != 8:
        raise ConnectionResetError("the listener closed the connection")
    return int.from_bytes(told, "big")


def _fetched_bytes(connection: socket.socket) -> int:
    connection.sendall(_SOURCE)
    return _received_bytes(connection)


@dataclass(frozen=True)
class Counters:
    """The counters of a host's network since its boot, loopback excluded. `duplicate_segments` are
    those of the repeated segments that their receivers reported as received twice."""

    monotonic_ns: int
    sent_bytes: int
    received_bytes: int
    sent_segments: int
    repeated_segments: int
    duplicate_segments: int


def read_counters(root: Path = ROOT) -> Counters:
    """Reads `/proc/net/dev`, `/proc/net/snmp` (proc(5)) and `/proc/net/netstat`, whose
    `TCPDSACKRecv` counts the reports of RFC 2883."""
    received = sent = 0
    for line in (read_text(root, "proc/net/dev") or "").splitlines():
        name, _, numbers = line.partition(":")
        values = numbers.split()
        if len(values) >= 9 and name.strip() != _LOOPBACK:
            received += int(values[0])
            sent += int(values[8])
    tcp = _counts(read_text(root, "proc/net/snmp") or "", "Tcp:")
    more = _counts(read_text(root, "proc/net/netstat") or "", "TcpExt:")
    return Counters(
        monotonic_ns=time.monotonic_ns(),
        sent_bytes=sent,
        received_bytes=received,
        sent_segments=tcp.get("OutSegs", 0),
        repeated_segments=tcp.get("RetransSegs", 0),
        duplicate_segments=more.get("TCPDSACKRecv", 0),
    )


def _counts(text: str, kind: str) -> dict[str, int]:
    """The counters of a kind, which are a line of names and a line of values."""
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith(kind)]
    if len(rows) != 2:
        return {}
    return dict(zip(rows[0], map(int, rows[1]), strict=True))
