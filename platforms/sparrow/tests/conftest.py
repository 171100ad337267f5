"""Fixtures with which the tests of sparrow start programs and servers, and make certificates."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.serving.address import free_port
from runfair.serving.postgresql_place import server_user
from runfair.serving.postgresql_server import find_binaries

# Another build of it: what test_sanitized.py tests.
COMMAND = Path(os.environ.get("SPARROW_COMMAND", Path(__file__).parents[1] / "sparrow"))
BUILDING_LIMIT_S = 900  # the first start fetches V8 and compiles, while other processes run
LIMIT_S = 120
ACCESS = """host all scrammed 127.0.0.1/32 scram-sha-256
host all clear 127.0.0.1/32 password
host all owner 127.0.0.1/32 trust
"""
NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"
EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Told = Callable[..., list[object]]


class Served:
    """A running server that has printed its port."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)

    def ask(self, *parts: bytes) -> bytes:
        """All bytes that a connection receives until the server closes it."""
        with self.connect() as connection:
            for part in parts:
                connection.sendall(part)
            return until_closed(connection)


class Certificates:
    """A folder of `NAME.pem` and `NAME.key`: `authority`, and certificates that it has signed for
    localhost (`good`, `expired`), for another host (`other`), and one that nobody signed (`own`).
    """

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is missing: apt-get install openssl")
        self.folder = folder
        self._own("authority", "/CN=authority", "basicConstraints=critical,CA:TRUE")
        self._own("own", "/CN=localhost", NAMES)
        self._signed("good", NAMES)
        self._signed("expired", NAMES, days=-1)
        self._signed("other", "subjectAltName=DNS:elsewhere")

    def __getitem__(self, name: str) -> Path:
        """The file of a certificate."""
        return self.folder / f"{name}.pem"

    def key(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def options(self, name: str) -> str:
        """A server's option `tls`, as JavaScript."""
        return f"{{ cert: '{self[name]}', key: '{self.key(name)}' }}"

    def _openssl(self, *words: object) -> None:
        command = ["openssl", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def _own(self, name: str, subject: str, extension: str) -> None:
        files = ["-keyout", self.key(name), "-out", self[name]]
        words = ["-days", "2", "-subj", subject, "-addext", extension]
        self._openssl("req", "-x509", *EC, *files, *words)

    def _signed(self, name: str, extension: str, days: int = 2) -> None:
        request, extensions = self.folder / "request", self.folder / "extensions"
        extensions.write_text(extension)
        self._openssl("req", *EC, "-keyout", self.key(name), "-out", request, "-subj", "/CN=test")
        authority = ["-CA", self["authority"], "-CAkey", self.key("authority"), "-CAcreateserial"]
        words = ["-days", days, "-extfile", extensions, "-out", self[name]]
        self._openssl("x509", "-req", "-in", request, *authority, *words)


class Database:
    """A PostgreSQL server in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.binaries = find_binaries()
        self.user = server_user()
        self.data = folder / "data"
        self.port = free_port()
        made = ["-D", str(self.data), "-U", "owner", "-E", "UTF8", "--no-locale", "-A", "trust"]
        command = self.user.command([self.binaries.initdb, *made, "--no-sync"])
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (self.data / "pg_hba.conf").write_text(ACCESS)
        self.start()

    def start(self, *others: str) -> None:
        """`others`: further settings."""
        folder = self.data.parent
        settings = [f"port={self.port}", f"unix_socket_directories={folder}", "fsync=off", *others]
        words = [word for setting in settings for word in ("-c", setting)]
        self.process = subprocess.Popen(
            self.user.command([self.binaries.postgres, "-D", self.data, *words]),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            with contextlib.suppress(OSError, IndexError):
                lines = (self.data / "postmaster.pid").read_text().splitlines()
                if lines[7].strip() == "ready":
                    return
            time.sleep(0.02)
        pytest.fail("PostgreSQL does not start")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(LIMIT_S)

    def certify(self, certificate: Path, key: Path) -> None:
        """The settings `ssl` use this certificate from the next start on."""
        for name, source in (("server.crt", certificate), ("server.key", key)):
            shutil.copy(source, self.data / name)
            self.user.own(self.data / name)
            (self.data / name).chmod(0o600)

    def url(self, user: str = "owner", password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/postgres"


def until_closed(connection: socket.socket) -> bytes:
    received = b""
    while part := connection.recv(65536):
        received += part
    return received


@pytest.fixture(scope="session")
def sparrow() -> Path:
    """The built command. The tests are skipped if it cannot be built."""
    done = subprocess.run(
        [COMMAND, "--version"],
        capture_output=True,
        text=True,
        timeout=BUILDING_LIMIT_S,
        check=False,
    )
    if done.returncode == 2 and any(word in done.stderr for word in ("type,", "fetch", "packaged")):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return COMMAND


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def run(sparrow: Path, tmp_path: Path) -> Run:
    """Runs a source as program.js. The files that it imports lie in the same folder."""

    def carry_out(source: str, *options: str, **files: str) -> subprocess.CompletedProcess[str]:
        for name, content in files.items():
            (tmp_path / f"{name}.js").write_text(content, encoding="utf-8")
        program = tmp_path / "program.js"
        program.write_text(source, encoding="utf-8")
        return subprocess.run(
            [sparrow, *options, program.name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    return carry_out


def served_from(sparrow: Path, folder: Path) -> Iterator[Callable[[str], Served]]:
    with contextlib.ExitStack() as started:

        def start(source: str) -> Served:
            program = folder / "server.js"
            program.write_text(source, encoding="utf-8")
            process = started.enter_context(
                subprocess.Popen(
                    [sparrow, program],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            started.callback(process.kill)
            assert process.stdout is not None
            return Served(process, int(process.stdout.readline()))

        yield start


@pytest.fixture
def serve(sparrow: Path, tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    """Starts a source that prints its port."""
    yield from served_from(sparrow, tmp_path)


@pytest.fixture(scope="module")
def serve_all(
    sparrow: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Served]]:
    """Starts a source that serves many tests of a module."""
    yield from served_from(sparrow, tmp_path_factory.mktemp("server"))


@pytest.fixture
def told(run: Run, database: Database) -> Told:
    """What a program tells, by `tell(value)`, of a pool `db` of the test module's server."""

    def carry_out(body: str, options: str = "{ connections: 1 }") -> list[object]:
        done = run(
            "import { connect } from 'sparrow:postgres';\n"
            "const tell = (value) => console.log(JSON.stringify(value));\n"
            "const failure = (promise) => promise.then((value) => ({ value }), (error) =>\n"
            "  ({ name: error.name, code: error.code, message: error.message }));\n"
            f"const url = '{database.url()}';\n"
            f"const db = await connect(url, {options});\n{body}\ndb.close();"
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return carry_out


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))
    with tempfile.TemporaryDirectory(prefix="sparrow-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server_user().own(folder)
        made = Database(folder)
        yield made
        made.stop()
