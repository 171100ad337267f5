"""Where the processes of one execution of a service run: the service, on one host or on several,
and its database with the relay. Each is on the lab's own host or on another host, and is used in
the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from runfair.formats.place import HERE, LOCAL, Location
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import DatabaseUse
from runfair.machine.launching import Launcher
from runfair.machine.place import Place, PlaceClock, watched
from runfair.machine.processors import Assignment, assign, beside_generator
from runfair.serving.databases import Databases, RelayedDatabase
from runfair.serving.place_host import PlaceHost, PlaceHosts, RemoteDatabase
from runfair.serving.process_accounting import JointAccounting, Tree, TreeAccounting
from runfair.serving.running_service import RunningService

UsedDatabase = RelayedDatabase | RemoteDatabase


@dataclass(frozen=True)
class Site:
    """A host of the service: its place, and the processors that the instances there share. `host`
    is None if it is the lab's own. The clock is that of the place during the execution."""

    place: Place
    host: PlaceHost | None
    clock: PlaceClock
    assignment: Assignment


@dataclass(frozen=True)
class Placement:
    """The sites of a service, the first of which represents it, and the place of its database. A
    host is None if it is the lab's own. The instances are given to the sites in turn."""

    sites: Sequence[Site]
    database_place: Place
    database_host: PlaceHost | None
    database_clock: PlaceClock

    @classmethod
    @contextmanager
    def of(
        cls,
        plan: Plan,
        cell: Cell,
        launcher: Launcher,
        hosts: PlaceHosts,
        further: Sequence[Place] = (),
    ) -> Iterator[Placement]:
        """The placement of an execution of the cell, whose service also runs in the `further`
        places. The lab is restricted to processors that are not measured. The clocks are compared
        with the lab's until the context is left."""
        assert cell.service is not None
        use = cell.service.database
        places = [Place.of(plan, cell.factors.place, launcher), *further]
        beside = Place.of(plan, LOCAL if use is None else use.place, launcher)
        with ExitStack() as stack:
            sites = []
            for place in places:
                host = hosts.of(place)
                assignment = (place if host is None else host).assign(cell.factors.processors)
                place.keep_clear(assignment.beside)
                clock = stack.enter_context(watched(place))
                sites.append(Site(place, host, clock, assignment))
            database_clock = stack.enter_context(watched(beside))
            yield cls(sites, beside, hosts.of(beside), database_clock)

    @property
    def first(self) -> Site:
        return self.sites[0]

    def site_of(self, instance: int) -> Site:
        """The site of an instance; instances are counted from 0."""
        return self.sites[instance % len(self.sites)]

    @property
    def location(self) -> Location:
        """The place of the first site. The uncertainty of its clock is the greatest of all sites,
        so that it holds for the processes of each."""
        found = [one.clock.location for one in self.sites]
        greatest_ns = max(one.clock.uncertainty_ns for one in found)
        clock = found[0].clock.model_copy(update={"uncertainty_ns": greatest_ns})
        return found[0].model_copy(update={"clock": clock})

    @property
    def generating(self) -> Assignment:
        """The processors of the load generator."""
        return self.first.assignment if self.first.host is None else _own_generator()

    @property
    def usage_place(self) -> Location:
        """The place whose clock times the samples of the processes' use. Of the other hosts'
        clocks, this clock is the least certain."""
        apart = [(one.host, one.clock) for one in self.sites]
        apart.append((self.database_host, self.database_clock))
        found = [clock.location for host, clock in apart if host is not None]
        return max(found, key=lambda one: one.clock.uncertainty_ns, default=HERE)

    def look(self) -> None:
        """Measures the clocks again if their last measurement is old."""
        for clock in (*(one.clock for one in self.sites), self.database_clock):
            clock.look()

    def relayed(
        self, databases: Databases, use: DatabaseUse, raw: Path, lab_processors: Sequence[int]
    ) -> AbstractContextManager[UsedDatabase]:
        """The database behind a relay, which stands beside it."""
        address = self.database_place.address_from(self.first.place.name)
        if self.database_host is not None:
            return self.database_host.relayed(use, raw, address, self.database_clock)
        # The relay's processors are the same in all executions, whatever processors this execution
        # uses.
        return databases.relayed(use, raw, beside_generator(lab_processors), address)

    def tree(self, running: RunningService) -> JointAccounting | None:
        """The process trees of the service's instances, a joint one for each site; None if one of
        them cannot be seen."""
        if self.first.host is None:
            tree = TreeAccounting if running.hosting.kind == "url" else TreeAccounting.below
            own = [tree(pid, root=self.first.place.root) for pid in running.root_pids]
            return JointAccounting([JointAccounting(own)]) if own else None
        on_sites: list[list[Tree]] = [[] for _ in self.sites]
        for number, around in enumerate(running.surroundings):
            site = self.site_of(number)
            assert site.host is not None
            if (found := site.host.tree(around.report, site.clock)) is None:
                return None
            on_sites[number % len(self.sites)].append(found)
        return JointAccounting([JointAccounting(trees) for trees in on_sites])


def with_tree(trees: Mapping[str, Tree], service: Tree | None) -> dict[str, Tree]:
    """The trees of a database, with the service's if it can be seen."""
    return {**trees} if service is None else {**trees, "service": service}


def _own_generator() -> Assignment:
    """The processors of the generator on a host where no program is measured: the lab leaves one
    free for it."""
    free = assign(1)
    return replace(free, lab=free.measured)
