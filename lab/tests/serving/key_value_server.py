"""A key-value store by the contract, a connection at a time a thread; or one with a fault, named as
its first argument: it forgets, alters, dies, hangs, differs from pass to pass, or ends badly."""

from __future__ import annotations

import json
import os
import signal
import socketserver
import sys
import threading
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
FAULT = "" if "=" in FAULT else FAULT
STORE: dict[bytes, bytes] = {}
LOCK = threading.Lock()
FLUSHES = [0]
DIGESTS = [0]


def answer(words: list[bytes]) -> bytes:
    name = words[0].upper()
    with LOCK:
        if name == b"SET":
            if FAULT == "dies" and len(STORE) > 20:
                os._exit(9)
            if FAULT == "hangs":
                print("waiting", file=sys.stderr, flush=True)
                time.sleep(60)
            if not (FAULT == "forgets" and len(STORE) > 20):
                STORE[words[1]] = words[2]
            return b"+OK\r\n"
        if name == b"GET":
            value = STORE.get(words[1])
            if value is None:
                return b"$-1\r\n"
            if FAULT == "alters":
                value = value[:-1] + b"!"
            return b"$%d\r\n%s\r\n" % (len(value), value)
        if name == b"FLUSHALL":
            STORE.clear()
            FLUSHES[0] += 1
            return b"+OK\r\n"
        if name == b"DEBUG":
            DIGESTS[0] += 1
            different = FLUSHES[0] if FAULT == "differs" else 0
            return b"+%016x\r\n" % (len(STORE) + different)
        text = b"# Server\r\nsets:1\r\n\r\n# Runfair\r\nentries:%d\r\n" % len(STORE)
        if "addresses=1" in sys.argv:
            text += b"\r\n# Locality\r\npairs:10\r\nmedian_distance_bytes:64\r\n"
            text += b"frequent_distance_bytes:48\r\nfrequent_distance_pairs:4\r\n"
            text += b"collections:%d\r\n\r\n# Other\r\ncollections:99\r\n" % DIGESTS[0]
        return b"$%d\r\n%s\r\n" % (len(text), text)


class Connection(socketserver.StreamRequestHandler):
    """One client."""

    def handle(self) -> None:
        while head := self.rfile.readline():
            words = []
            for _ in range(int(head[1:])):
                length = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(length + 2)[:-2])
            self.wfile.write(answer(words))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128


def said(event: str, **values: object) -> None:
    print(json.dumps({"event": event, **values}), flush=True)


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Connection)
    status = 1 if FAULT == "ends badly" else 0
    said(
        "start",
        contract=2,
        benchmark="key-value",
        language="python",
        tier="standard",
        runtime="test",
        threads=1,
        processors=1,
        monotonic_ns=time.monotonic_ns(),
        realtime_ns=time.time_ns(),
        cpu_clock_resolution_ns=1,
    )
    said("ready", host="127.0.0.1", port=server.server_address[1])

    def end(*_: object) -> None:
        said("end", iterations=0)
        os._exit(status)

    signal.signal(signal.SIGTERM, end)
    server.serve_forever()
