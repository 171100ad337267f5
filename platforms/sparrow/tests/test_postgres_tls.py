"""Tests of TLS to PostgreSQL: a real server, and peers that lie."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Certificates, Database, Run

PASSWORD = "secret"
REQUEST = bytes([0, 0, 0, 8, 4, 210, 22, 47])
CANCEL = bytes([4, 210, 22, 46])
LOGGED_IN = b"R\0\0\0\x08\0\0\0\0" + b"Z\0\0\0\x05I"
MODES = ["prefer", "require", "verify-ca", "verify-full"]


@pytest.fixture
def secure(database: Database, certificates: Certificates) -> Iterator[Database]:
    """The server with TLS and the certificate `good`."""
    with certified(database, certificates, "good"):
        yield database


@contextlib.contextmanager
def certified(
    database: Database, certificates: Certificates, name: str, *settings: str
) -> Iterator[None]:
    database.certify(certificates[name], certificates.key(name))
    database.stop()
    database.start("ssl=on", *settings)
    try:
        yield
    finally:
        database.stop()
        database.start()


def outcome(run: Run, port: int, query: str, user: str = "owner", host: str = "127.0.0.1") -> str:
    """Whether a connection is encrypted (`true` or `false`), or why there is none."""
    done = run(
        "import { connect } from 'sparrow:postgres';\n"
        f"const url = 'postgresql://{user}:{PASSWORD}@{host}:{port}/postgres?{query}';\n"
        "try {\n"
        "  const db = await connect(url, { connections: 1, connectMs: 20000 });\n"
        "  const [{ ssl }] = await db.query(\n"
        "    'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');\n"
        "  console.log(ssl);\n"
        "  db.close();\n"
        "} catch (error) { console.log(error.message); }"
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.strip()


def test_modes_encrypt_and_verify(run: Run, database: Database, certificates: Certificates) -> None:
    """Each mode against each certificate: true and false tell whether TLS is used."""
    root = f"&sslrootcert={certificates['authority']}"
    wrong = "TLS: certificate verify failed: "
    with certified(database, certificates, "good"):
        assert outcome(run, database.port, "") == "true"
        assert outcome(run, database.port, "sslmode=disable") == "false"
        for mode in MODES:
            assert outcome(run, database.port, f"sslmode={mode}{root}") == "true"
        assert outcome(run, database.port, "sslmode=require") == "true"
        # The system does not know the authority.
        assert outcome(run, database.port, "sslmode=verify-ca").startswith(wrong)
    with certified(database, certificates, "other"):
        assert outcome(run, database.port, f"sslmode=require{root}") == "true"
        assert outcome(run, database.port, f"sslmode=verify-ca{root}") == "true"
        for host, mismatch in (("localhost", "hostname"), ("127.0.0.1", "IP address")):
            said = outcome(run, database.port, f"sslmode=verify-full{root}", host=host)
            assert said == f"{wrong}{mismatch} mismatch"
    for name in ("expired", "own"):
        with certified(database, certificates, name):
            assert outcome(run, database.port, "sslmode=require") == "true"
            for mode in ("require", "verify-ca", "verify-full"):
                assert outcome(run, database.port, f"sslmode={mode}{root}").startswith(wrong)


def test_a_server_without_tls_is_used_only_if_it_may(run: Run, database: Database) -> None:
    assert outcome(run, database.port, "sslmode=prefer") == "false"
    for mode in MODES[1:]:
        said = outcome(run, database.port, f"sslmode={mode}")
        assert said.endswith(f"has no TLS, but sslmode={mode} requires it")


def test_only_prefer_does_without_tls_if_the_handshake_fails(
    run: Run, database: Database, certificates: Certificates
) -> None:
    old = ("ssl_min_protocol_version=TLSv1", "ssl_max_protocol_version=TLSv1.1")
    with certified(database, certificates, "good", *old):
        assert outcome(run, database.port, "sslmode=prefer") == "false"
        assert outcome(run, database.port, "sslmode=require").startswith("TLS: ")


@contextlib.contextmanager
def acting(part: Callable[[socket.socket], object]) -> Iterator[int]:
    """The port of a server that plays a part on each connection."""

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=play, args=(client,), daemon=True).start()

    def play(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(60)
            part(client)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("answer", [b"S" + LOGGED_IN, b"N" + LOGGED_IN, b"E\0\0\0\x05\0", b"?"])
@pytest.mark.parametrize("mode", ["prefer", "require"])
def test_bytes_before_the_handshake_are_refused(
    run: Run, certificates: Certificates, mode: str, answer: bytes
) -> None:
    """CVE-2021-23222: they would be read as the answers of the server that TLS has verified."""

    def inject(client: socket.socket) -> None:
        assert client.recv(8) == REQUEST
        client.sendall(answer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates["good"], certificates.key("good"))
        with context.wrap_socket(client, server_side=True) as secured:
            secured.recv(4096)

    with acting(inject) as port:
        said = outcome(run, port, f"sslmode={mode}")
    assert said == f"PostgreSQL at 127.0.0.1:{port} gave no valid answer when asked for TLS"


@pytest.mark.parametrize("mode", ["prefer", "require"])
def test_a_server_that_closes_is_said(run: Run, mode: str) -> None:
    with acting(lambda client: client.recv(8)) as port:
        said = outcome(run, port, f"sslmode={mode}")
    assert said == f"PostgreSQL at 127.0.0.1:{port} closed the connection when asked for TLS"


class Middle:
    """Somebody in the middle, with TLS to both sides. `strips`: takes the offer of channel binding
    away."""

    def __init__(self, certificates: Certificates, port: int, strips: bool) -> None:
        self.port = port
        self.strips = strips
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificates["own"], certificates.key("own"))

    def __call__(self, client: socket.socket) -> None:
        assert client.recv(8) == REQUEST
        client.sendall(b"S")
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            server.sendall(REQUEST)
            assert server.recv(1) == b"S"
            with (
                self.context.wrap_socket(client, server_side=True) as here,
                trusting.wrap_socket(server) as there,
            ):
                self.relay(here, there)

    def relay(self, here: ssl.SSLSocket, there: ssl.SSLSocket) -> None:
        ends = {here: there, there: here}
        while True:
            ready = [end for end in ends if end.pending()] or select.select(list(ends), [], [])[0]
            for end in ready:
                part = end.recv(65536)
                if not part:
                    return
                if self.strips and part[:1] == b"R" and b"-PLUS" in part:
                    kept = (10).to_bytes(4, "big") + b"SCRAM-SHA-256\0\0"
                    part = b"R" + (len(kept) + 4).to_bytes(4, "big") + kept
                ends[end].sendall(part)


def test_a_login_is_bound_to_the_servers_certificate(
    run: Run, secure: Database, certificates: Certificates
) -> None:
    made = run(
        "import { connect } from 'sparrow:postgres';\n"
        f"const db = await connect('{secure.url()}');\n"
        f"await db.query(`CREATE ROLE bound LOGIN PASSWORD '{PASSWORD}'`);\n"
        "db.close();"
    )
    assert made.stderr == ""
    access = secure.data / "pg_hba.conf"
    before = access.read_text()
    access.write_text(before + "host all bound 127.0.0.1/32 scram-sha-256\n")
    secure.stop()
    secure.start("ssl=on")
    try:
        assert outcome(run, secure.port, "sslmode=require", user="bound") == "true"
        assert outcome(run, secure.port, "sslmode=disable", user="bound") == "false"
        with acting(Middle(certificates, secure.port, strips=False)) as port:
            # A login without a password goes through the middle.
            assert outcome(run, port, "sslmode=require") == "true"
            said = outcome(run, port, "sslmode=require", user="bound")
            assert said == "SCRAM channel binding check failed"
        with acting(Middle(certificates, secure.port, strips=True)) as port:
            said = outcome(run, port, "sslmode=require", user="bound")
            assert said == "SCRAM channel binding negotiation error"
    finally:
        access.write_text(before)


def test_a_server_that_proves_nothing_is_refused(run: Run) -> None:
    """It asks for SCRAM, and lets anybody in."""

    def pretend(client: socket.socket) -> None:
        assert client.recv(8) == REQUEST
        client.sendall(b"N")
        client.recv(4096)
        offer = (10).to_bytes(4, "big") + b"SCRAM-SHA-256\0\0"
        client.sendall(b"R" + (len(offer) + 4).to_bytes(4, "big") + offer)
        client.recv(4096)
        client.sendall(LOGGED_IN)
        client.recv(4096)

    with acting(pretend) as port:
        said = outcome(run, port, "")
    assert said == "the server could not prove that it knows the password"


def test_a_cancellation_is_encrypted_too(run: Run, secure: Database) -> None:
    """The key of a cancellation would let others end this connection's queries."""
    sent: list[bytes] = []

    def record(client: socket.socket) -> None:
        own = len(sent)
        sent.append(b"")
        with socket.create_connection(("127.0.0.1", secure.port)) as server:
            ends = {client: server, server: client}
            while True:
                for end in select.select(list(ends), [], [])[0]:
                    part = end.recv(65536)
                    if not part:
                        return
                    if end is client:
                        sent[own] += part
                    ends[end].sendall(part)

    with acting(record) as port:
        done = run(
            "import { connect } from 'sparrow:postgres';\n"
            f"const url = 'postgresql://owner@127.0.0.1:{port}/postgres?sslmode=require';\n"
            "const db = await connect(url, { connections: 1 });\n"
            "const signal = AbortSignal.timeout(50);\n"
            "try { await db.query('SELECT pg_sleep(600)', [], { signal }); }\n"
            "catch (error) { console.log(error.name); }\n"
            "db.close();"
        )
    assert done.stdout == "TimeoutError\n", done.stderr
    assert len(sent) == 2
    assert all(part.startswith(REQUEST) and CANCEL not in part for part in sent)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("sslmode=allow", "sslmode=allow is unknown; it can be disable, prefer, require, "),
        ("sslmode=toString", "sslmode=toString is unknown"),
        ("ssl=true", "the URL of a database cannot have ssl; it can have sslmode, "),
        ("sslmode=verify-full&sslrootcert=/nowhere.pem", "/nowhere.pem"),
    ],
)
def test_a_mistake_in_the_url_is_said(query: str, said: str, run: Run, secure: Database) -> None:
    assert said in outcome(run, secure.port, query)
