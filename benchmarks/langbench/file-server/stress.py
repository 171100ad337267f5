"""A stress test with many clients at once. Each sends every kind of request, and some leave in
between."""

from __future__ import annotations

import concurrent.futures
import socket
import struct

from .conversation import Case, Site, answers, connect, told

CONNECTIONS = 64


def stress(port: int, site: Site, rounds: int) -> int:
    """Runs the clients, compares each answer, and returns the number of answered requests."""
    cases = site.cases()
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        clients = [pool.submit(client, port, cases, rounds, own) for own in range(CONNECTIONS)]
        return sum(future.result() for future in clients)


def client(port: int, cases: list[Case], rounds: int, own: int) -> int:
    answered = 0
    for number in range(rounds):
        case = cases[(own * 31 + number) % len(cases)]
        said = answers(told(port, case.send), iter(case.heads))
        assert tuple(answer.said for answer in said) == case.answers, case.name
        answered += len(said)
        if number % 8 == own % 8:
            leave(port, case.send)
    return answered


def leave(port: int, sent: bytes) -> None:
    """Leaves with a reset, without reading the answer."""
    with connect(port) as going:
        going.sendall(sent)
        going.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
