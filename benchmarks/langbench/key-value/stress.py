"""A stress test with many clients at once. The test checks properties that must be true for every
order of requests."""

from __future__ import annotations

import concurrent.futures
import random

from .client import request
from .model import Model, bulk
from .program import Running


def stress(running: Running, connections: int, operations: int) -> None:
    """Clients write their own keys and shared keys. The clients' own keys must have the values that
    they wrote."""
    model = Model(rows=7)

    def work(number: int) -> list[tuple[bytes, bytes]]:
        generator = random.Random(number)
        own: dict[bytes, bytes] = {}
        with running.client() as client:
            for _ in range(operations):
                key = b"own:%d:%d" % (number, generator.randrange(20))
                shared = b"shared:%d" % generator.randrange(10)
                value = b"%d" % generator.randrange(10**6)
                kind = generator.randrange(5)
                if kind < 2:
                    assert client.ask(b"SET", key, value) == b"+OK\r\n"
                    own[key] = value
                elif kind == 2:
                    assert client.ask(b"DEL", key) == b":%d\r\n" % (key in own)
                    own.pop(key, None)
                elif kind == 3:
                    client.socket.sendall(request(b"SET", shared, value) + request(b"GET", shared))
                    assert client.answer() == b"+OK\r\n"
                    assert client.answer().startswith(b"$")
                else:
                    known = own.get(key)
                    assert client.ask(b"GET", key) == bulk(known)
            if number == 0:
                client.figures()
                client.ask(b"DEBUG", b"DIGEST")
        return list(own.items())

    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        for own in pool.map(work, range(connections)):
            for key, value in own:
                model.set(key, value)
    with running.client() as client:
        for number in range(10):
            client.ask(b"DEL", b"shared:%d" % number)
        assert client.ask(b"DBSIZE") == b":%d\r\n" % model.entries()
        assert client.ask(b"DEBUG", b"DIGEST") == b"+%016x\r\n" % model.digest()


def cap(running: Running, connections: int, operations: int, capacity_bytes: int) -> None:
    """Clients evict each other's entries. The remaining entries must be within the capacity."""

    def work(number: int) -> None:
        generator = random.Random(number)
        with running.client() as client:
            for _ in range(operations):
                key = b"%d" % generator.randrange(200)
                client.ask(b"SET", key, bytes(generator.randint(1, 100)))
                client.ask(b"GET", b"%d" % generator.randrange(200))

    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(work, number) for number in range(connections)]:
            done.result()
    with running.client() as client:
        assert client.figures()["evicted_keys"] > 0
        # One more entry, written alone, brings the total below the capacity, whatever happened
        # before.
        client.ask(b"SET", b"last", b"x")
        answers = [client.ask(b"GET", b"%d" % number) for number in range(200)]
    used_bytes = sum(
        int(answer[1 : answer.index(b"\r")]) for answer in answers if b"-1" not in answer
    )
    assert 0 < used_bytes <= capacity_bytes
