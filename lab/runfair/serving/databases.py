"""The databases of a run, each behind a relay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK
from runfair.formats.service import DatabaseUse
from runfair.machine.launching import Launcher
from runfair.serving.database import DatabaseLost, ExternalDatabase, PrivateDatabase
from runfair.serving.database_address import DatabaseAddress, PlainAddress, database_address
from runfair.serving.plain_database import PlainDatabase
from runfair.serving.postgresql_template import Table
from runfair.serving.process_accounting import TreeAccounting
from runfair.serving.relay import RelaySession, relay, start

Database = PrivateDatabase | ExternalDatabase | PlainDatabase


@dataclass
class RelayedDatabase:
    """A database behind the relay of one execution. `url` is for the service and leads to the
    relay; `shown_url` is the same without the password, for files.
    """

    database: Database
    relay: RelaySession
    url: str
    shown_url: str
    _restarts: int = 0

    @property
    def version(self) -> str:
        return self.database.version

    def trees(self) -> dict[str, TreeAccounting]:
        """The process trees whose use of resources is recorded together with the service's. There
        are none for the user's own server.
        """
        found = {"relay": TreeAccounting(self.relay.pid)}
        if isinstance(self.database, PrivateDatabase):
            found["database"] = TreeAccounting.below(self.database.pid)
        return found

    def restarted(self) -> bool:
        """Whether the database was restarted since this execution began."""
        if isinstance(self.database, PrivateDatabase):
            return not self.database.alive()
        return self.database.restarts() > self._restarts


@dataclass
class Databases:
    """The databases of a run. Each database is started when it is first needed, and is kept until
    the run ends. If a database is lost, it is started again for the next execution. Each execution
    finds the tables of a private database as they were loaded.
    """

    launcher: Launcher
    folder: Path
    _stacks: dict[str, ExitStack] = field(default_factory=dict)
    _databases: dict[str, Database] = field(default_factory=dict)

    @cached_property
    def _relay(self) -> Path:
        """The relay's executable. The relay's executable is the same for the whole run, even if the
        sources change during the run.
        """
        return relay()

    @contextmanager
    def relayed(
        self, use: DatabaseUse, raw: Path, processors: Sequence[int], address: str = LOOPBACK
    ) -> Iterator[RelayedDatabase]:
        """The database behind a relay that belongs to this execution and listens on `address`.
        Raises UserMistake if the database cannot be reached.
        """
        database = self._database(use, processors)
        found = database.address
        with start(
            self._relay,
            to=f"[{found.host}]:{found.port}"
            if ":" in found.host
            else f"{found.host}:{found.port}",
            listen=f"{address}:0",
            delay_ns=use.round_trip_ns,
            protocol=found.protocol if isinstance(found, PlainAddress) else "postgresql",
            folder=raw,
            processors=processors,
        ) as session:
            behind = _behind(found, address, session.port)
            restarts = 0 if isinstance(database, PrivateDatabase) else database.restarts()
            yield RelayedDatabase(database, session, behind.url, str(behind), restarts)

    def private(self, use: DatabaseUse, processors: Sequence[int]) -> PrivateDatabase:
        """A private database, which the service reaches without a relay. Raises UserMistake if
        PostgreSQL is not installed or does not start."""
        database = self._database(use, processors)
        assert isinstance(database, PrivateDatabase)
        return database

    def _database(self, use: DatabaseUse, processors: Sequence[int]) -> Database:
        key = use.model_dump_json(exclude={"round_trip_ns", "of_network"})
        known = self._databases.get(key)
        if known is not None and known.alive():
            with suppress(DatabaseLost):  # a server that is just ending still seems to be alive
                if isinstance(known, PrivateDatabase):
                    known.renew()
                return known
        if known is not None:
            self._stacks.pop(key).close()
        stack = self._stacks.setdefault(key, ExitStack())
        if use.url:
            self._databases[key] = _found(use.url, stack)
        else:
            records = self.folder / f"database-{len(list(self.folder.glob('database-*'))) + 1}"
            records.mkdir(parents=True)
            tables = [
                Table(
                    name=one.name,
                    columns=one.columns,
                    primary_key=one.primary_key,
                    rows=Path(one.rows),
                )
                for one in use.tables
            ]
            self._databases[key] = stack.enter_context(
                PrivateDatabase.start(
                    self.launcher, processors=processors, tables=tables, folder=records
                )
            )
        return self._databases[key]

    def __enter__(self) -> Databases:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stack in self._stacks.values():
            stack.close()


def require_relayed(url: str) -> DatabaseAddress | PlainAddress:
    """The address of the user's database. Raises UserMistake if the URL is malformed, or if the
    relay does not support the database.
    """
    address = database_address(url)
    if isinstance(address, PlainAddress):
        return address
    if address.is_socket:
        raise UserMistake(
            "runfair's relay (the proxy before the database) needs the database's host and port; "
            "write the host and the port in the database's URL instead of the folder of a socket"
        )
    if address.encryption in ("require", "verify-ca", "verify-full"):
        raise UserMistake(
            "runfair's relay (the proxy before the database) cannot time encrypted queries; leave "
            "sslmode out of the database's URL"
        )
    return address


def _found(url: str, stack: ExitStack) -> ExternalDatabase | PlainDatabase:
    address = require_relayed(url)
    if isinstance(address, PlainAddress):
        return PlainDatabase(address)
    return stack.enter_context(ExternalDatabase(url))


def _behind(
    found: DatabaseAddress | PlainAddress, host: str, port: int
) -> DatabaseAddress | PlainAddress:
    """The database's address as the service sees it: the address of the relay."""
    if isinstance(found, PlainAddress):
        return replace(found, host=host, port=port)
    return replace(found, host=host, port=port, encryption="disable")
