"""What stands beside services while they are measured: their databases, behind the relay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType

from runfair.errors import UserMistake
from runfair.formats.service import DatabaseUse
from runfair.machine.launching import Launcher
from runfair.serving.address import LOOPBACK
from runfair.serving.database import ExternalDatabase, PrivateDatabase
from runfair.serving.postgresql_address import parse_address
from runfair.serving.postgresql_template import Table
from runfair.serving.process_accounting import TreeAccounting
from runfair.serving.relay import RelaySession, relay, start


@dataclass
class Reached:
    """A database as a service reaches it: `url` leads to the relay; `shown_url` is without its
    password, for files."""

    database: PrivateDatabase | ExternalDatabase
    relay: RelaySession
    url: str
    shown_url: str
    _restarts: int = 0

    def trees(self) -> dict[str, TreeAccounting]:
        """Whose use is watched beside the service's; the user's own server is not ours to see."""
        found = {"relay": TreeAccounting(self.relay.pid)}
        if isinstance(self.database, PrivateDatabase):
            found["database"] = TreeAccounting.below(self.database.pid)
        return found

    def restarted(self) -> bool:
        """Whether the database was lost since this execution began."""
        if isinstance(self.database, PrivateDatabase):
            return not self.database.alive()
        return self.database.restarts() > self._restarts


@dataclass
class Neighbours:
    """The databases of a run, each started when first needed and kept until the run ends; one that
    was lost is started anew for the next execution."""

    launcher: Launcher
    folder: Path
    _stacks: dict[str, ExitStack] = field(default_factory=dict)
    _databases: dict[str, PrivateDatabase | ExternalDatabase] = field(default_factory=dict)

    @cached_property
    def _relay(self) -> Path:
        """One for the whole run, where somebody changes the sources meanwhile."""
        return relay()

    @contextmanager
    def reached(self, use: DatabaseUse, raw: Path, processors: Sequence[int]) -> Iterator[Reached]:
        """The database behind a relay of this execution's own; UserMistake where it cannot be
        reached."""
        if use.url and parse_address(use.url).is_socket:
            raise UserMistake("the relay needs the database's host and port, not a socket's folder")
        if use.url and parse_address(use.url).encryption in ("require", "verify-ca", "verify-full"):
            raise UserMistake(
                "the relay times queries, which it cannot where they are encrypted: "
                "leave sslmode out of the database's URL"
            )
        database = self._database(use, processors)
        address = parse_address(database.url)
        with start(
            self._relay,
            to=f"[{address.host}]:{address.port}"
            if ":" in address.host
            else f"{address.host}:{address.port}",
            delay_ns=use.round_trip_ns,
            protocol="postgresql",
            folder=raw,
            processors=processors,
        ) as session:
            behind = replace(address, host=LOOPBACK, port=session.port, encryption="disable")
            restarts = database.restarts() if isinstance(database, ExternalDatabase) else 0
            yield Reached(database, session, behind.url, str(behind), restarts)

    def _database(
        self, use: DatabaseUse, processors: Sequence[int]
    ) -> PrivateDatabase | ExternalDatabase:
        key = use.model_dump_json(exclude={"round_trip_ns"})
        known = self._databases.get(key)
        if known is not None and known.alive():
            return known
        if known is not None:
            self._stacks.pop(key).close()
        stack = self._stacks.setdefault(key, ExitStack())
        if use.url:
            self._databases[key] = stack.enter_context(ExternalDatabase(use.url))
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

    def __enter__(self) -> Neighbours:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stack in self._stacks.values():
            stack.close()
