"""A data folder with its tables loaded. The data folder is made once for each version of the server
and content of the tables, and copied for every instance.
"""

from __future__ import annotations

import csv
import hashlib
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.build_folder import made
from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK
from runfair.machine.launching import Launcher
from runfair.serving.postgresql_place import ServerUser, instance_folder
from runfair.serving.postgresql_server import OWNER, ServerBinaries, run_to_end, running_server
from runfair.serving.postgresql_session import DatabaseSession, ServerError

DATABASE = "payments"
# PostgreSQL's own database, for statements about other databases.
MAINTENANCE = "postgres"
# The role of services: it may read and write the tables, and nothing else.
SERVICE_ROLE = "service"

# With this locale the order of texts and the conversion of case are the same on every machine. It
# is also the fastest.
_INITDB = ("--encoding=UTF8", "--locale=C", "--auth=trust", f"--username={OWNER}", "--no-sync")
# Every user of this machine can reach the port, so the owner of the database must not be admitted
# there: the owner can run programs as the server's user (COPY … FROM PROGRAM). The socket's folder
# is closed to others.
_ADMITTED = f"""\
local all          {OWNER}  trust
host  {DATABASE}  {SERVICE_ROLE}  {LOOPBACK}/32  trust
"""
_PART_BYTES = 1 << 18
# The limit suffices for a gigabyte at 10 MB/s, the rate of the slowest disks.
LOADING_LIMIT_S = 300.0


@dataclass(frozen=True)
class Table:
    """A table of a private database.

    `columns` is the text between the brackets of CREATE TABLE, `primary_key` the names of the key's
    columns, `rows` a CSV file (RFC 4180, UTF-8) whose first line names columns of the table, in any
    order.
    """

    name: str
    columns: str
    primary_key: Sequence[str]
    rows: Path


def template(
    launcher: Launcher,
    binaries: ServerBinaries,
    user: ServerUser,
    tables: Sequence[Table],
    place: Path,
) -> Path:
    """The folder `data` of a stopped server with these tables, made if it does not exist yet.
    Raises UserMistake if PostgreSQL does not accept a table's columns or rows.
    """

    def make(staging: Path) -> None:
        with instance_folder(place, user) as folder:
            data = folder / "data"
            run_to_end(
                launcher, user, [binaries.initdb, *_INITDB, "--pgdata", data], folder, staging
            )
            (data / "pg_hba.conf").write_text(_ADMITTED)
            with running_server(
                launcher, binaries, user, folder, processors=(), records=staging, listen=False
            ) as server:
                with DatabaseSession(server.address(MAINTENANCE)) as session:
                    session.query(f"CREATE DATABASE {DATABASE}")
                    session.query(f"CREATE ROLE {SERVICE_ROLE} LOGIN")
                with DatabaseSession(server.address(DATABASE), limit_s=LOADING_LIMIT_S) as session:
                    # VACUUM marks a row as visible to all sessions only after the row's commit is
                    # on disk.
                    session.query("SET synchronous_commit = on")
                    for table in tables:
                        _load(session, table)
                    session.query("CHECKPOINT")
            data.rename(staging / "data")

    key = _key(binaries, user, tables)
    return made(place / "templates" / key, make) / "data"


def copy_template(data: Path, target: Path) -> None:
    """Copies a template with owners and modes, sharing its blocks if the file system can."""
    copied = subprocess.run(
        ["cp", "--archive", "--reflink=auto", "--", str(data), str(target)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if copied.returncode != 0:
        raise UserMistake(
            f"the data for the private database cannot be copied ({copied.stderr.strip()})"
        )


def _load(session: DatabaseSession, table: Table) -> None:
    name = quoted(table.name)
    try:
        with table.rows.open(newline="", encoding="utf-8") as file:
            columns = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError) as error:
        raise UserMistake(f"the rows of the table {table.name} cannot be read ({error})") from None
    listed = ", ".join(map(quoted, columns))
    key = ", ".join(map(quoted, table.primary_key))
    try:
        session.query(f"CREATE TABLE {name} ({table.columns})")
        session.copy_in(
            f"COPY {name} ({listed}) FROM STDIN WITH (FORMAT csv, HEADER true)", _parts(table.rows)
        )
        session.query(f"ALTER TABLE {name} ADD PRIMARY KEY ({key})")
        # Frozen rows cause no writes when they are first read.
        session.query(f"VACUUM (FREEZE, ANALYZE) {name}")
        session.query(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {name} TO {SERVICE_ROLE}")
    except ServerError as error:
        raise UserMistake(
            f"the table {table.name} cannot be made from {table.rows} ({error})"
        ) from None


def _key(binaries: ServerBinaries, user: ServerUser, tables: Sequence[Table]) -> str:
    """A digest of everything that the data depends on, and of its owner."""
    digest = hashlib.sha256()
    for part in (binaries.version, str(binaries.folder), str(user.uid), *_INITDB, _ADMITTED):
        digest.update(part.encode() + b"\0")
    for table in tables:
        for part in (table.name, table.columns, *table.primary_key):
            digest.update(part.encode() + b"\0")
        try:
            with table.rows.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise UserMistake(
                f"the rows of the table {table.name} cannot be read ({error.strerror}: "
                f"{table.rows})"
            ) from None
    return digest.hexdigest()[:16]


def _parts(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        while part := opened.read(_PART_BYTES):
            yield part


def quoted(name: str) -> str:
    """The text as a quoted SQL identifier, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'
