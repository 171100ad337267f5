"""The database of services: a private PostgreSQL, or the user's own by its URL.

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
from runfair.serving.postgresql_place import database_place, instance_folder
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
    SERVICE_ROLE,
    Table,
    copy_template,
    template,
)
from runfair.serving.postgresql_user import server_user
from runfair.serving.process_accounting import TreeAccounting, TreeUsage

# Read back beside those that a private instance is given: what else decides how a query fares.
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


class PrivateDatabase:
    """A running instance of our own; `settings` are the effective ones, as `SHOW` tells them."""

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
        """An instance with these tables on these processors, gone when the context is left, and
        with the lab however that ends. Its log and the launcher's report of it are kept in
        `folder`, which is there.

        UserMistake where PostgreSQL is not installed, does not start, or does not take a table.
        """
        binaries, user = find_binaries(), server_user()
        place = database_place(user)
        data = template(launcher, binaries, user, tables, place)
        with instance_folder(place, user) as own:
            copy_template(data, own / "data")
            with running_server(
                launcher, binaries, user, own, processors=processors, records=folder, listen=True
            ) as server:
                with DatabaseSession(server.address(DATABASE)) as session:
                    database = cls(server, session)
                yield database

    @property
    def url(self) -> str:
        """For services and their drivers. The role may read and write the tables."""
        return f"postgresql://{SERVICE_ROLE}@{LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int:
        """The launcher's, below which the whole tree is."""
        return self._server.launch.launcher_pid

    @property
    def peak_bytes(self) -> int:
        """The most memory of the tree that a look has seen, this one included."""
        return self.usage().peak_bytes

    def usage(self, *, memory: bool = True) -> TreeUsage:
        """What the server and all its sessions, ended ones too, have taken so far."""
        return self._accounting.look(memory=memory)

    def cpu_ns(self) -> tuple[int, int]:
        """User and system time so far, in the kernel's ticks (10 ms a process); `usage` has the
        sum more exactly."""
        usage = self.usage(memory=False)
        return usage.user_ns, usage.system_ns

    def alive(self) -> bool:
        """Whether the server has not ended. It does after a crash of one of its processes."""
        return not self._server.has_ended()

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Rows as texts, by a session of its own in the role of the services."""
        with DatabaseSession(self.address) as session:
            return session.query(sql)


class ExternalDatabase:
    """The user's own database, reachable at first; a context manager. One session stays open, so
    that asking costs the server nothing but a query.

    UserMistake, with one line, where it cannot be reached.
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
        """With its password: for the environment of services, not for files."""
        return self.address.url

    def alive(self) -> bool:
        """Whether it answers now; a session that was lost is opened again."""
        try:
            self._renew()
        except (SessionLost, ServerError):
            self._lose()
            return False
        return True

    def restarts(self) -> int:
        """How often it was seen to have begun anew since the beginning: started, or recovered from
        a crash. Restarts between two looks, of this or `alive`, count once; while it is down,
        those until then."""
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
            # No session outlives a restart; who resets the statistics meanwhile, restarts nothing.
            with contextlib.suppress(SessionLost):
                self._began = _beginning(self._session)
                return
            self._lose()
        self._session = DatabaseSession(self.address)  # refused as long as it recovers
        began = _beginning(self._session)
        if began != self._began:
            self._restarts += 1
        self._began = began

    def _lose(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _reach(address: DatabaseAddress) -> DatabaseSession:
    """A session; UserMistake says what to do."""
    place = f"the database at {address.host}:{address.port}"
    try:
        return DatabaseSession(address)
    except ServerError as error:
        if error.code == NOT_AUTHORISED:
            advice = f"does not let {address.user} in ({error}): correct user or password"
        elif error.code == NO_DATABASE:
            advice = f"has no database {address.database}: create it, or correct the URL's path"
        elif error.code == NOT_YET:
            advice = f"is not ready ({error}): try again when it is"
        elif error.code == TOO_MANY:
            advice = f"has no session left ({error}): raise its max_connections, or end others"
        else:
            advice = f"refuses ({error})"
    except PasswordWanted:
        advice = f"wants a password of {address.user}: set PGPASSWORD, or write it in the URL"
    except NotPostgresql:
        advice = "is none: something else answers there; correct host and port"
    except SessionLost as error:
        advice = f"cannot be reached ({error}): start it there, or correct the URL"
    raise UserMistake(f"{place} {advice}")


def _settings(session: DatabaseSession) -> Mapping[str, str]:
    """The effective settings, with their units, by name; those that this version has."""
    names = ", ".join(f"'{name}'" for name in sorted({*SETTINGS, *_TOLD}))
    rows = session.query(
        f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names}) ORDER BY 1"
    )
    return {name: value for name, value in rows if name is not None and value is not None}


def _beginning(session: DatabaseSession) -> Row:
    """When the server was started, and since when it counts: a recovery from a crash leaves the
    first and makes the second anew (the manual, section 28.2). That it told its sessions so
    (57P02) cannot be relied on: what it says to one that it is just answering is lost."""
    (beginning,) = session.query(
        "SELECT pg_postmaster_start_time(), stats_reset FROM pg_stat_bgwriter"
    )
    return beginning
