"""A server that speaks enough of Redis's protocol to be taken for one: AUTH, INFO, PING."""

from __future__ import annotations

import contextlib
import socketserver
import threading
from collections.abc import Iterator
from io import BufferedIOBase
from typing import cast

PASSWORD = "s3cret: é"


class LittleRedis(socketserver.ThreadingTCPServer):
    """`run` is what it calls its run, `password` what it wants before it answers; one that `knows`
    no INFO answers as others do that speak the protocol."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.port: int = self.server_address[1]
        self.run = "first"
        self.password = ""
        self.knows = True

    def answer(self, words: list[str], allowed: bool) -> bytes:
        name = words[0].upper()
        if name == "AUTH":
            return b"+OK\r\n" if words[1] == self.password else b"-WRONGPASS invalid\r\n"
        if not allowed:
            return b"-NOAUTH Authentication required.\r\n"
        if name == "PING":
            return b"+PONG\r\n"
        if name == "INFO" and self.knows:
            text = f"# Server\r\nredis_version:7.0.15\r\nrun_id:{self.run}\r\n".encode()
            return b"$%d\r\n%s\r\n" % (len(text), text)
        return b"-ERR unknown command '%s'\r\n" % words[0].encode()


class _Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = cast(LittleRedis, self.server)
        allowed = not server.password
        with contextlib.suppress(ConnectionError):
            while words := _command(self.rfile):
                said = server.answer(words, allowed)
                allowed = allowed or said == b"+OK\r\n"
                self.wfile.write(said)


def _command(said: BufferedIOBase) -> list[str]:
    """Empty at the end of the connection."""
    head = said.readline()
    words = []
    for _ in range(int(head[1:] or b"0")):
        length = int(said.readline()[1:])
        words.append(said.read(length + 2)[:-2].decode())
    return words


@contextlib.contextmanager
def little_redis() -> Iterator[LittleRedis]:
    with LittleRedis() as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            serving.join()
