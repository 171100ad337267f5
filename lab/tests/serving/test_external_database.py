"""The user's own database: a real server that comes and goes, and what is none."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine.launching import Launcher
from runfair.serving.address import free_port
from runfair.serving.database import ExternalDatabase
from runfair.serving.database_address import parse_address
from runfair.serving.postgresql_place import ServerUser, database_place, server_user
from runfair.serving.postgresql_server import ServerBinaries
from runfair.serving.postgresql_session import DatabaseSession, ServerError, SessionLost
from runfair.serving.postgresql_template import DATABASE, copy_template, template
from serving.services import certificate_in

PATIENCE_S = 30.0
PASSWORD = "pass/word: é"


class OwnServer:
    """A server as a user would have it: as PostgreSQL delivers it, on a fixed port."""

    def __init__(self, binaries: ServerBinaries, user: ServerUser, data: Path) -> None:
        self.port = free_port()
        self.data = data
        self._user = user
        self._binaries = binaries
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        settings = [f"port={self.port}", f"unix_socket_directories={self.data.parent}", *options]
        words = [word for setting in settings for word in ("-c", setting)]
        self._process = subprocess.Popen(
            self._user.command([self._binaries.postgres, "-D", self.data, *words]),
            cwd=self.data.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(OSError, IndexError):
                status = (self.data / "postmaster.pid").read_text().splitlines()[7]
                if status.strip() == "ready":
                    return
            assert time.monotonic() < deadline_s
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(PATIENCE_S)
            self._process = None

    def url(self, user: str = "runfair", password: str = "", database: str = DATABASE) -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"


@pytest.fixture
def own_server(
    launcher: Launcher, private: Path, binaries: ServerBinaries, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OwnServer]:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    user = server_user()
    data = template(launcher, binaries, user, [], database_place(user))
    folder = Path(tempfile.mkdtemp(prefix="own-", dir=private))
    user.own(folder)
    copy_template(data, folder / "data")
    (folder / "data" / "pg_hba.conf").write_text(
        "local all all trust\n"
        "host all scrammed 127.0.0.1/32 scram-sha-256\n"
        "host all hashed 127.0.0.1/32 md5\n"
        "host all clear 127.0.0.1/32 password\n"
        "host all certified 127.0.0.1/32 ident\n"
        "host all runfair 127.0.0.1/32 trust\n"
    )
    server = OwnServer(binaries, user, folder / "data")
    try:
        server.start()
        yield server
    finally:
        server.stop()


def test_every_way_of_asking_for_a_password(
    own_server: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExternalDatabase(own_server.url()) as external:
        session = DatabaseSession(external.address)
    with session:
        for role, encryption in (
            ("scrammed", "scram-sha-256"),
            ("hashed", "md5"),
            ("clear", "md5"),
        ):
            session.query(f"SET password_encryption = '{encryption}'")
            session.query(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
    for role in ("scrammed", "hashed", "clear"):
        with ExternalDatabase(own_server.url(role, "pass%2Fword%3A%20%C3%A9")) as external:
            assert external.alive()
            assert external.url == own_server.url(role, "pass%2Fword%3A%20%C3%A9")
            assert "pass" not in f"{external.address} {external.address!r}"
        with pytest.raises(
            UserMistake, match=(f"does not accept the user {role} .*correct the user or")
        ) as wrong:
            ExternalDatabase(own_server.url(role, "wrong-one"))
        assert "wrong-one" not in str(wrong.value)
        with pytest.raises(UserMistake, match=f"asks for the password of the user {role}; set"):
            ExternalDatabase(own_server.url(role))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with ExternalDatabase(own_server.url("scrammed")) as external:
        assert external.alive()


def test_what_an_unreachable_database_is_missing(own_server: OwnServer) -> None:
    with pytest.raises(UserMistake, match="contains no database absent; create the database"):
        ExternalDatabase(own_server.url(database="absent"))
    with pytest.raises(UserMistake, match="does not accept the user nobody_here"):
        ExternalDatabase(own_server.url("nobody_here"))
    with pytest.raises(
        UserMistake, match="the server has no TLS, but sslmode=require requires TLS"
    ):
        ExternalDatabase(own_server.url() + "?sslmode=require")
    by_socket = f"postgresql://runfair@/payments?host={own_server.data.parent}&port="
    with ExternalDatabase(f"{by_socket}{own_server.port}") as external:
        assert external.version
    own_server.stop()
    with pytest.raises(
        UserMistake, match=r"cannot be reached \(Connection refused\); start the database"
    ):
        ExternalDatabase(own_server.url())
    with pytest.raises(UserMistake, match=r"cannot be reached \(No such file"):
        ExternalDatabase(f"{by_socket}{own_server.port}")


def test_encryption_is_used_where_the_server_has_it(own_server: OwnServer) -> None:
    own_server.stop()
    for file in certificate_in(own_server.data):
        server_user().own(file)
        file.chmod(0o600)
    own_server.start("ssl=on")
    in_use = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    for mode, encrypted in (("prefer", "t"), ("require", "t"), ("disable", "f")):
        with ExternalDatabase(f"{own_server.url()}?sslmode={mode}") as external:
            assert external.alive()
            with DatabaseSession(external.address) as session:
                assert session.query(in_use) == [(encrypted,)]
    with pytest.raises(UserMistake, match=r"cannot be reached \(.*certificate"):
        ExternalDatabase(f"{own_server.url()}?sslmode=verify-full")


def test_a_query_without_an_answer_in_time_loses_its_session(own_server: OwnServer) -> None:
    with DatabaseSession(parse_address(own_server.url()), limit_s=2) as session:
        assert session.query("SELECT 1; SELECT NULL, 'two'; SET jit = off") == [(None, "two")]
        with pytest.raises(SessionLost, match="did not answer in time"):
            session.query("SELECT pg_sleep(60)")
        with pytest.raises(SessionLost):
            session.query("SELECT 1")


def test_a_restart_in_mid_run_is_noticed(own_server: OwnServer) -> None:
    with ExternalDatabase(own_server.url()) as external:
        assert external.settings["jit"] == "on"  # as delivered
        assert (external.alive(), external.restarts()) == (True, 0)
        own_server.stop()
        assert not external.alive()
        assert external.restarts() == 0
        own_server.start()
        assert (external.alive(), external.restarts()) == (True, 1)
        own_server.stop()
        own_server.start()
        assert external.restarts() == 2
        assert external.restarts() == 2


@pytest.mark.parametrize("looked_at", ["at once", "when it is over"])
def test_a_recovery_from_a_crash_is_noticed_though_the_server_stays(
    own_server: OwnServer, looked_at: str
) -> None:
    with ExternalDatabase(own_server.url()) as external:
        for crash in (1, 2, 3):
            with DatabaseSession(external.address) as victim:
                ((pid,),) = victim.query("SELECT pg_backend_pid()")
                assert pid is not None
                os.kill(int(pid), signal.SIGKILL)
                with pytest.raises(SessionLost):
                    for _ in range(1000):
                        victim.query("SELECT pg_sleep(0.01)")
            if looked_at == "when it is over":
                _wait_until(functools.partial(_lets_in, external))
            # At once: in the very moment in which the server ends all its sessions.
            _wait_until(functools.partial(_has_restarted, external, crash))
            _wait_until(external.alive)
            assert external.restarts() == crash


def _has_restarted(external: ExternalDatabase, times: int) -> bool:
    return external.restarts() == times


def _lets_in(external: ExternalDatabase) -> bool:
    with contextlib.suppress(SessionLost, ServerError), DatabaseSession(external.address):
        return True
    return False


def _wait_until(reached: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not reached():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_an_idle_session_that_the_server_ends_is_no_restart(own_server: OwnServer) -> None:
    with ExternalDatabase(own_server.url()) as external:
        with DatabaseSession(external.address) as other:
            other.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'runfair' AND pid <> pg_backend_pid()"
            )
        assert external.alive()
        assert external.restarts() == 0


@contextlib.contextmanager
def answering(answer: bytes | None) -> Iterator[int]:
    """Something that gives each connection this answer and closes; None: says nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            kept = []
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connection.recv(100)
                    if answer is None:
                        kept.append(connection)
                        continue
                    connection.sendall(answer)
                    connection.close()
            for connection in kept:
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("mode", ["prefer", "disable"])
@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-ERR unknown command\r\n", b"\0" * 64]
)
def test_something_else_that_answers_is_told_apart(answer: bytes, mode: str) -> None:
    with (
        answering(answer) as port,
        pytest.raises(
            UserMistake, match=("is not a PostgreSQL server, because another program answers at")
        ),
    ):
        ExternalDatabase(f"postgresql://me@127.0.0.1:{port}/db?sslmode={mode}")


def test_one_that_closes_or_is_silent_is_unreachable() -> None:
    with (
        answering(b"") as port,
        pytest.raises(UserMistake, match=r"cannot be reached \(it closed the connection\)"),
    ):
        ExternalDatabase(f"postgresql://me@127.0.0.1:{port}/db")
    with answering(None) as port:
        address = parse_address(f"postgresql://me@127.0.0.1:{port}/db")
        with pytest.raises(SessionLost, match="did not answer in time"):
            DatabaseSession(address, limit_s=0.1)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://me:hidden@host/db", "has an unknown scheme"),
        ("postgresql://host/db", "names no user"),
        ("postgresql://me:hidden@host:port/db", "malformed"),
        ("postgresql://me:hidden@one,two/db", "names several hosts"),
        ("postgresql://me:hidden@host/db?sslmode=perhaps", "sslmode=perhaps"),
        ("postgresql://me:hidden@/db?host=/run&port=x", "port=x"),
    ],
)
def test_a_url_that_is_none_is_one_line_without_its_password(url: str, complaint: str) -> None:
    with pytest.raises(UserMistake, match=complaint) as mistake:
        ExternalDatabase(url)
    assert "hidden" not in str(mistake.value)


def test_a_url_is_taken_apart_as_libpq_does() -> None:
    address = parse_address("postgres://me@%2Frun%2FDatabase/a%20b", {"PGPASSWORD": "given"})
    assert (address.host, address.port, address.user) == ("/run/Database", 5432, "me")
    assert (address.database, address.password) == ("a b", "given")
    six = parse_address("postgresql://me:a%40b@[::1]:6000?sslmode=require", {})
    assert (six.host, six.port, six.database, six.password) == ("::1", 6000, "me", "a@b")
    assert six.url == "postgresql://me:a%40b@[::1]:6000/me?sslmode=require"
    assert parse_address(six.url, {}) == six
