"""Ports for servers that are started later."""

from __future__ import annotations

import contextlib
import random
import socket


def free_ports(count: int) -> list[int]:
    """Consecutive ports on which nobody listens. They lie below the ports that the kernel gives to
    others at any time (ip_local_port_range)."""
    for _ in range(100):
        first = random.randrange(12_000, 32_000)
        ports = [*range(first, first + count)]
        with contextlib.ExitStack() as held:
            try:
                for port in ports:
                    held.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
            return ports
    raise AssertionError("all ports are in use")


def free_port() -> int:
    return free_ports(1)[0]
