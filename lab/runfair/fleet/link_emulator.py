"""`link_emulator.py DELAY_NS LOSS SEED`: a separate program that delays and drops packets that a
host sends, on a kernel without netem.

The program stands between the host and its link. It makes the host's interface, a TAP device. Of
the frames from this interface, it drops the share LOSS at random, and holds each other frame for
the delay before it sends the frame to the link. Frames from the link are handed to the host at
once.

The program writes `ready` to standard output when the interface exists. It ends with the PID
namespace in which it runs.
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EAGAIN, EIO, ENETDOWN, ENOBUFS

INTERFACE = "eth0"
LINK = "link0"
ALL_PROTOCOLS = 0x0003
LONGEST_FRAME = 65_536
# Frames that are held at a time. Further frames are dropped.
MOST_HELD = 100_000
# A sleeping program wakes late, so it wakes before a frame is due and then polls.
EARLY_NS = 200_000
LOST = (EAGAIN, EIO, ENETDOWN, ENOBUFS)
# constants of linux/if_tun.h
TAP = 0x0002
WITHOUT_HEADER = 0x1000
SET_INTERFACE = 0x400454CA


def tap(name: str) -> int:
    """The descriptor of a new TAP device. A read returns a frame that the host sends, and a write
    hands a frame to the host."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", name.encode(), TAP | WITHOUT_HEADER)
    fcntl.ioctl(device, SET_INTERFACE, request)
    return device


def link(name: str) -> socket.socket:
    """A socket that receives and sends whole frames on an interface."""
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    opened.bind((name, 0))
    opened.setblocking(False)
    return opened


class HeldFrames:
    """The frames that the host has sent and the link has not got yet, in order."""

    def __init__(self, delay_ns: int, loss: float, seed: int) -> None:
        self._delay_ns = delay_ns
        self._loss = loss
        self._random = random.Random(seed)
        self._held: deque[tuple[int, bytes]] = deque()

    def add(self, frame: bytes, now_ns: int) -> None:
        """Holds a frame for the delay, or drops it."""
        lost = self._random.random() < self._loss
        if not lost and len(self._held) < MOST_HELD:
            self._held.append((now_ns + self._delay_ns, frame))

    @property
    def next_ns(self) -> int | None:
        """The instant at which the next frame is due; None if no frame is held."""
        return self._held[0][0] if self._held else None

    def due(self, now_ns: int) -> Iterator[bytes]:
        """Takes out the frames that are due."""
        while self._held and self._held[0][0] <= now_ns:
            yield self._held.popleft()[1]


def forward(device: int, outside: socket.socket, held: HeldFrames) -> None:
    """Forwards frames for ever."""
    ends = [device, outside.fileno()]
    while True:
        next_ns = held.next_ns
        wait_s = None
        if next_ns is not None:
            wait_s = max(0, next_ns - EARLY_NS - time.monotonic_ns()) / 1e9
        readable, _, _ = select.select(ends, [], [], wait_s)
        if ends[0] in readable:
            held.add(os.read(device, LONGEST_FRAME), time.monotonic_ns())
        if ends[1] in readable:
            frame, sender = outside.recvfrom(LONGEST_FRAME)
            if sender[2] != socket.PACKET_OUTGOING:
                with lossy():
                    os.write(device, frame)
        for due in held.due(time.monotonic_ns()):
            with lossy():
                outside.send(due)


@contextmanager
def lossy() -> Iterator[None]:
    """As on any link, a frame is lost if the queue behind it is full or its receiver is down."""
    try:
        yield
    except OSError as error:
        if error.errno not in LOST:
            raise


def main() -> None:
    delay_ns, loss, seed = sys.argv[1:]
    held = HeldFrames(int(delay_ns), float(loss), int(seed))
    try:
        device, outside = tap(INTERFACE), link(LINK)
    except OSError as error:
        print(f"{error.strerror}", flush=True)
        sys.exit(1)
    # A delay in the kernel does not wait for a processor either.
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    if os.fork():
        return
    os.setsid()
    print("ready", flush=True)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    forward(device, outside, held)


if __name__ == "__main__":
    main()
