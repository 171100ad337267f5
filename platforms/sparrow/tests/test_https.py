"""Tests of HTTPS: the server, fetch, and WebSockets over TLS, with Python and Node as the other
side."""

from __future__ import annotations

import contextlib
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Certificates, Run, Served

LIMIT_S = 60
Serve = Callable[[str], "Served"]

SERVER = """
import { serve, text } from 'sparrow:http';
import { onSignal } from 'sparrow:process';
import { upgrade } from 'sparrow:websocket';
const big = 'x'.repeat(8e6);
function* parts() { for (let i = 0; i < 100; i++) yield 'x'.repeat(50000); }
function* broken() { yield 'half'; throw new Error('broken'); }
const routes = {
  '/big': () => big,
  '/parts': () => text(parts()),
  '/broken': () => text(broken()),
  '/echo': (request) => text(request.bytes),
  '/socket': (request) => upgrade(request, (socket) => {
    socket.onmessage = (message) => socket.send(message);
  }),
};
const limits = { bodyBytes: 8e6, ...LIMITS };
const server = serve({ limits, tls: TLS }, (request) => routes[request.path]?.(request) ?? 'hello');
console.log(server.port);
onSignal('SIGTERM', async () => { await server.stop(); console.log('stopped'); });
"""
END = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def source(certificates: Certificates, name: str = "good", limits: str = "{}") -> str:
    return SERVER.replace("LIMITS", limits).replace("TLS", certificates.options(name))


@pytest.fixture(scope="module")
def shared(serve_all: Serve, certificates: Certificates) -> Served:
    return serve_all(source(certificates))


def connected(served: Served, certificates: Certificates, *protocols: str) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=certificates["authority"])
    context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF  # older versions of Python set it
    if protocols:
        context.set_alpn_protocols(protocols)
    plain = served.connect()
    plain.settimeout(LIMIT_S)
    return context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False)


def until_closed(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def test_answers_are_whole(shared: Served, certificates: Certificates) -> None:
    """Pipelined requests, and answers that are longer than what the kernel takes."""
    for path, size in (("/big", 8_000_000), ("/parts", 5_000_000)):
        with connected(shared, certificates) as connection:
            connection.sendall(get("/") + get(path) + END)
            received = until_closed(connection)
        assert received.count(b"HTTP/1.1 200 OK") == 3
        assert received.count(b"xx") == size // 2
        assert received.endswith(b"hello")


def test_the_protocol_is_http(shared: Served, certificates: Certificates) -> None:
    with connected(shared, certificates, "h2", "http/1.1") as connection:
        assert connection.selected_alpn_protocol() == "http/1.1"
    with pytest.raises(ssl.SSLError, match="no application protocol"):
        connected(shared, certificates, "h2")


def test_a_broken_answer_does_not_end_well(shared: Served, certificates: Certificates) -> None:
    """A client of HTTP/1.0 knows the end of such an answer only by the goodbye of TLS."""
    with connected(shared, certificates) as connection:
        connection.sendall(b"GET /broken HTTP/1.0\r\n\r\n")
        with pytest.raises(ssl.SSLError, match="EOF"):
            until_closed(connection)


def test_limits_hold(serve: Serve, certificates: Certificates) -> None:
    limits = "{ headMs: 1000, bodyMs: 1000, idleMs: 1000, bodyBytes: 10 }"
    served = serve(source(certificates, limits=limits))
    with served.connect() as silent:
        assert silent.recv(1) == b""  # no handshake
    with connected(served, certificates) as connection:
        assert until_closed(connection) == b""  # no request; Python checks the goodbye
    for sent, status in (
        (b"GET / HT", b"408"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na", b"408"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", b"413"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
    ):
        with connected(served, certificates) as connection:
            connection.sendall(sent)
            assert until_closed(connection).startswith(b"HTTP/1.1 " + status)


def test_plain_http_is_not_answered(shared: Served, certificates: Certificates) -> None:
    with shared.connect() as plain:
        plain.sendall(END)
        with contextlib.suppress(ConnectionResetError):
            assert until_closed(plain) == b""
    with connected(shared, certificates) as connection:
        connection.sendall(END)
        assert until_closed(connection).endswith(b"hello")


def test_the_end_is_graceful(serve: Serve, certificates: Certificates) -> None:
    served = serve(source(certificates))
    with connected(served, certificates) as idle:
        idle.sendall(get("/"))
        assert idle.recv(65536).endswith(b"hello")
        served.process.send_signal(signal.SIGTERM)
        assert until_closed(idle) == b""
    assert served.process.wait(LIMIT_S) == 0


def test_fetch_verifies(run: Run, serve: Serve, certificates: Certificates) -> None:
    ca = f"tls: {{ ca: '{certificates['authority']}' }}"
    outcomes = []
    for name in ("good", "other", "expired"):
        port = serve(source(certificates, name)).port
        done = run(
            f"try {{ const answer = await fetch('https://localhost:{port}/echo', {{ {ca},\n"
            "  method: 'POST', body: 'y'.repeat(5e6) });\n"
            "  console.log((await answer.text()).length);\n"
            "} catch (error) { console.log(error.message); }"
        )
        assert done.stderr == ""
        outcomes.append(done.stdout.strip().replace(str(port), "PORT"))
    failed = "https://localhost:PORT cannot be fetched: TLS: certificate verify failed: "
    assert outcomes == ["5000000", f"{failed}hostname mismatch", f"{failed}certificate has expired"]


def test_a_certificate_and_its_key_may_be_bytes(run: Run, certificates: Certificates) -> None:
    done = run(
        "import { readFileSync } from 'node:fs';\n"
        "import { listen } from 'sparrow:tcp';\n"
        f"const cert = readFileSync('{certificates['good']}');\n"
        f"const key = readFileSync('{certificates.key('good')}');\n"
        "listen({ tls: { cert, key } }, () => {}).close();\n"
        "try { listen({ tls: { cert, key: Buffer.from('secret') } }, () => {}); }\n"
        "catch ({ message }) { console.log(message); }"
    )
    assert done.stdout.startswith("TLS: the key cannot be used: "), done.stderr
    assert "secret" not in done.stdout


CLIENT = """
const big = await fetch('https://localhost:PORT/big');
console.log(big.status, (await big.text()).length);
const socket = new WebSocket('wss://localhost:PORT/socket');
socket.onopen = () => socket.send('y'.repeat(500000));
socket.onmessage = ({ data }) => { console.log(data.length); socket.close(4000); };
socket.onclose = ({ code, reason, wasClean }) => console.log(code, reason, wasClean);
"""


def test_node_agrees(
    shared: Served,
    sparrow: Path,
    tmp_path: Path,
    certificates: Certificates,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine is Node's executable, whose clients are other implementations."""
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificates["authority"]))
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    script = tmp_path / "client.mjs"
    script.write_text(CLIENT.replace("PORT", str(shared.port)), encoding="utf-8")
    words = [Path(launcher).with_name("engine"), script]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert done.stdout == "200 8000000\n500000\n4000  true\n", done.stderr


class Handler(BaseHTTPRequestHandler):
    """Says whether the client has a certificate. `/to/URL` redirects to the URL."""

    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        connection = self.connection
        assert isinstance(connection, ssl.SSLSocket)
        answer = str(bool(connection.getpeercert())).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def test_a_client_certificate_is_for_its_own_origin_alone(
    run: Run, certificates: Certificates
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates["good"], certificates.key("good"))
    context.load_verify_locations(certificates["authority"])
    context.verify_mode = ssl.CERT_OPTIONAL
    with contextlib.ExitStack() as stack:
        origins = []
        for _ in range(2):
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
            server.socket = context.wrap_socket(server.socket, server_side=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            origins.append(f"https://localhost:{server.server_port}")
        first, second = origins
        own = certificates.options("good")
        done = run(
            f"const tls = {{ ca: '{certificates['authority']}', ...{own} }};\n"
            f"for (const to of ['{first}/', '{second}/']) {{\n"
            f"  const answer = await fetch('{first}/to/' + to, {{ tls }});\n"
            "  console.log(await answer.text());\n"
            "}"
        )
    assert done.stderr == ""
    assert done.stdout == "True\nFalse\n"
