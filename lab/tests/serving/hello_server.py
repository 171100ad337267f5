"""A service by the contract that answers `hello`, pipelined requests in turn, on the port of the
argument `port=N`; or one with a fault, named as its first argument: after some answers it alters a
body, refuses, dies or falls silent, or it ends
badly or not at all."""

from __future__ import annotations

import json
import os
import signal
import socketserver
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
FAULT = "" if "=" in FAULT else FAULT
PORT = next((int(word[5:]) for word in sys.argv if word.startswith("port=")), 0)
GOOD_FOR = 200
served = [0]


def answer() -> bytes:
    served[0] += 1
    body, status = b"hello", "200 OK"
    if served[0] > GOOD_FOR:
        if FAULT == "alters":
            body = b"hallo"
        if FAULT == "refuses":
            status = "500 Internal Server Error"
        if FAULT == "dies":
            os._exit(9)
        if FAULT == "falls silent":
            time.sleep(60)
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body)


class Connection(socketserver.StreamRequestHandler):
    """One client."""

    def handle(self) -> None:
        while self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128


def said(event: str, **values: object) -> None:
    print(json.dumps({"event": event, **values}), flush=True)


if __name__ == "__main__":
    server = Server(("127.0.0.1", PORT), Connection)
    status = 1 if FAULT == "ends badly" else 0
    said(
        "start",
        contract=2,
        benchmark="hello",
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

    signal.signal(signal.SIGTERM, signal.SIG_IGN if FAULT == "stays" else end)
    server.serve_forever()
