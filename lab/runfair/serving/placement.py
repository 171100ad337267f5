"""Where the processes of one execution of a service run: the service, and its database with the
relay. Each is on the lab's own host or on another host, and is used in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from runfair.formats.place import HERE, LOCAL, Location
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import DatabaseUse
from runfair.machine.launching import Launcher
from runfair.machine.place import Place, PlaceClock, watched
from runfair.machine.processors import Assignment, assign, beside_generator
from runfair.serving.databases import Databases, RelayedDatabase
from runfair.serving.fleet import Fleet
from runfair.serving.place_host import PlaceHost, PlaceHosts, RemoteDatabase
from runfair.serving.process_accounting import JointAccounting, Tree, TreeAccounting

UsedDatabase = RelayedDatabase | RemoteDatabase


@dataclass(frozen=True)
class Placement:
    """The places of a service and of its database, and the processors of the service. A host is
    None if it is the lab's own. The clocks are those of the places during the execution."""

    place: Place
    host: PlaceHost | None
    clock: PlaceClock
    database_place: Place
    database_host: PlaceHost | None
    database_clock: PlaceClock
    assignment: Assignment

    @classmethod
    @contextmanager
    def of(
        cls, plan: Plan, cell: Cell, launcher: Launcher, hosts: PlaceHosts
    ) -> Iterator[Placement]:
        """The placement of an execution of the cell, with the lab restricted to processors that are
        not measured. The clocks are compared with the lab's until the context is left."""
        assert cell.service is not None
        use = cell.service.database
        place = Place.of(plan, cell.factors.place, launcher)
        beside = Place.of(plan, LOCAL if use is None else use.place, launcher)
        host = hosts.of(place)
        assignment = (place if host is None else host).assign(cell.factors.processors)
        place.keep_clear(assignment.beside)
        with watched(place) as clock, watched(beside) as database_clock:
            yield cls(place, host, clock, beside, hosts.of(beside), database_clock, assignment)

    @property
    def generating(self) -> Assignment:
        """The processors of the load generator."""
        return self.assignment if self.host is None else _own_generator()

    @property
    def usage_place(self) -> Location:
        """The place whose clock times the samples of the processes' use. Of the other hosts'
        clocks, this clock is the least certain."""
        apart = ((self.host, self.clock), (self.database_host, self.database_clock))
        found = [clock.location for host, clock in apart if host is not None]
        return max(found, key=lambda one: one.clock.uncertainty_ns, default=HERE)

    def look(self) -> None:
        """Measures the clocks again if their last measurement is old."""
        self.clock.look()
        self.database_clock.look()

    def relayed(
        self, databases: Databases, use: DatabaseUse, raw: Path, lab_processors: Sequence[int]
    ) -> AbstractContextManager[UsedDatabase]:
        """The database behind a relay, which stands beside it."""
        address = self.database_place.address_from(self.place.name)
        if self.database_host is not None:
            return self.database_host.relayed(use, raw, address, self.database_clock)
        # The relay's processors are the same in all executions, whatever processors this execution
        # uses.
        return databases.relayed(use, raw, beside_generator(lab_processors), address)

    def tree(self, fleet: Fleet) -> Tree | None:
        """The process trees of the service's instances; None if one of them cannot be seen."""
        if self.host is None:
            tree = TreeAccounting if fleet.hosting.kind == "url" else TreeAccounting.below
            own = [tree(pid, root=self.place.root) for pid in fleet.root_pids]
            return JointAccounting(own) if own else None
        found = [self.host.tree(one.report, self.clock) for one in fleet.surroundings]
        known = [one for one in found if one is not None]
        return JointAccounting(known) if known and len(known) == len(found) else None


def with_tree(trees: Mapping[str, Tree], service: Tree | None) -> dict[str, Tree]:
    """The trees of a database, with the service's if it can be seen."""
    return {**trees} if service is None else {**trees, "service": service}


def _own_generator() -> Assignment:
    """The processors of the generator on a host where no program is measured: the lab leaves one
    free for it."""
    free = assign(1)
    return replace(free, lab=free.measured)
