"""Tests of TLS on sockets, with Python's ssl as the other side."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Certificates, Run, Served

LIMIT_S = 30
Serve = Callable[[str], "Served"]

# Tells each outcome in a line. A connection that sends `flood` gets 20 MB, one that sends `pause`
# is read no further, and the others get back what they have sent.
SERVER = """
import { listen } from 'sparrow:tcp';
const flood = (connection) => {
  let left = 200;
  let most = 0;
  const send = () => {
    let waiting = 0;
    while (left > 0 && waiting === 0) {
      left--;
      most = Math.max(most, (waiting = connection.write(new Uint8Array(100000))));
    }
    if (most === waiting) console.log('waits');
    if (left > 0 || waiting > 0) return;
    connection.ondrain = () => {};
    console.log('most', most);
    connection.end();
  };
  connection.ondrain = send;
  send();
};
const accepted = (connection) => {
  connection.ondata = (bytes) => {
    const word = new TextDecoder().decode(bytes);
    if (word === 'flood') flood(connection);
    else if (word === 'pause') { connection.pause(true); connection.write(bytes); }
    else connection.write(bytes);
  };
  connection.onend = () => { console.log('ended'); connection.end(); };
  connection.onerror = (error) => console.log(error.message);
};
const refused = (error) => console.log('refused', error.message);
console.log(listen({ tls: { ...TLS, handshakeMs: 2000 }, refused }, accepted).port);
"""
VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.fixture(scope="module")
def shared(serve_all: Serve, certificates: Certificates) -> Served:
    return serve_all(SERVER.replace("TLS", certificates.options("good"), 1))


@pytest.fixture
def served(serve: Serve, certificates: Certificates) -> Served:
    return serve(SERVER.replace("TLS", certificates.options("good"), 1))


def line_of(served: Served) -> str:
    assert served.process.stdout is not None
    return served.process.stdout.readline().rstrip("\n")


def trusting(certificates: Certificates) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificates["authority"])


@contextlib.contextmanager
def talking(
    served: Served, context: ssl.SSLContext, session: ssl.SSLSession | None = None
) -> Iterator[ssl.SSLSocket]:
    plain = served.connect()
    plain.settimeout(LIMIT_S)
    with context.wrap_socket(
        plain, server_hostname="localhost", session=session, suppress_ragged_eofs=False
    ) as connection:
        yield connection


def until_closed(connection: socket.socket) -> bytes:
    whole = b""
    while part := connection.recv(65536):
        whole += part
    return whole


def received(connection: ssl.SSLSocket, size: int) -> bytes:
    whole = b""
    while len(whole) < size and (part := connection.recv(65536)):
        whole += part
    return whole


@pytest.mark.parametrize("version", VERSIONS)
def test_large_contents_go_both_ways(
    version: ssl.TLSVersion, shared: Served, certificates: Certificates
) -> None:
    context = trusting(certificates)
    context.minimum_version = context.maximum_version = version
    content = bytes(range(256)) * 20000
    with talking(shared, context) as connection:
        connection.sendall(content)  # the server keeps what is not read yet
        assert received(connection, len(content)) == content
        assert connection.version() == version.name.replace("_", ".")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_is_resumed(
    version: ssl.TLSVersion, shared: Served, certificates: Certificates
) -> None:
    context = trusting(certificates)
    context.minimum_version = context.maximum_version = version
    with talking(shared, context) as first:
        first.sendall(b"one")
        assert received(first, 3) == b"one"
        session = first.session
        assert not first.session_reused
    with talking(shared, context, session) as second:
        second.sendall(b"two")
        assert received(second, 3) == b"two"
        assert second.session_reused


def test_a_writer_sees_what_waits(served: Served, certificates: Certificates) -> None:
    """The writer stops while bytes wait, so never more than one of its parts waits."""
    with talking(served, trusting(certificates)) as connection:
        connection.sendall(b"flood")
        assert line_of(served) == "waits"
        size = 0
        while part := connection.recv(65536):
            size += len(part)
        assert size == 20_000_000  # and a goodbye: Python checks that
    while (line := line_of(served)) == "waits":
        pass
    word, most = line.split()
    assert word == "most"
    assert 0 < int(most) <= 100_000


def test_who_pauses_is_sent_no_more(shared: Served, certificates: Certificates) -> None:
    with talking(shared, trusting(certificates)) as connection:
        connection.sendall(b"pause")
        assert received(connection, 5) == b"pause"
        connection.settimeout(1)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 200_000_000:
                sent += connection.send(bytes(1_000_000))


def test_who_is_not_spoken_to_is_told(served: Served) -> None:
    with served.connect() as silent:
        assert silent.recv(1) == b""
    assert line_of(served) == "refused TLS: the handshake took longer than 2000 ms"
    with contextlib.suppress(ConnectionError), served.connect() as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        until_closed(plain)
    assert line_of(served) == "refused TLS: http request"
    with contextlib.suppress(ConnectionError), served.connect() as noise:
        noise.sendall(bytes(range(255, 155, -1)))
        until_closed(noise)
    assert line_of(served).startswith("refused TLS: ")
    with served.connect() as gone:
        gone.shutdown(socket.SHUT_WR)
        until_closed(gone)
    assert line_of(served) == "refused TLS: unexpected eof while reading"
    with pytest.raises(ssl.SSLError, match="verify failed"), served.connect() as plain:
        ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    assert line_of(served) == "refused TLS: tlsv1 alert unknown ca"


def test_an_end_is_told_from_a_loss(served: Served, certificates: Certificates) -> None:
    context = trusting(certificates)
    with talking(served, context) as connection:
        connection.unwrap()  # says goodbye, and waits for the server's
    assert line_of(served) == "ended"
    with talking(served, context) as connection:
        connection.shutdown(socket.SHUT_WR)  # of TCP, without a goodbye
        # Closed with unread bytes, it would be reset, maybe before the server reads its end.
        until_closed(connection)
    assert line_of(served) == "TLS: unexpected eof while reading"
    with talking(served, context) as connection:
        connection.sendall(b"hello")
        assert received(connection, 5) == b"hello"
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert line_of(served) == "connection: Connection reset by peer"


def test_a_client_that_has_ended_gets_the_rest(
    run: Run, shared: Served, certificates: Certificates
) -> None:
    done = run(
        "import { connect } from 'sparrow:tcp';\n"
        f"const tls = {{ ca: '{certificates['authority']}' }};\n"
        f"const connection = await connect('localhost', {shared.port}, {{ tls }});\n"
        "let size = 0;\n"
        # A second `end` has nothing to say, and must not read what arrives.
        "connection.ondata = (bytes) => { size += bytes.length; connection.end(); };\n"
        "connection.onend = () => console.log(size);\n"
        "connection.write(new Uint8Array(5e6));\n"
        "connection.end();"
    )
    assert (done.stdout, done.stderr) == ("5000000\n", "")


class Scripted:
    """A server that greets each client over TLS, and says goodbye if `polite`."""

    def __init__(self, certificates: Certificates, name: str, *, polite: bool = True) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificates[name], certificates.key(name))
        self.context.sni_callback = lambda _socket, host, _context: self.hosts.append(host)
        self.polite = polite
        self.hosts: list[str | None] = []
        self.resumed: list[bool] = []  # of each complete handshake
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        threading.Thread(target=self.greet, daemon=True).start()

    def greet(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self.listener.accept()
                plain.settimeout(LIMIT_S)
                with contextlib.suppress(OSError), plain:
                    connection = self.context.wrap_socket(plain, server_side=True)
                    self.resumed.append(bool(connection.session_reused))
                    connection.sendall(b"hello")
                    if self.polite:
                        connection.unwrap()
                    connection.close()


# Tells what a client gets of a server.
CLIENT = """
import { connect } from 'sparrow:tcp';
for (const [host, tls] of ASKED) {
  try {
    const connection = await connect(host, PORT, { tls });
    connection.ondata = (bytes) => console.log(new TextDecoder().decode(bytes));
    await new Promise((resolve, reject) => {
      connection.onend = resolve;
      connection.onerror = reject;
    });
    connection.end();
  } catch (error) {
    console.log(error.message);
  }
}
"""


def told(run: Run, port: int, *asked: str) -> list[str]:
    source = CLIENT.replace("ASKED", f"[{', '.join(asked)}]").replace("PORT", str(port))
    done = run(source)
    assert done.stderr == ""
    return done.stdout.splitlines()


FAILED = "TLS: certificate verify failed: "


@pytest.mark.parametrize(
    ("name", "full", "chain"),
    [
        ("good", "hello", "hello"),
        ("other", f"{FAILED}hostname mismatch", "hello"),
        ("expired", f"{FAILED}certificate has expired", f"{FAILED}certificate has expired"),
        ("own", f"{FAILED}self-signed certificate", f"{FAILED}self-signed certificate"),
    ],
)
def test_a_certificate_is_verified(
    name: str, full: str, chain: str, run: Run, certificates: Certificates
) -> None:
    """By name and by address; the chain alone; not at all; and against the system's authorities."""
    server = Scripted(certificates, name)
    ca = f"ca: '{certificates['authority']}'"
    lines = told(
        run,
        server.port,
        f"['localhost', {{ {ca} }}]",
        f"['127.0.0.1', {{ {ca} }}]",
        f"['localhost', {{ {ca}, verify: 'ca' }}]",
        "['localhost', { verify: 'none' }]",
        "['localhost', true]",
    )
    address = full.replace("hostname", "IP address")
    strangers = (
        f"{FAILED}self-signed certificate"
        if name == "own"
        else f"{FAILED}unable to get local issuer certificate"
    )
    assert lines == [full, address, chain, "hello", strangers]
    assert server.hosts == ["localhost", None, "localhost", "localhost", "localhost"]
    assert told(run, server.port, f"['127.0.0.1', {{ {ca}, servername: 'elsewhere' }}]") == [
        {"other": "hello", "own": full}.get(name, f"{FAILED}hostname mismatch")
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_resumes_its_sessions(
    version: ssl.TLSVersion, run: Run, certificates: Certificates
) -> None:
    """Full and resumed handshakes, as the server counts them. A session is for one name, and for
    what was verified."""
    server = Scripted(certificates, "good")
    server.context.maximum_version = version
    ca = f"ca: '{certificates['authority']}'"
    usual = f"['localhost', {{ {ca} }}]"
    others = [
        f"['localhost', {{ {ca}, verify: 'ca' }}]",
        f"['127.0.0.1', {{ {ca} }}]",
        "['localhost', { verify: 'none' }]",
    ]
    assert told(run, server.port, usual, usual, usual, *others, usual) == ["hello"] * 7
    assert server.resumed == [False, True, True, False, False, False, True]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_without_verification_is_not_resumed_with_it(
    version: ssl.TLSVersion, run: Run, certificates: Certificates
) -> None:
    """A resumed handshake shows no certificate, so it would verify nothing."""
    server = Scripted(certificates, "other")
    server.context.maximum_version = version
    ca = f"ca: '{certificates['authority']}'"
    chain, full = f"['localhost', {{ {ca}, verify: 'ca' }}]", f"['localhost', {{ {ca} }}]"
    lines = told(run, server.port, chain, full, chain)
    assert lines == ["hello", f"{FAILED}hostname mismatch", "hello"]
    assert (server.resumed[0], server.resumed[-1]) == (False, True)


def test_authorities_may_be_text_or_those_of_the_environment(
    run: Run, certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Scripted(certificates, "good")
    text = certificates["authority"].read_text()
    assert told(run, server.port, f"['localhost', {{ ca: `{text}` }}]") == ["hello"]
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificates["authority"]))
    assert told(run, server.port, "['localhost', true]") == ["hello"]
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["authority"]))
    assert told(run, server.port, "['localhost', true]") == ["hello"]
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    (said,) = told(run, server.port, "['localhost', true]")
    assert said == "'/nowhere.pem' cannot be read: No such file or directory"


def test_a_server_without_a_goodbye_is_lost(run: Run, certificates: Certificates) -> None:
    server = Scripted(certificates, "good", polite=False)
    asked = f"['localhost', {{ ca: '{certificates['authority']}' }}]"
    assert told(run, server.port, asked) == ["hello", "TLS: unexpected eof while reading"]


def test_a_reset_behind_the_end_is_told_once(run: Run, certificates: Certificates) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates["good"], certificates.key("good"))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def leave() -> None:
            plain, _ = listener.accept()
            plain.settimeout(LIMIT_S)
            connection = context.wrap_socket(plain, server_side=True)
            connection.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                connection.unwrap()  # says goodbye, and does not get the client's
            connection.close()

        threading.Thread(target=leave, daemon=True).start()
        port = listener.getsockname()[1]
        done = run(
            "import { connect } from 'sparrow:tcp';\n"
            f"const tls = {{ ca: '{certificates['authority']}' }};\n"
            f"const connection = await connect('localhost', {port}, {{ tls }});\n"
            "let ends = 0;\n"
            "const late = () => connection.write(new Uint8Array(4));\n"
            "connection.onend = () => { ends++; setTimeout(late, 2000); };\n"
            "connection.onerror = (error) => console.log(error.message);\n"
            "setTimeout(() => { console.log(ends); connection.close(); }, 4000);"
        )
    *errors, ends = done.stdout.splitlines()
    assert (ends, done.stderr) == ("1", "")
    assert errors == ["connection: Broken pipe"]


def test_a_server_without_tls_is_told(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert told(run, port, "['127.0.0.1', { handshakeMs: 50 }]") == [
            "TLS: the handshake took longer than 50 ms"
        ]

        def answer() -> None:
            silent.accept()[0].close()  # the connection that was given up
            plain, _ = silent.accept()
            with plain:
                plain.recv(65536)
                plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        assert told(run, port, "['127.0.0.1', true]") == ["TLS: wrong version number"]


def test_a_client_may_have_a_certificate(run: Run, certificates: Certificates) -> None:
    server = Scripted(certificates, "good")
    server.context.verify_mode = ssl.CERT_REQUIRED
    server.context.load_verify_locations(certificates["authority"])
    server.context.maximum_version = ssl.TLSVersion.TLSv1_2
    ca = f"ca: '{certificates['authority']}'"
    known = f"cert: '{certificates['good']}', key: '{certificates.key('good')}'"
    lines = told(
        run, server.port, f"['localhost', {{ {ca}, {known} }}]", f"['localhost', {{ {ca} }}]"
    )
    assert lines[0] == "hello"
    assert lines[1].startswith("TLS: ssl")
    assert "alert handshake failure" in lines[1]


def test_what_cannot_be_used_is_said(run: Run, certificates: Certificates, tmp_path: Path) -> None:
    good, key = certificates["good"], certificates.key("good")
    broken = tmp_path / "broken.pem"
    broken.write_text(good.read_text().replace("M", "N", 1))
    mistakes = {
        f"{{ cert: '{good}' }}": "TLS: a server needs a certificate and its key",
        f"{{ cert: '/nowhere.pem', key: '{key}' }}": "'/nowhere.pem' cannot be read",
        f"{{ cert: '{good}', key: '{certificates.key('own')}' }}": (
            "TLS: the key cannot be used: key values mismatch"
        ),
        f"{{ cert: '{key}', key: '{key}' }}": "TLS: the certificate cannot be used: no start line",
        f"{{ cert: '{broken}', key: '{key}' }}": "TLS: the certificate cannot be used: ",
    }
    calls = "\n".join(
        f"try {{ listen({{ tls: {tls} }}, () => {{}}); }} catch (e) {{ console.log(e.message); }}"
        for tls in mistakes
    )
    calls += (
        f"\nawait connect('127.0.0.1', 1, {{ tls: {{ cert: '{good}' }} }})"
        ".catch((e) => console.log(e.message));"
    )
    done = run(f"import {{ connect, listen }} from 'sparrow:tcp';\n{calls}")
    *lines, half = done.stdout.splitlines()
    assert half == "TLS: cert and key belong together; give both, or neither"
    assert len(lines) == len(mistakes), done.stderr
    for said, line in zip(mistakes.values(), lines, strict=True):
        assert line.startswith(said)
