"""The relay: its executable, its life, its files, and a real PostgreSQL behind it."""

from __future__ import annotations

import itertools
import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from runfair.errors import UserMistake
from runfair.formats import relay_report
from runfair.formats.record import BrokenRelayFile
from runfair.formats.relay_report import Outcome, RelayReport, read_queries, read_report
from runfair.serving.relay import RELAY, RelayLost, RelaySession, crate, start

PATIENCE_S = 30.0
DELAY_NS = 2_000_000
NOWHERE = "127.0.0.1:1"


@pytest.fixture
def echo() -> Iterator[str]:
    """The address of a server that says what it hears."""

    def serve(stream: socket.socket) -> None:
        with stream:
            while heard := stream.recv(4096):
                stream.sendall(heard)

    def accept() -> None:
        while True:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(stream,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def ask(session: RelaySession, times: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", session.port), timeout=PATIENCE_S) as client,
        client.makefile("rb") as answers,
    ):
        for _ in range(times):
            client.sendall(b"question")
            assert answers.read(8) == b"question"


def test_the_executable_depends_on_its_workspace_too() -> None:
    manifest = tomllib.loads((RELAY / "Cargo.toml").read_text())
    workspace = (RELAY / manifest["package"]["workspace"]).resolve()
    assert (workspace / "Cargo.lock").exists()
    shared = tomllib.loads((workspace / "Cargo.toml").read_text())["workspace"]["dependencies"]
    needed = [
        shared[name].get("path") for name in manifest["dependencies"] if "path" in shared[name]
    ]
    assert [folder.resolve() for folder in crate().beside] == [
        workspace,
        *((workspace / path).resolve() for path in needed),
    ]


def test_each_exchange_is_known(relay_executable: Path, echo: str, tmp_path: Path) -> None:
    with start(
        relay_executable, to=echo, delay_ns=DELAY_NS, folder=tmp_path, processors=[0]
    ) as session:
        assert Path(f"/proc/{session.pid}/stat").exists()
        assert os.sched_getaffinity(session.pid) == {0}
        ask(session, 20)
        ask(session, 5)
    assert not Path(f"/proc/{session.pid}").exists()
    report, queries = session.report(), session.queries()
    assert (report.protocol, report.delay_ns, report.to) == ("tcp", DELAY_NS, echo)
    assert report.queries.answered == len(queries) == 25
    assert np.bincount(queries["connection"]).tolist() == [20, 5]
    assert set(queries["outcome"]) == {Outcome.GOOD}
    assert set(queries["request_bytes"]) == set(queries["answer_bytes"]) == {8}
    names = ("arrived_ns", "forwarded_ns", "answered_ns", "delivered_ns")
    instants = [queries[name].astype(np.int64) for name in names]
    there, server, back = (np.diff(pair, axis=0)[0] for pair in itertools.pairwise(instants))
    assert server.min() > 0
    assert there.min() >= DELAY_NS // 2 and back.min() >= DELAY_NS // 2
    assert report.server_time_ns.min is not None
    assert report.server_time_ns.min >= server.min() * 0.99
    assert report.whole_time_ns.count == 25
    assert report.bytes.to_target == report.bytes.to_clients == 200
    assert report.cost.peak_rss_bytes > 0
    assert instants[0].min() > report.started.monotonic_ns


def test_the_records_are_those_of_the_schema(
    relay_executable: Path, echo: str, tmp_path: Path
) -> None:
    schema = json.loads((RELAY / "schemas" / "report.schema.json").read_text())
    assert set(schema["properties"]) == set(RelayReport.model_fields)
    parts = {name: part for name, part in schema["$defs"].items() if "properties" in part}
    assert len(parts) == 7
    for name, part in parts.items():
        assert set(part["properties"]) == set(getattr(relay_report, name).model_fields), name
    with start(relay_executable, to=echo, delay_ns=0, folder=tmp_path) as session:
        ask(session, 1)
    report = json.loads((tmp_path / "relay.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(report)
    assert not validator.is_valid({**report, "more": 1})
    assert not validator.is_valid({**report, "queries": {**report["queries"], "answered": -1}})


def test_mistakes_are_the_users(relay_executable: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UserMistake, match=f"^the relay: --listen: {listen} is in use"):
            start(relay_executable, to=NOWHERE, delay_ns=0, folder=tmp_path, listen=listen)
    with pytest.raises(UserMistake, match="is not an address; write HOST:PORT"):
        start(relay_executable, to="5432", delay_ns=0, folder=tmp_path)
    with pytest.raises(UserMistake, match="10s is the maximum"):
        start(relay_executable, to=NOWHERE, delay_ns=11_000_000_000, folder=tmp_path)
    with pytest.raises(UserMistake, match=r"cannot be started \(No such file"):
        start(relay_executable, to=NOWHERE, delay_ns=0, folder=tmp_path / "none")
    with pytest.raises(UserMistake, match=r"cannot be started \(No such file"):
        start(tmp_path / "none", to=NOWHERE, delay_ns=0, folder=tmp_path)


def test_a_relay_that_was_killed_is_lost(relay_executable: Path, tmp_path: Path) -> None:
    session = start(relay_executable, to=NOWHERE, delay_ns=0, folder=tmp_path)
    os.kill(session.pid, signal.SIGKILL)
    with pytest.raises(RelayLost, match="status -9"):
        session.report()
    with pytest.raises(BrokenRelayFile, match="cannot be read"):
        read_report(tmp_path / "relay.json")


def test_a_relay_ends_with_the_lab(relay_executable: Path, tmp_path: Path) -> None:
    script = (
        "import sys, os; from pathlib import Path; from runfair.serving.relay import start; "
        f"session = start(Path({str(relay_executable)!r}), to={NOWHERE!r}, delay_ns=0, "
        f"folder=Path({str(tmp_path)!r})); print(session.pid, flush=True); os._exit(1)"
    )
    lab = Path(__file__).parents[2]
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            script,
        ],
        env={**os.environ, "PYTHONPATH": str(lab)},
        stdout=subprocess.PIPE,
        check=False,
    )
    pid = int(ended.stdout)
    deadline = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{pid}").exists() and _state(pid) != "Z":
        assert time.monotonic() < deadline, "the relay outlives the lab"
        time.sleep(0.01)
    assert read_report(tmp_path / "relay.json").connections.accepted == 0


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def _header(**changes: Any) -> bytes:
    header = {
        "format": "runfair-relay records",
        "version": 1,
        "protocol": "tcp",
        "delay_ns": 0,
        "record_bytes": 9,
        "fields": [
            {"name": "outcome", "type": "u8", "offset": 8},
            {"name": "arrived_ns", "type": "u64", "offset": 0},
        ],
        "outcomes": ["good", "failed", "unfinished"],
        "started": {"realtime_ns": 1, "monotonic_ns": 2},
    }
    return json.dumps({**header, **changes}).encode() + b"\n"


def test_records_are_read_by_their_own_first_line(tmp_path: Path) -> None:
    file = tmp_path / "records"
    row = (1 << 40).to_bytes(8, "little") + b"\x02"
    file.write_bytes(_header() + row + row)
    rows = read_queries(file)
    assert rows["arrived_ns"].tolist() == [1 << 40] * 2
    assert rows["outcome"].tolist() == [Outcome.UNFINISHED] * 2
    file.write_bytes(_header())
    assert len(read_queries(file)) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_header() + b"torn", "in the middle of a record, after 4 bytes"),
        (_header(version=2), "version"),
        (_header(more=1), "more"),
        (_header(record_bytes=4), "describes fields that cannot be read"),
        (
            _header(outcomes=["good"]),
            "this version of runfair does not know the outcomes of queries",
        ),
        (b"{", "first line does not end with a line feed"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "records"
    file.write_bytes(content)
    with pytest.raises(BrokenRelayFile, match=message):
        read_queries(file)


@dataclass(frozen=True)
class PostgreSql:
    """A private server behind a unix socket, which everybody may enter."""

    binaries: Path
    folder: Path

    @property
    def place(self) -> str:
        return f"unix:{self.folder}/.s.PGSQL.5432"

    def run(self, program: str, port: int, *words: str, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.binaries / program, "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "PGDATABASE": "postgres"},
            **more,
        )

    def sql(self, port: int, text: str) -> tuple[str, str]:
        """What psql printed, and complained of; one statement a request."""
        with self.run("psql", port, "-X", "-q", "-A", "-t") as psql:
            return psql.communicate(text, timeout=PATIENCE_S)

    def wait_until_sleeping(self) -> None:
        """Until a session executes pg_sleep."""
        seen = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
        words = ["-X", "-A", "-t", "-h", str(self.folder), "-U", "postgres", "-c", seen, "postgres"]
        deadline = time.monotonic() + PATIENCE_S
        count = b""
        while count.strip() != b"1":
            assert time.monotonic() < deadline, "no session sleeps"
            count = subprocess.check_output([self.binaries / "psql", *words])

    def bench(self, port: int, script: str, *words: str) -> str:
        file = self.folder / "script.sql"
        file.write_text(script)
        with self.run("pgbench", port, "-n", "-f", str(file), *words) as pgbench:
            said, complained = pgbench.communicate(timeout=PATIENCE_S)
        assert pgbench.returncode == 0, complained
        return said


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSql]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("no PostgreSQL server is here: apt-get install postgresql")
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None and user not in {entry.pw_name for entry in pwd.getpwall()}:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="rf-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        binaries, data = found[-1].parent, folder / "data"
        subprocess.run(
            [binaries / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        settings = {"listen_addresses": "", "unix_socket_directories": name, "fsync": "off"}
        words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [binaries / "postgres", "-D", data, *words],
                user=user,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        try:
            deadline = time.monotonic() + PATIENCE_S
            while subprocess.run(
                [binaries / "pg_isready", "-q", "-h", name], check=False
            ).returncode:
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline, "PostgreSQL is not ready"
                time.sleep(0.05)
            yield PostgreSql(binaries, folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE_S)


@pytest.fixture
def session(
    relay_executable: Path, postgresql: PostgreSql, tmp_path: Path
) -> Iterator[RelaySession]:
    with start(
        relay_executable,
        to=postgresql.place,
        delay_ns=DELAY_NS,
        folder=tmp_path,
        protocol="postgresql",
    ) as running:
        yield running


def test_statements_of_psql(session: RelaySession, postgresql: PostgreSql) -> None:
    script = """select 1;
select pg_sleep(1);
select no_such_column;
create table t (a int, b text);
copy t from stdin;
1\tone
2\ttwo
\\.
copy t from stdin;
wrong
\\.
copy t to stdout;
select count(*) from t;
drop table t;
"""
    said, complained = postgresql.sql(session.port, script)
    assert said.split() == ["1", "1", "one", "2", "two", "2"]
    assert "no_such_column" in complained
    report, queries = session.report(), session.queries()
    assert report.unparsed_streams == {}
    assert (report.queries.logins, report.queries.unfinished) == (1, 0)
    assert report.queries.encryption_declined >= 1
    outcomes = queries["outcome"].tolist()
    assert [place for place, outcome in enumerate(outcomes) if outcome] == [2, 5]
    assert len(outcomes) == report.queries.answered == 9
    server_ns = queries["answered_ns"] - queries["forwarded_ns"]
    assert int(server_ns.argmax()) == 1
    assert server_ns[1] >= 999_000_000
    whole_ns = queries["delivered_ns"] - queries["arrived_ns"]
    assert whole_ns.min() >= DELAY_NS
    # The data of a copy belongs to its statement.
    assert queries["request_bytes"][4] > queries["request_bytes"][3]


@pytest.mark.parametrize("mode", ["simple", "extended", "prepared"])
def test_each_protocol_of_pgbench(mode: str, session: RelaySession, postgresql: PostgreSql) -> None:
    postgresql.bench(
        session.port, "select 1;\nselect 2;\n", "-M", mode, "-c", "4", "-j", "1", "-t", "25"
    )
    report, queries = session.report(), session.queries()
    prepared = 2 * 4 if mode == "prepared" else 0  # each client's own Parse and Sync
    assert report.queries.answered == len(queries) == 2 * 4 * 25 + prepared
    assert (report.queries.failed, report.unparsed_streams) == (0, {})
    assert len(set(queries["connection"])) == 4


def test_a_pipeline_sees_the_wire_once(session: RelaySession, postgresql: PostgreSql) -> None:
    script = "\\startpipeline\n" + "select 1;\n" * 30 + "\\endpipeline\n"
    postgresql.bench(session.port, script, "-M", "extended", "-t", "5")
    report, queries = session.report(), session.queries()
    assert report.unparsed_streams == {}
    assert (report.queries.failed, report.queries.unfinished) == (0, 0)
    # Thirty answers, one after another, would each have waited for the wire. A busy machine
    # does not hold most pipelines up.
    length = len(queries) // 5
    took_ns = queries["delivered_ns"][length - 1 :: length].astype(np.int64) - (
        queries["arrived_ns"][::length].astype(np.int64)
    )
    assert len(took_ns) == 5 and len(queries) % 5 == 0
    assert took_ns.min() >= DELAY_NS
    assert np.median(took_ns) < 30 * DELAY_NS / 2


def test_a_cancelled_query_fails(session: RelaySession, postgresql: PostgreSql) -> None:
    with postgresql.run("psql", session.port, "-X", "-c", "select pg_sleep(60)") as psql:
        postgresql.wait_until_sleeping()
        psql.send_signal(signal.SIGINT)
        _, complained = psql.communicate(timeout=PATIENCE_S)
    assert "canceling statement" in complained
    queries = session.report().queries
    assert (queries.cancellations, queries.answered, queries.failed) == (1, 1, 1)


def test_a_server_that_kills_a_session_leaves_its_query_unfinished(
    session: RelaySession, postgresql: PostgreSql
) -> None:
    _, complained = postgresql.sql(session.port, "select pg_terminate_backend(pg_backend_pid());")
    assert "terminating connection" in complained
    queries = session.report().queries
    assert (queries.answered, queries.unfinished) == (0, 1)
    assert session.queries()["outcome"].tolist() == [Outcome.UNFINISHED]
