"""Databases beside services, each execution reaching them through a relay of its own."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.formats.service import DatabaseTable, DatabaseUse
from runfair.machine.launching import Launcher
from runfair.serving.database import PrivateDatabase
from runfair.serving.database_address import parse_address
from runfair.serving.databases import Databases, RelayedDatabase
from runfair.serving.postgresql_session import DatabaseSession, SessionLost
from runfair.serving.process_files import read_children
from serving.little_redis import little_redis
from serving.services import MS, measured_processors

PATIENCE_S = 30.0


@pytest.fixture
def databases(launcher: Launcher, tmp_path: Path, private: Path) -> Databases:
    assert private.is_dir()
    return Databases(launcher, tmp_path / "raw")


@pytest.fixture(autouse=True)
def relay_that_is_built(monkeypatch: pytest.MonkeyPatch, relay_executable: Path) -> None:
    """By the lab's own private folder: those of tests are for databases alone."""
    monkeypatch.setattr("runfair.serving.databases.relay", lambda: relay_executable)


@pytest.fixture
def use(tmp_path: Path) -> DatabaseUse:
    rows = tmp_path / "shops.csv"
    rows.write_text("id,name\n1,baker\n2,smith\n")
    table = DatabaseTable(
        name="shops", columns="id bigint, name text", primary_key=["id"], rows=str(rows)
    )
    return DatabaseUse(round_trip_ns=20 * MS, tables=[table])


def names(reached: RelayedDatabase) -> list[str | None]:
    with DatabaseSession(parse_address(reached.url)) as session:
        return [name for (name,) in session.query("SELECT name FROM shops ORDER BY id")]


def raw(folder: Path, name: str) -> Path:
    path = folder / name
    path.mkdir()
    return path


def test_a_private_database_is_kept_and_each_execution_has_a_relay(
    databases: Databases, use: DatabaseUse, tmp_path: Path
) -> None:
    where = measured_processors()
    with databases:
        with databases.relayed(use, raw(tmp_path, "a"), where) as first:
            assert parse_address(first.url).port == first.relay.port
            assert set(first.trees()) == {"relay", "database"}
            assert first.trees()["database"].look(memory=False).cpu_ns > 0
            began_ns = time.monotonic_ns()
            assert names(first) == ["baker", "smith"]
            # The start of a session and a query are two round trips at least, never less.
            assert time.monotonic_ns() - began_ns >= 2 * 20 * MS
            assert not first.restarted()
        queries = first.relay.queries()
        assert len(queries) == 1
        took_ns = int(queries["delivered_ns"][0] - queries["arrived_ns"][0])
        assert took_ns >= 20 * MS
        # Another round trip is another relay and the same database.
        shorter = use.model_copy(update={"round_trip_ns": 0})
        with databases.relayed(shorter, raw(tmp_path, "b"), where) as second:
            assert second.database is first.database
            assert second.relay.pid != first.relay.pid
            assert names(second) == ["baker", "smith"]
        assert first.database.alive()
        assert isinstance(first.database, PrivateDatabase)
        pid = first.database.pid
    assert not Path(f"/proc/{pid}").exists()
    assert (tmp_path / "raw" / "database-1").is_dir()


_SIZES = (
    "SELECT pg_relation_size('shops'), pg_relation_size('shops_pkey'), count(*), max(name) "
    "FROM shops"
)


def test_each_execution_finds_the_tables_as_they_were_loaded(
    databases: Databases, use: DatabaseUse, tmp_path: Path
) -> None:
    where = measured_processors()
    with databases:
        with databases.relayed(use, raw(tmp_path, "a"), where) as first:
            assert isinstance(first.database, PrivateDatabase)
            # The session stays open, as that of a service that did not end.
            session = DatabaseSession(first.database.address)
            loaded = session.query(_SIZES)
            session.query("INSERT INTO shops SELECT id, 'x' FROM generate_series(3, 2000) id")
            session.query("UPDATE shops SET name = 'y', id = id + 5000")
            assert session.query(_SIZES) != loaded
        with databases.relayed(use, raw(tmp_path, "b"), where) as second:
            assert second.database is first.database
            with DatabaseSession(parse_address(second.url)) as renewed:
                assert renewed.query(_SIZES) == loaded
                renewed.query("DELETE FROM shops")
        session.close()
        own = databases.private(use, where)
        assert own is first.database
        assert own.query(_SIZES) == loaded


def test_one_that_was_lost_is_told_and_started_anew(
    databases: Databases, use: DatabaseUse, tmp_path: Path
) -> None:
    with databases:
        with databases.relayed(use, raw(tmp_path, "a"), measured_processors()) as first:
            lost = first.database
            assert isinstance(lost, PrivateDatabase)
            (postmaster,) = read_children(lost.pid)
            os.kill(postmaster, signal.SIGKILL)
            deadline_s = time.monotonic() + PATIENCE_S
            while not first.restarted():
                assert time.monotonic() < deadline_s
                time.sleep(0.02)
            with pytest.raises(SessionLost):
                names(first)
        with databases.relayed(use, raw(tmp_path, "b"), measured_processors()) as second:
            assert second.database is not lost
            assert names(second) == ["baker", "smith"]
            assert not second.restarted()
    assert (tmp_path / "raw" / "database-2").is_dir()


def test_one_that_is_just_ending_is_started_anew(
    databases: Databases, use: DatabaseUse, monkeypatch: pytest.MonkeyPatch
) -> None:
    with databases:
        lost = databases.private(use, measured_processors())
        (postmaster,) = read_children(lost.pid)
        os.kill(postmaster, signal.SIGKILL)
        # As if its launcher had not seen the end yet.
        monkeypatch.setattr(PrivateDatabase, "alive", lambda _: True)
        second = databases.private(use, measured_processors())
        assert second is not lost
        assert second.query("SELECT count(*) FROM shops") == [("2",)]


def test_the_users_own_by_its_url(databases: Databases, use: DatabaseUse, tmp_path: Path) -> None:
    with databases:
        with databases.relayed(use, raw(tmp_path, "a"), measured_processors()) as ours:
            assert isinstance(ours.database, PrivateDatabase)
            theirs = use.model_copy(update={"url": ours.database.url, "tables": []})
            with databases.relayed(theirs, raw(tmp_path, "b"), measured_processors()) as reached:
                assert set(reached.trees()) == {"relay"}  # their server is not ours to see
                assert names(reached) == ["baker", "smith"]
                assert not reached.restarted()
        assert ours.database.alive()
        with (
            pytest.raises(UserMistake, match="instead of the folder of a socket"),
            databases.relayed(
                use.model_copy(update={"url": "postgresql://u@%2Frun%2Fpg/shop"}),
                raw(tmp_path, "c"),
                measured_processors(),
            ),
        ):
            pass


def test_nobody_there_is_one_line(databases: Databases, tmp_path: Path) -> None:
    use = DatabaseUse(round_trip_ns=0, url="postgresql://u@127.0.0.1:1/shop")
    with (
        databases,
        pytest.raises(UserMistake, match=r"127\.0\.0\.1:1 cannot be reached") as caught,
        databases.relayed(use, raw(tmp_path, "a"), measured_processors()),
    ):
        pass
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", ["redis", "tcp"])
def test_a_redis_or_plain_tcp_behind_the_relay(
    databases: Databases, tmp_path: Path, protocol: str
) -> None:
    """Three commands at once are three queries to who knows the protocol, and one burst to who does
    not."""
    with little_redis() as server, databases:
        use = DatabaseUse(round_trip_ns=20 * MS, url=f"{protocol}://127.0.0.1:{server.port}")
        with databases.relayed(use, raw(tmp_path, "a"), measured_processors()) as reached:
            url = f"{protocol}://127.0.0.1:{reached.relay.port}"
            assert (reached.url, reached.shown_url) == (url, url)
            assert set(reached.trees()) == {"relay"}
            with (
                socket.create_connection(("127.0.0.1", reached.relay.port), PATIENCE_S) as client,
                client.makefile("rb") as answers,
            ):
                client.sendall(3 * b"*1\r\n$4\r\nPING\r\n")
                assert answers.read(21) == 3 * b"+PONG\r\n"
            assert not reached.restarted()
            server.run = "another"
            assert reached.restarted() == (protocol == "redis")
        queries = reached.relay.queries()
        assert len(queries) == (3 if protocol == "redis" else 1)
        assert int((queries["delivered_ns"] - queries["arrived_ns"]).min()) >= 20 * MS
        assert reached.relay.report().unparsed_streams == {}
