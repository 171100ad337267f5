"""One execution of a service. The service is started anew, put under load, ended, and recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from runfair.events.capture import EventCapture, reading_of_all
from runfair.events.reading import Reading
from runfair.formats.event import write_events
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.launch import LaunchReport
from runfair.formats.network import Link
from runfair.formats.place import HERE, LOCAL, LOOPBACK, Location
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder, keeping
from runfair.formats.service import CapacityFound, ColdStart, DatabaseUse, Served, SystemCallCounts
from runfair.formats.transcript import StopRule
from runfair.loading.generator import Progress, generator
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher, error_line
from runfair.machine.perf_counters import ProcessorCounters
from runfair.machine.place import Place, PlaceClock, watched
from runfair.machine.processors import Assignment, assign, beside_generator
from runfair.probing.observation import ProbeObservation
from runfair.serving.databases import Databases, RelayedDatabase
from runfair.serving.fleet import Fleet, instance_folders
from runfair.serving.instance import ServiceFailed, Surroundings, placeholder_report
from runfair.serving.measurement import (
    COUNTING_S,
    MOST_PROBES,
    Measurement,
    Observation,
    OnProgress,
)
from runfair.serving.network import End, FarHost, NetworkWatch, OwnHost, measured_links
from runfair.serving.place_host import PlaceHost, PlaceHosts, RemoteDatabase
from runfair.serving.process_accounting import JointAccounting, Tree, TreeAccounting
from runfair.serving.relay import RelayLost
from runfair.serving.request import CheckedRequest

PROBE = "probe"
# The time for all parts of an execution except the loads: start, first answer, stop.
SPARE_S = 120.0


@dataclass
class ServiceExecutor:
    """Carries out the executions of services of one run. The load generator runs on this machine;
    `generator_place` is what is recorded of it. The service and its database run in their places.
    """

    launcher: Launcher
    plan: Plan
    folder: RunFolder
    host: Host
    databases: Databases
    hosts: PlaceHosts
    on_progress: OnProgress = lambda _: None
    generator_place: Location = HERE
    _own: OwnHost | None = None
    _links: dict[tuple[str, ...], list[Link]] = field(default_factory=dict)

    @cached_property
    def generator(self) -> Path:
        """The generator's executable. The generator's executable is the same for the whole run,
        even if the sources change during the run. The generator is built early, so that no service
        waits for a build.
        """
        return generator()

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, _stop_rule: StopRule | None
    ) -> Execution:
        """Carries out the execution. A failure is an outcome, and all data measured before it are
        kept.
        """
        assert cell.service is not None
        identity = execution_id(planned, attempt)
        self.folder.make_raw_folder(identity)
        place = Place.of(self.plan, cell.factors.place, self.launcher)
        far = self.hosts.of(place)
        assignment = (place if far is None else far).assign(cell.factors.processors)
        place.keep_clear(assignment.beside)
        beside = self._database_place(cell)
        # The system calls of a request hardly vary, so one block is enough to count them.
        counting = planned.block == 1
        probe = None
        if planned.role == "probe":
            probe = ProbeObservation.begin(self.folder.raw_folder(identity) / PROBE, cell.user)
        with watched(place) as clock, watched(beside) as relay_clock:
            running = _ServiceExecution(
                executor=self,
                cell=cell,
                identity=identity,
                place=place,
                far=far,
                beside=beside,
                assignment=assignment,
                generator=self.generator,
                counting=counting,
                clocks=(clock, relay_clock),
                probe=probe,
            )
            failure = running.run()
        if probe is not None and not failure:
            with keeping(self.folder.path):
                failure = probe.keep(cell, self.folder.probe_file(identity))
        fleet = running.fleet
        report = running.report or placeholder_report(cell, failure, assignment.measured)
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=clock.location,
            command=running.recorded_command(),
            processors=list(assignment.measured),
            start=fleet.start_line if fleet is not None else None,
            iterations=0,
            digest=None,
            launch=report,
            served=running.served(clock.location, relay_clock.location),
            outcome=Outcome.of(failure and f"{failure}{error_line(running.complaints)}"),
        )

    def _database_place(self, cell: Cell) -> Place:
        """The place of the cell's database and its relay; the lab's own if there is none."""
        assert cell.service is not None
        use = cell.service.database
        return Place.of(self.plan, LOCAL if use is None else use.place, self.launcher)

    def ends(self, *places: Place) -> tuple[End, ...]:
        """The hosts of an execution as ends of links, the load generator's first. There are none if
        everything runs on one host, or if other hosts are not told where to reach this one."""
        far = {one.name: found for one in places if (found := self.hosts.of(one)) is not None}
        own = Place.of(self.plan, LOCAL, self.launcher).declared.address
        if not far or own == LOOPBACK:
            return ()
        if self._own is None:
            self._own = OwnHost(self.generator_place.name, self.generator_place.host, own)
        return (self._own, *map(FarHost, far.values()))

    def links(self, ends: Sequence[End]) -> list[Link]:
        """The links between the ends, measured once."""
        key = tuple(end.place for end in ends)
        if key not in self._links:
            self._links[key] = measured_links(ends)
        return self._links[key]

    def longest_s(self, cell: Cell) -> float:
        assert cell.service is not None
        effort, point = self.plan.effort, cell.service.point
        curve, searched = len(point.curve_per_s), MOST_PROBES if point.capacity else 0
        longest_s = max(effort.load_seconds, effort.probe_seconds)
        loads_s = longest_s * (1 + searched) + curve * effort.probe_seconds + COUNTING_S
        waits_s = (2 + curve + searched) * point.timeout_ns / 1e9
        return loads_s + waits_s + cell.service.ready.timeout_ns / 1e9 + SPARE_S


@dataclass
class _ServiceExecution:
    """A service from its start to its end, and the records of this time."""

    executor: ServiceExecutor
    cell: Cell
    identity: str
    place: Place
    far: PlaceHost | None
    beside: Place
    assignment: Assignment
    generator: Path
    counting: bool
    clocks: tuple[PlaceClock, ...]
    probe: ProbeObservation | None = None
    fleet: Fleet | None = None
    measurement: Measurement | None = None
    database: RelayedDatabase | RemoteDatabase | None = None
    links: list[Link] = field(default_factory=list)
    network: NetworkWatch | None = None
    capacity: CapacityFound | None = None
    system_calls: SystemCallCounts | None = None
    events: int | None = None
    restarted: bool = False

    @property
    def raw(self) -> Path:
        return self.executor.folder.raw_folder(self.identity)

    @property
    def report(self) -> LaunchReport | None:
        return self.fleet.report if self.fleet is not None else None

    @property
    def complaints(self) -> Path:
        """The standard error of the instance that failed."""
        folder = self.fleet.complained if self.fleet is not None else self.folders[0]
        return folder / "stderr"

    @property
    def folders(self) -> list[Path]:
        assert self.cell.service is not None
        return instance_folders(self.raw, self.cell.service.instances)

    def run(self) -> str:
        """Runs the execution and returns the reason if it failed, otherwise ""."""
        variants = {one.name: one for one in self.executor.plan.variants}
        environment = {**clean_environment(), **self.cell.artefact.environment}
        try:
            with ExitStack() as stack, keeping(self.executor.folder.path):
                captures = []
                for folder in self.folders:
                    folder.mkdir(exist_ok=True)
                    own = EventCapture(
                        self.cell,
                        variants[self.cell.variant],
                        folder,
                        environment,
                        far=self.far is not None,
                    )
                    captures.append(stack.enter_context(own))
                failure = self._serve(stack, captures)
                self._keep_events(reading_of_all(captures))
        except (ServiceFailed, RelayLost) as failed:
            return str(failed)
        return failure or (self.fleet.bad_end() if self.fleet is not None else "")

    def recorded_command(self) -> list[str]:
        """The command that was started, without the password that a database's URL may contain."""
        if self.fleet is None:
            return self.cell.artefact.command
        url = self.database.url if self.database is not None else ""
        shown = self.database.shown_url if self.database is not None else ""
        return [word.replace(url, shown) if url else word for word in self.fleet.command]

    def served(self, place: Location, relay: Location) -> Served:
        """The record of the execution. If the execution failed, it has the data from before the
        failure."""
        fleet, database = self.fleet, self.database
        network = None if self.network is None else self.network.network(self.links)
        return Served(
            start=self._start(place),
            loads=self.measurement.loads if self.measurement is not None else [],
            capacity=self.capacity,
            events=self.events,
            system_calls=self.system_calls,
            database=database.version if database is not None else "",
            database_restarted=self.restarted,
            ignored_stop=fleet.ignored_stop if fleet is not None else False,
            address=" ".join(one.url for one in fleet.addresses) if fleet is not None else "",
            relay=relay,
            network=network,
        )

    def _start(self, place: Location) -> ColdStart | None:
        """The service's start. On another host, the process starts when the launcher there says so:
        the time before belongs to the step, and not to the service."""
        cold = self.fleet.cold if self.fleet is not None else None
        if self.far is None or cold is None or self.report is None:
            return cold
        began_ns = place.clock.to_lab(self.report.started_monotonic_ns)
        return cold.model_copy(update={"process_ns": began_ns})

    def _serve(self, stack: ExitStack, captures: Sequence[EventCapture]) -> str:
        executor, service = self.executor, self.cell.service
        assert service is not None
        if ends := executor.ends(self.place, self.beside):
            self.links = executor.links(ends)
            self.network = NetworkWatch(ends)
        if service.database is not None:
            self.database = stack.enter_context(self._relayed(service.database))
        surroundings = [
            Surroundings(
                launcher=self.place.launcher,
                raw=folder,
                processors=self.assignment.measured,
                timeout_s=executor.longest_s(self.cell),
                environment=capture.environment
                if self.probe is None
                else self.probe.entering(capture.environment),
                stderr=capture.stderr,
                database=self.database.url if self.database is not None else "",
                address=self.place.address_from(LOCAL),
                root=self.place.root,
                host=self.far,
            )
            for folder, capture in zip(self.folders, captures, strict=True)
        ]
        question = CheckedRequest.first_of(Path(service.point.traffic), service.point.protocol)
        self.fleet = Fleet(self.cell, surroundings, question)
        try:
            with self.fleet as fleet:
                self._load(stack, fleet)
                fleet.stop()
        except ServiceFailed as failed:
            return str(failed)
        finally:
            self.restarted = self.database is not None and self.database.restarted()
        return ""

    def _relayed(
        self, use: DatabaseUse
    ) -> AbstractContextManager[RelayedDatabase | RemoteDatabase]:
        """The database behind the relay. If the network between service and database is measured,
        the relay adds only what the network lacks of the declared round trip."""
        executor = self.executor
        address = self.beside.address_from(self.place.name)
        for link in self.links:
            if (link.sender, link.receiver) == (self.place.name, self.beside.name):
                own_ns = max(0, use.round_trip_ns - link.round_trip_ns)
                use = use.model_copy(update={"round_trip_ns": own_ns})
        far = executor.hosts.of(self.beside)
        if far is not None:
            return far.relayed(use, self.raw, address)
        # The relay's processors are the same in all executions, whatever processors this execution
        # uses.
        processors = beside_generator(executor.plan.lab_processors)
        return executor.databases.relayed(use, self.raw, processors, address)

    def _look(self, progress: Progress) -> None:
        for clock in self.clocks:
            clock.look()
        if self.network is not None:
            self.network.look()
        self.executor.on_progress(progress)

    def _load(self, stack: ExitStack, fleet: Fleet) -> None:
        folder = self.executor.folder
        usage = stack.enter_context(folder.usage_file(self.identity).open("wb"))
        trees = self._trees(fleet)
        counters = stack.enter_context(counted) if (counted := _counters(trees)) else None
        generating = self.assignment if self.far is None else own_generator()
        measurement = self.measurement = Measurement(
            executable=self.generator,
            fleet=fleet,
            folder=folder,
            execution=self.identity,
            processors=generating.generator,
            # If the generator has no core of its own, keeping its processors awake may also keep a
            # measured processor awake, or slow it through the core's other thread.
            keep_awake=generating.limitation is None,
            effort=self.executor.plan.effort,
            observation=Observation(usage, trees, counters),
            on_progress=self._look,
            place=self.executor.generator_place,
        )
        measurement.operating_point()
        if self.network is not None:
            self.network.look(last=True)
        if self.probe is not None:
            return  # otherwise the other loads would be under the probe too
        if fleet.hosting.kind != "url":
            # An external service receives no more loads than the experiment states.
            self.system_calls = measurement.system_calls() if self.counting else None
        point = measurement.point
        for number, rate_per_s in enumerate(point.curve_per_s, 1):
            measurement.load(f"curve-{number:02}", "curve", rate_per_s)
        if point.capacity and point.objective is not None:
            self.capacity = measurement.capacity(point.objective)

    def _trees(self, fleet: Fleet) -> dict[str, Tree]:
        trees: Mapping[str, Tree] = self.database.trees() if self.database is not None else {}
        if self.far is not None:
            found = [self.far.tree(one.report) for one in fleet.surroundings]
            known = [one for one in found if one is not None]
            complete = len(known) == len(found)
            return {**trees, "service": JointAccounting(known)} if complete else {**trees}
        tree = TreeAccounting if fleet.hosting.kind == "url" else TreeAccounting.below
        own = [tree(pid, root=self.place.root) for pid in fleet.root_pids]
        return {**trees, "service": JointAccounting(own)} if own else {**trees}

    def _keep_events(self, reading: Reading | None) -> None:
        if reading is not None:
            write_events(self.executor.folder.events_file(self.identity), reading.events)
            self.events = len(reading.events) if reading.processes else None


def own_generator() -> Assignment:
    """The processors of the generator on a host where no program is measured: the lab leaves one
    free for it."""
    free = assign(1)
    return replace(free, lab=free.measured)


def _counters(
    trees: Mapping[str, Tree],
) -> ProcessorCounters | None:
    """The counters of cycles and instructions for the service's threads and the threads that they
    start. None if the processor does not count them, which the host's record reports.
    """
    tree = trees.get("service")
    try:
        return None if tree is None else ProcessorCounters(tree.threads())
    except OSError:
        return None
