"""Private instances of a real PostgreSQL, and what is left when their lab is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine.launching import Launcher
from runfair.serving.database import ExternalDatabase, PrivateDatabase
from runfair.serving.postgresql_place import ServerUser, database_place, server_user
from runfair.serving.postgresql_server import LOG, REPORT, find_binaries
from runfair.serving.postgresql_session import ServerError, SessionLost
from runfair.serving.postgresql_template import Table

PATIENCE_S = 30.0


@pytest.fixture
def table(tmp_path: Path) -> Table:
    rows = tmp_path / "merchants.csv"
    lines = [f'{number},"record ""{number}"", with a comma"\n' for number in range(1000)]
    rows.write_text("id,record\n" + "".join(lines))
    return Table("merchants", "record text NOT NULL, id bigint NOT NULL", ("id",), rows)


def processors() -> list[int]:
    return sorted(os.sched_getaffinity(0))[-1:]


def working_in(folder: Path) -> dict[int, str]:
    """The processes whose working folder is in this one, and their names."""
    found = {}
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and (process / "cwd").readlink().is_relative_to(folder):
                found[int(process.name)] = (process / "comm").read_text().strip()
    return found


def wait_until_nobody_works_in(folder: Path) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while left := working_in(folder):
        assert time.monotonic() < deadline_s, f"still running: {left}"
        time.sleep(0.02)


@pytest.mark.usefixtures("private")
def test_a_private_instance_has_the_tables_and_the_settings_stated(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        assert database.url == f"postgresql://service@127.0.0.1:{database.port}/payments"
        assert database.alive()
        assert database.query("SELECT record FROM merchants WHERE id = 41") == [
            ('record "41", with a comma',)
        ]
        plan = database.query("EXPLAIN SELECT record FROM merchants WHERE id = 41")
        assert "Index Scan using merchants_pkey" in str(plan)
        # ANALYZE and VACUUM have been there: no other way is the number of rows known.
        assert database.query(
            "SELECT reltuples, relallvisible > 0 FROM pg_class WHERE relname = 'merchants'"
        ) == [("1000", "t")]
        stated = {"fsync": "off", "jit": "off", "log_statement": "none", "max_connections": "200"}
        assert database.settings.items() >= stated.items()
        assert database.settings["shared_buffers"] == "128MB"
        assert database.settings["listen_addresses"] == "127.0.0.1"
        assert database.version.startswith(find_binaries().version.split()[2])

        place = database_place(server_user())
        running = working_in(place)
        assert set(running.values()) == {"postgres"}
        assert {Path(f"/proc/{pid}").stat().st_uid for pid in running} == {server_user().uid} != {0}
        pinned = {frozenset(os.sched_getaffinity(pid)) for pid in running}
        assert pinned == {frozenset(processors())}
    assert not working_in(place)
    assert list((place / "instances").iterdir()) == []
    assert "database system is shut down" in (tmp_path / LOG).read_text()  # in order
    assert '"ended_by_lab"' in (tmp_path / REPORT).read_text()
    with pytest.raises(UserMistake, match=r"cannot be reached \(Connection refused\)"):
        ExternalDatabase(database.url)


@pytest.mark.usefixtures("private")
def test_it_listens_nowhere_else_and_lets_nobody_else_in(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", database.port), timeout=5)
        with pytest.raises(UserMistake, match="does not accept the user runfair"):
            ExternalDatabase(database.url.replace("service@", "runfair@"))
        with pytest.raises(UserMistake, match="does not accept the user service"):
            ExternalDatabase(database.url.replace("/payments", "/postgres"))
        with pytest.raises(ServerError, match=r"permission denied|must be superuser"):
            database.query("COPY merchants FROM PROGRAM 'id'")
        (folder,) = (
            entry
            for entry in (database_place(server_user()) / "instances").iterdir()
            if entry.is_dir()
        )
        assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("empty_private")
def test_a_template_is_made_once_for_a_content(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    def made() -> set[str]:
        found = (database_place(server_user()) / "templates").glob("*/data/PG_VERSION")
        return {version.parent.parent.name for version in found}

    def count(tables: Sequence[Table]) -> str | None:
        with PrivateDatabase.start(
            launcher, processors=processors(), tables=tables, folder=tmp_path
        ) as database:
            ((rows,),) = database.query("SELECT count(*) FROM merchants")
            database.query("DELETE FROM merchants")  # of this copy alone
            return rows

    assert count([table]) == "1000"
    first = made()
    assert len(first) == 1
    assert count([table]) == "1000"
    assert made() == first
    with table.rows.open("a") as rows:
        rows.write("1000,one more\n")
    assert count([table]) == "1001"
    assert len(made()) == 2
    assert count([replace(table, primary_key=("id", "record"))]) == "1001"
    assert len(made()) == 3


@pytest.mark.usefixtures("private")
def test_time_and_memory_are_of_the_whole_tree_with_ended_sessions(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        before = database.usage()
        # Each query is a session of its own, so each has ended when it is looked at.
        for _ in range(3):
            database.query("SELECT sum(sqrt(n)) FROM generate_series(1, 600000) n")
        taken = database.usage() - before
        assert taken.cpu_ns >= 50_000_000
        assert taken.processes >= 4
        assert taken.unseen_cpu_ns >= 0.5 * taken.cpu_ns
        user_ns, system_ns = database.cpu_ns()
        assert user_ns + system_ns >= 50_000_000
        assert database.peak_bytes > 10 << 20
        assert taken.peak_method == "sampled_pss"


@pytest.mark.parametrize(
    ("content", "columns", "key", "complaint"),
    [
        ("id\n1\n1\n", "id bigint", "id", "could not create unique index"),
        ("id\n1\ntwo\n", "id bigint", "id", 'invalid input syntax for type bigint: "two"'),
        ("number\n1\n", "id bigint", "id", 'column "number" of relation "t" does not exist'),
        ("id\n1\n", "id bigin", "id", 'type "bigin" does not exist'),
        ("id\n1\n", "id bigint", "it", 'column "it" of relation "t" does not exist'),
        ("", "id bigint", "id", "syntax error"),
    ],
)
@pytest.mark.usefixtures("private")
def test_a_table_that_cannot_be_made_is_one_line_and_leaves_nothing(
    launcher: Launcher,
    tmp_path: Path,
    content: str,
    columns: str,
    key: str,
    complaint: str,
) -> None:
    rows = tmp_path / "t.csv"
    rows.write_text(content)
    bad = Table("t", columns, (key,), rows)
    templates = database_place(server_user()) / "templates"
    before = set(templates.glob("[!.]*/data"))
    with (
        pytest.raises(UserMistake) as mistake,
        PrivateDatabase.start(launcher, processors=processors(), tables=[bad], folder=tmp_path),
    ):
        raise AssertionError("it has started")
    assert str(mistake.value).startswith(f"the table t cannot be made from {rows} (")
    assert complaint in str(mistake.value)
    assert "\n" not in str(mistake.value)
    place = database_place(server_user())
    assert not working_in(place)
    assert list((place / "instances").iterdir()) == []
    assert set(templates.glob("[!.]*/data")) == before
    assert not list(templates.glob(".building-*"))


@pytest.mark.usefixtures("private")
def test_rows_that_are_not_there_are_the_users_to_mend(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    absent = replace(table, rows=tmp_path / "absent.csv")
    with (
        pytest.raises(
            UserMistake, match=(r"rows of the table merchants cannot be read \(No such file")
        ),
        PrivateDatabase.start(launcher, processors=processors(), tables=[absent], folder=tmp_path),
    ):
        raise AssertionError("it has started")


LAB = """
import sys, time
from pathlib import Path
from runfair.machine.launching import Launcher
from runfair.serving.database import PrivateDatabase
from runfair.serving.postgresql_template import Table
table = Table(
    "merchants", "record text NOT NULL, id bigint NOT NULL", ("id",), Path(sys.argv[2]))
start = PrivateDatabase.start(
    Launcher(Path(sys.argv[1])), processors=[], tables=[table], folder=Path(sys.argv[3]))
with start as database:
    print(database.pid, database.query("SELECT count(*) FROM merchants")[0][0], flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("launcher_too", [False, True])
@pytest.mark.usefixtures("private")
def test_a_lab_killed_without_warning_leaves_no_process_and_no_folder_for_long(
    launcher: Launcher, table: Table, tmp_path: Path, launcher_too: bool
) -> None:
    place = database_place(server_user())
    instances = place / "instances"
    lab = subprocess.Popen(
        [sys.executable, "-c", LAB, str(launcher.executable), str(table.rows), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with lab:
        assert lab.stdout is not None
        launcher_pid, rows = lab.stdout.readline().split()
        assert rows == "1000"
        assert len(working_in(place)) >= 4
        (folder,) = (entry for entry in instances.iterdir() if entry.is_dir())
        segment = (folder / "data" / "postmaster.pid").read_text().splitlines()[6].split()
        assert segment in shared_memory()
        if launcher_too:
            os.kill(int(launcher_pid), signal.SIGKILL)
        lab.kill()
    wait_until_nobody_works_in(place)
    assert folder.is_dir()

    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        assert database.alive()
        (now,) = (entry for entry in instances.iterdir() if entry.is_dir())
        assert now != folder
        assert segment not in shared_memory()
    assert list(instances.iterdir()) == []


def shared_memory() -> list[list[str]]:
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    return [line.split()[:2] for line in lines]


@pytest.mark.usefixtures("empty_private")
def test_what_a_killed_lab_was_making_is_made_again(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    place = database_place(server_user())
    lab = subprocess.Popen(
        [sys.executable, "-c", LAB, str(launcher.executable), str(table.rows), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
    )
    with lab:
        deadline_s = time.monotonic() + PATIENCE_S
        while not list(place.glob("instances/*/data/PG_VERSION")):
            assert time.monotonic() < deadline_s
            assert lab.poll() is None
            time.sleep(0.002)
        lab.kill()
    wait_until_nobody_works_in(place)
    assert not list(place.glob("templates/*/data"))
    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        assert database.query("SELECT count(*) FROM merchants") == [("1000",)]
    assert list((place / "instances").iterdir()) == []
    assert not list(place.glob("templates/.building-*"))


@pytest.mark.usefixtures("private")
def test_two_instances_beside_each_other_do_not_clear_each_other(
    launcher: Launcher, table: Table, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with (
        PrivateDatabase.start(
            launcher, processors=processors(), tables=[table], folder=tmp_path / "a"
        ) as first,
        PrivateDatabase.start(
            launcher, processors=processors(), tables=[table], folder=tmp_path / "b"
        ) as second,
    ):
        first.query("DELETE FROM merchants")
        assert first.query("SELECT count(*) FROM merchants") == [("0",)]
        assert second.query("SELECT count(*) FROM merchants") == [("1000",)]


@pytest.mark.usefixtures("private")
def test_a_crash_ends_a_private_instance(launcher: Launcher, table: Table, tmp_path: Path) -> None:
    with PrivateDatabase.start(
        launcher, processors=processors(), tables=[table], folder=tmp_path
    ) as database:
        (folder,) = (
            entry
            for entry in (database_place(server_user()) / "instances").iterdir()
            if entry.is_dir()
        )
        postmaster = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        helper = next(pid for pid in working_in(folder) if pid != postmaster)
        os.kill(helper, signal.SIGKILL)
        deadline_s = time.monotonic() + PATIENCE_S
        while database.alive():
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
        with pytest.raises(SessionLost):
            database.query("SELECT 1")
    assert not folder.exists()


@pytest.mark.usefixtures("empty_private")
def test_whatever_the_umask(launcher: Launcher, table: Table, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with PrivateDatabase.start(
            launcher, processors=processors(), tables=[table], folder=tmp_path
        ) as database:
            assert database.alive()
    finally:
        os.umask(before)


def test_a_private_folder_that_the_user_cannot_reach_is_left_for_the_temporary_one(
    empty_private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, shared = empty_private / "closed", empty_private / "shared"
    closed.mkdir(mode=0o700)
    shared.mkdir()
    shared.chmod(0o755)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(closed))
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    somebody = ServerUser("somebody", os.geteuid() + 4711, os.getegid() + 4711, changed=True)
    ourselves = ServerUser("ourselves", os.geteuid(), os.getegid(), changed=False)
    fallback = shared / f"runfair-databases-{os.geteuid()}"

    assert database_place(ourselves) == closed / "databases"
    assert not fallback.exists()
    assert database_place(somebody) == fallback
    assert fallback.stat().st_mode & 0o777 == 0o711

    monkeypatch.setenv("RUNFAIR_PRIVATE", str(empty_private / ("long" * 25)))
    assert database_place(ourselves) == fallback  # no socket's path has room for that

    fallback.chmod(0o777)
    with pytest.raises(
        UserMistake,
        match=("belongs to another user, or other users can change it; delete the folder"),
    ):
        database_place(somebody)
    fallback.rmdir()
    fallback.symlink_to(closed)
    with pytest.raises(UserMistake, match=r"belongs to another user|cannot enter"):
        database_place(somebody)


def test_without_a_server_the_line_that_installs_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("RUNFAIR_POSTGRESQL", raising=False)
    with pytest.raises(UserMistake, match=r"apt-get install .*postgresql"):
        find_binaries(root=tmp_path)
    monkeypatch.setenv("RUNFAIR_POSTGRESQL", str(tmp_path / "nowhere"))
    with pytest.raises(UserMistake, match=r"RUNFAIR_POSTGRESQL names .*nowhere"):
        find_binaries(root=tmp_path)


def test_the_newest_server_is_taken_unless_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("9.6.24", "14.9", "15.10", "15.9"):
        folder = tmp_path / "usr/lib/postgresql" / version / "bin"
        folder.mkdir(parents=True)
        for name in ("postgres", "initdb"):
            program = folder / name
            program.write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version} (Debian)'\n")
            program.chmod(0o755)
    broken = tmp_path / "usr/lib/postgresql/99/bin"
    broken.mkdir(parents=True)
    (broken / "postgres").write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 99.1'\n")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("RUNFAIR_POSTGRESQL", raising=False)
    assert find_binaries(root=tmp_path).number == (15, 10)
    chosen = tmp_path / "usr/lib/postgresql/14.9/bin"
    monkeypatch.setenv("RUNFAIR_POSTGRESQL", str(chosen))
    assert find_binaries(root=tmp_path).folder == chosen
    monkeypatch.setenv("RUNFAIR_POSTGRESQL", str(tmp_path / "usr/lib/postgresql/9.6.24/bin"))
    with pytest.raises(UserMistake, match="name version 12 or newer"):
        find_binaries(root=tmp_path)
