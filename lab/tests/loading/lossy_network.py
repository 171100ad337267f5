"""A network between this machine and itself that holds segments up, in a namespace of its own.

    unshare --net python lossy_network.py EVERY HELD_MS COMMAND…

A TUN device swaps the two addresses of each packet, so what is sent to 10.9.0.2 comes back from
there. An HTTP server answers with three segments; the first segment of every EVERY-th answer is
held up, and lost if it is sent again meanwhile. COMMAND is run with the server's URL after it.
Standard output is a JSON list: for each answer, in ns of CLOCK_MONOTONIC, when all of it had been
passed on to the client's kernel.
"""

from __future__ import annotations

import fcntl
import heapq
import json
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

TUNSETIFF = 0x400454CA
IFF_TUN_WITHOUT_HEADER = 0x1001
PORT = 8080
BODY = b"x" * 4000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def serve(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection: socket.socket) -> None:
    while connection.recv(65536):
        connection.sendall(ANSWER)


@dataclass
class Stream:
    """What of one connection's answers was passed on: `next` is the first byte that was not, the
    ends of later pieces are in `ahead` by their beginnings."""

    next: int
    begin: int
    answers: int = 0
    ahead: dict[int, int] = field(default_factory=dict)

    def pass_on(self, start: int, end: int) -> int:
        """The answers that are complete now and were not before."""
        self.ahead[start] = max(end, self.ahead.get(start, 0))
        while piece := next((one for one in self.ahead if one <= self.next), None):
            self.next = max(self.next, self.ahead.pop(piece))
        done = (self.next - self.begin) // len(ANSWER)
        new, self.answers = done - self.answers, done
        return new


class Network:
    def __init__(self, device: int, every: int, held_ns: int) -> None:
        self.device, self.every, self.held_ns = device, every, held_ns
        self.streams: dict[int, Stream] = {}
        self.seen: set[tuple[int, int]] = set()
        self.begun = 0
        self.held: list[tuple[int, bytes]] = []
        self.holding: set[tuple[int, int]] = set()
        self.done_ns: list[int] = []

    def run(self) -> None:
        while True:
            wait_s = max(0, self.held[0][0] - time.monotonic_ns()) / 1e9 if self.held else None
            readable, _, _ = select.select([self.device], [], [], wait_s)
            if readable:
                packet = os.read(self.device, 65536)
                if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                    self.take(packet[:12] + packet[16:20] + packet[12:16] + packet[20:])
            while self.held and self.held[0][0] <= time.monotonic_ns():
                self.deliver(heapq.heappop(self.held)[1])

    def take(self, packet: bytes) -> None:
        port, start, end = segment(packet)
        if port is not None and (port, start) in self.holding and start < end:
            return
        if port is None or start == end or (port, start) in self.seen:
            self.deliver(packet)
            return
        self.seen.add((port, start))
        stream = self.streams.get(port)
        if stream is not None and (start - stream.begin) % len(ANSWER) == 0:
            self.begun += 1
            if self.begun % self.every == 0:
                self.holding.add((port, start))
                heapq.heappush(self.held, (time.monotonic_ns() + self.held_ns, packet))
                return
        self.deliver(packet)

    def deliver(self, packet: bytes) -> None:
        port, start, end = segment(packet)
        now_ns = time.monotonic_ns()  # before: the client's kernel has it when the call is back
        os.write(self.device, packet)
        if port is None:
            return
        self.holding.discard((port, start))
        if is_first(packet):
            self.streams[port] = Stream(start + 1, start + 1)
        elif start < end and port in self.streams:
            new = self.streams[port].pass_on(start, end)
            self.done_ns += [now_ns] * new


def segment(packet: bytes) -> tuple[int | None, int, int]:
    """The client's port, if the server sent it, and the range of its bytes."""
    tcp = packet[(packet[0] & 15) * 4 :]
    source, target, start = struct.unpack_from("!HHI", tcp)
    return target if source == PORT else None, start, start + len(tcp) - (tcp[12] >> 4) * 4


def is_first(packet: bytes) -> bool:
    tcp = packet[(packet[0] & 15) * 4 :]
    return bool(tcp[13] & 2)


def main() -> int:
    every, held_ms, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"lossy", IFF_TUN_WITHOUT_HEADER))
    subprocess.run(["ip", "address", "add", "10.9.0.1/24", "dev", "lossy"], check=True)
    subprocess.run(["ip", "link", "set", "lossy", "up"], check=True)
    network = Network(device, every, held_ms * 1_000_000)
    threading.Thread(target=network.run, daemon=True).start()
    listener = socket.create_server(("10.9.0.1", PORT), backlog=64)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    ended = subprocess.run([*command, f"http://10.9.0.2:{PORT}/"], stdout=sys.stderr, check=False)
    print(json.dumps(network.done_ns))
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
