"""The database of services: a private PostgreSQL, or the user's own database, given by its URL.

with PrivateDatabase.start(launcher, processors=[1], tables=[table], folder=raw) as database:
    service(environment={"DATABASE_URL": database.url})
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK
from runfair.machine.launching import Launcher
from runfair.serving.database_address import DatabaseAddress, parse_address
from runfair.serving.postgresql_place import database_place, instance_folder, server_user
from runfair.serving.postgresql_server import SETTINGS, RunningServer, find_binaries, running_server
from runfair.serving.postgresql_session import (
    NO_DATABASE,
    NOT_AUTHORISED,
    NOT_YET,
    TOO_MANY,
    DatabaseSession,
    NotPostgresql,
    PasswordWanted,
    Row,
    ServerError,
    SessionLost,
)
from runfair.serving.postgresql_template import (
    DATABASE,
    LOADING_LIMIT_S,
    MAINTENANCE,
    SERVICE_ROLE,
    Table,
    copy_template,
    template,
)
from runfair.serving.process_accounting import TreeAccounting, TreeUsage

# Settings that runfair does not choose, but that influence the time of a query. They are read from
# the running server.
_TOLD = (
    "checkpoint_timeout",
    "effective_cache_size",
    "huge_pages",
    "lc_collate",
    "listen_addresses",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "random_page_cost",
    "server_encoding",
    "shared_preload_libraries",
    "wal_level",
    "work_mem",
)

# The database with the tables as they were loaded. Services cannot reach it.
_LOADED = "loaded"


class DatabaseLost(UserMistake):
    """The server of a private database has ended, is just ending, or does not answer."""


class PrivateDatabase:
    """A running PostgreSQL that the lab started. `settings` are the effective settings, as `SHOW`
    reports them.
    """

    def __init__(self, server: RunningServer, session: DatabaseSession) -> None:
        self.port = server.port
        self.version = session.version
        self.settings = _settings(session)
        self._server = server
        self.address = DatabaseAddress(
            host=LOOPBACK,
            port=server.port,
            user=SERVICE_ROLE,
            database=DATABASE,
            encryption="disable",
        )
        self._accounting = TreeAccounting.below(server.launch.launcher_pid)

    @classmethod
    @contextlib.contextmanager
    def start(
        cls,
        launcher: Launcher,
        *,
        processors: Sequence[int],
        tables: Sequence[Table],
        folder: Path,
    ) -> Iterator[PrivateDatabase]:
        """Starts an instance with these tables on these processors.

        The instance ends when the context is left, and also when the lab ends for any reason. The
        instance's log and the launcher's report are kept in `folder`, which must exist. Raises
        UserMistake if PostgreSQL is not installed, does not start, or does not accept a table.
        """
        binaries, user = find_binaries(), server_user()
        place = database_place(user)
        data = template(launcher, binaries, user, tables, place)
        with instance_folder(place, user) as own:
            copy_template(data, own / "data")
            with running_server(
                launcher, binaries, user, own, processors=processors, records=folder, listen=True
            ) as server:
                with DatabaseSession(server.address(MAINTENANCE)) as session:
                    session.query(f"ALTER DATABASE {DATABASE} RENAME TO {_LOADED}")
                    database = cls(server, session)
                database.renew()
                yield database

    @property
    def url(self) -> str:
        """The URL for services and their drivers. The role in the URL may read and write the
        tables."""
        return f"postgresql://{SERVICE_ROLE}@{LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int:
        """The launcher's process ID; all the server's processes are its descendants."""
        return self._server.launch.launcher_pid

    @property
    def peak_bytes(self) -> int:
        """The greatest memory of the process tree in all samples so far. This call takes a sample
        too."""
        return self.usage().peak_bytes

    def usage(self, *, memory: bool = True) -> TreeUsage:
        """The resources that the server and all its sessions have used so far. Sessions that have
        ended are included."""
        return self._accounting.look(memory=memory)

    def cpu_ns(self) -> tuple[int, int]:
        """The user and system time so far, to the precision of kernel ticks (10 ms per process).
        `usage` has a more exact sum.
        """
        usage = self.usage(memory=False)
        return usage.user_ns, usage.system_ns

    def alive(self) -> bool:
        """Whether the server is still running. A crash of one of its processes ends the server."""
        return not self._server.has_ended()

    def renew(self) -> None:
        """Replaces the services' database by a new copy of the loaded one, so that no dead rows of
        earlier services slow the next one. Ends all sessions of the services. Raises UserMistake
        if the server refuses, and DatabaseLost if it was lost.
        """
        try:
            with DatabaseSession(
                self._server.address(MAINTENANCE), limit_s=LOADING_LIMIT_S
            ) as session:
                session.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    f"WHERE datname = '{DATABASE}'"
                )
                session.query(f"DROP DATABASE IF EXISTS {DATABASE}")
                session.query(f"CREATE DATABASE {DATABASE} TEMPLATE {_LOADED}")
            # The first session of a database makes the cache of the catalogue.
            DatabaseSession(self._server.address(DATABASE)).close()
        except (SessionLost, ServerError) as error:
            lost = isinstance(error, SessionLost) or error.code == NOT_YET
            raise (DatabaseLost if lost else UserMistake)(
                f"the tables of runfair's private PostgreSQL cannot be made again ({error})"
            ) from None

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """The rows of a query as texts. The query runs in a separate session, with the role of the
        services.
        """
        with DatabaseSession(self.address) as session:
            return session.query(sql)


class ExternalDatabase:
    """The user's own database, as a context manager.

    One session stays open, so that each question to the server costs only a query. Raises
    UserMistake, with a one-line message, if the database cannot be reached at first.
    """

    def __init__(self, url: str) -> None:
        self.address = parse_address(url)
        self._session: DatabaseSession | None = None
        self._restarts = 0
        self._session = _reach(self.address)
        self.version = self._session.version
        self.settings = _settings(self._session)
        self._began = _beginning(self._session)

    @property
    def url(self) -> str:
        """The URL with its password. The URL may be put into the environment of services, but never
        into files."""
        return self.address.url

    def alive(self) -> bool:
        """Whether the server answers now. If the session was lost, a new one is opened."""
        try:
            self._renew()
        except (SessionLost, ServerError):
            self._lose()
            return False
        return True

    def restarts(self) -> int:
        """The number of restarts seen so far: starts, and recoveries from a crash.

        Several restarts between two calls of this property or of `alive` count as one. While the
        server is down, the number of restarts before the failure is returned.
        """
        self.alive()
        return self._restarts

    def close(self) -> None:
        self._lose()

    def __enter__(self) -> ExternalDatabase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _renew(self) -> None:
        if self._session is not None:
            # No session outlives a restart. A reset of the statistics is not a restart.
            with contextlib.suppress(SessionLost):
                self._began = _beginning(self._session)
                return
            self._lose()
        # the server refuses sessions while it recovers
        self._session = DatabaseSession(self.address)
        began = _beginning(self._session)
        if began != self._began:
            self._restarts += 1
        self._began = began

    def _lose(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _reach(address: DatabaseAddress) -> DatabaseSession:
    """A session with the database. Raises UserMistake if the session cannot be opened; the message
    says what to do."""
    place = f"the database at {address.host}:{address.port}"
    try:
        return DatabaseSession(address)
    except ServerError as error:
        if error.code == NOT_AUTHORISED:
            advice = (
                f"does not accept the user {address.user} ({error}); correct the user or the "
                "password"
            )
        elif error.code == NO_DATABASE:
            advice = (
                f"contains no database {address.database}; create the database, or correct the "
                "path in the URL"
            )
        elif error.code == NOT_YET:
            advice = f"is not ready ({error}); try again later"
        elif error.code == TOO_MANY:
            advice = (
                f"has no free session ({error}); raise its max_connections, or end other sessions"
            )
        else:
            advice = f"refuses ({error})"
    except PasswordWanted:
        advice = (
            f"asks for the password of the user {address.user}; set PGPASSWORD, or write the "
            "password in the URL"
        )
    except NotPostgresql:
        advice = (
            "is not a PostgreSQL server, because another program answers at this address; "
            "correct the host and the port"
        )
    except SessionLost as error:
        advice = f"cannot be reached ({error}); start the database there, or correct the URL"
    raise UserMistake(f"{place} {advice}")


def _settings(session: DatabaseSession) -> Mapping[str, str]:
    """The effective settings by name, with their units. Settings that this version of PostgreSQL
    does not have are left out."""
    names = ", ".join(f"'{name}'" for name in sorted({*SETTINGS, *_TOLD}))
    rows = session.query(
        f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names}) ORDER BY 1"
    )
    return {name: value for name, value in rows if name is not None and value is not None}


def _beginning(session: DatabaseSession) -> Row:
    """The time at which the server was started, and the time from which its statistics are counted.

    A recovery from a crash keeps the time of the start but renews the time of the statistics
    (PostgreSQL manual, section 28.2). The server also reports the crash to its sessions (error
    57P02), but the message is lost if the server is sending an answer at that moment.
    """
    (beginning,) = session.query(
        "SELECT pg_postmaster_start_time(), stats_reset FROM pg_stat_bgwriter"
    )
    return beginning
