"""One execution of a service. The service is started anew, put under load, ended, and recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from runfair.events.capture import EventCapture, reading_of_all
from runfair.events.reading import Reading
from runfair.formats.event import write_events
from runfair.formats.host import Host
from runfair.formats.kept_file import keeping
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.place import LOCAL, Location
from runfair.formats.plan import Cell, Plan
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import (
    CapacityFound,
    ColdStart,
    DatabaseUse,
    Served,
    ServiceHost,
    SystemCallCounts,
)
from runfair.loading.generator import Progress
from runfair.machine.environment import clean_environment
from runfair.machine.perf_counters import ProcessorCounters
from runfair.probing.observation import ProbeObservation
from runfair.serving.databases import Databases
from runfair.serving.instance import ServiceFailed, Surroundings
from runfair.serving.measurement import Measurement, Observation, OnProgress, StartLoad
from runfair.serving.network import Networks, NetworkWatch
from runfair.serving.placement import Placement, UsedDatabase, with_tree
from runfair.serving.process_accounting import Tree
from runfair.serving.relay import RelayLost
from runfair.serving.request import CheckedRequest
from runfair.serving.running_service import RunningService, instance_folders


@dataclass
class ServiceExecution:
    """A service from its start to its end, and the records of this time. `hosts` are those of the
    placement's sites. `counting` asks for the system calls of a request, which are counted on each
    site."""

    cell: Cell
    identity: str
    plan: Plan
    folder: RunFolder
    placement: Placement
    hosts: Sequence[Host]
    databases: Databases
    networks: Networks
    generator: Path
    generator_place: Location
    longest_s: float
    counting: bool
    on_progress: OnProgress
    start_load: StartLoad
    probe: ProbeObservation | None = None
    service: RunningService | None = None
    measurement: Measurement | None = None
    database: UsedDatabase | None = None
    network: NetworkWatch | None = None
    capacity: CapacityFound | None = None
    system_calls: Sequence[SystemCallCounts] = ()
    events: int | None = None
    unread: int = 0
    restarted: bool = False

    @property
    def raw(self) -> Path:
        return self.folder.raw_folder(self.identity)

    @property
    def report(self) -> LaunchReport | None:
        """The accounting of all instances together, on the clock of the first site."""
        if self.service is None or len(self.placement.sites) == 1:
            return self.service.report if self.service is not None else None
        first = self.placement.first.clock.location.clock
        known = [
            one.launch.model_copy(update={"started_monotonic_ns": first.from_lab(started_ns)})
            for one in self._on_hosts()
            if one.launch.outcome.state != "not_started"
            for started_ns in [one.place.clock.to_lab(one.launch.started_monotonic_ns)]
        ]
        return LaunchReport.together(known, on_hosts=True) if known else None

    def _on_hosts(self) -> list[ServiceHost]:
        """The hosts of the service if there are several. A host has an empty report if none of its
        instances was started."""
        running, sites = self.service, self.placement.sites
        if running is None or len(sites) == 1:
            return []
        found = []
        for number, (site, host) in enumerate(zip(sites, self.hosts, strict=True)):
            mine = running.instances[number :: len(sites)]
            reports = [one.report for one in mine if one.report is not None]
            not_started = LaunchOutcome(state="not_started", error="the service did not start")
            launch = (
                LaunchReport.together(reports)
                if reports
                else LaunchReport.placeholder(not_started, site.assignment.measured)
            )
            found.append(
                ServiceHost(
                    host=host.name,
                    boot_id=host.boot_id,
                    place=site.clock.location,
                    addresses=[one.address.url for one in mine],
                    start=mine[0].start_line,
                    launch=launch,
                    system_calls=self.system_calls[number] if self.system_calls else None,
                )
            )
        return found

    @property
    def complaints(self) -> Path:
        """The standard error of the instance that failed."""
        folder = self.service.complained if self.service is not None else self.folders[0]
        return folder / "stderr"

    @property
    def folders(self) -> list[Path]:
        assert self.cell.service is not None
        return instance_folders(self.raw, self.cell.service.instances)

    def run(self) -> str:
        """Runs the execution and returns the reason if it failed, otherwise ""."""
        variants = {one.name: one for one in self.plan.variants}
        environment = {**clean_environment(), **self.cell.artefact.environment}
        far = self.placement.first.host is not None
        try:
            with ExitStack() as stack, keeping(self.folder.path):
                captures = []
                for folder in self.folders:
                    folder.mkdir(exist_ok=True)
                    variant = variants[self.cell.variant]
                    own = EventCapture(self.cell, variant, folder, environment, far=far)
                    captures.append(stack.enter_context(own))
                failure = self._serve(stack, captures)
                self._keep_events(reading_of_all(captures))
        except (ServiceFailed, RelayLost) as failed:
            return str(failed)
        return failure or (self.service.bad_end() if self.service is not None else "")

    def recorded_command(self) -> list[str]:
        """The command that was started, without the password that a database's URL may contain."""
        if self.service is None:
            return self.cell.artefact.command
        url = self.database.url if self.database is not None else ""
        shown = self.database.shown_url if self.database is not None else ""
        return [word.replace(url, shown) if url else word for word in self.service.command]

    def served(self) -> Served:
        """The record of the execution. If the execution failed, it has the data from before the
        failure."""
        running, database = self.service, self.database
        return Served(
            start=self._start(),
            loads=self.measurement.loads if self.measurement is not None else [],
            capacity=self.capacity,
            events=self.events,
            unread=self.unread,
            system_calls=SystemCallCounts.together(self.system_calls),
            database=database.version if database is not None else "",
            database_restarted=self.restarted,
            ignored_stop=running.ignored_stop if running is not None else False,
            address=" ".join(one.url for one in running.addresses) if running is not None else "",
            relay=self.placement.database_clock.location,
            usage=self.placement.usage_place,
            network=None if self.network is None else self.network.network,
            hosts=self._on_hosts(),
        )

    def _start(self) -> ColdStart | None:
        """The service's start. On another host, the process starts when the launcher there says so:
        the time before belongs to the launcher of the place, and not to the service."""
        cold = self.service.cold if self.service is not None else None
        first = self.placement.first
        if first.host is None or cold is None or self.report is None:
            return cold
        to_lab = first.clock.location.clock.to_lab
        return cold.model_copy(
            update={"process_ns": to_lab(self.report.started_monotonic_ns)},
        )

    def _serve(self, stack: ExitStack, captures: Sequence[EventCapture]) -> str:
        placement, service = self.placement, self.cell.service
        assert service is not None
        places = [site.place for site in placement.sites]
        self.network = self.networks.between(places, placement.database_place)
        if service.database is not None:
            use = self._lacking(service.database)
            relayed = placement.relayed(self.databases, use, self.raw, self.plan.lab_processors)
            self.database = stack.enter_context(relayed)
        surroundings = [
            Surroundings(
                launcher=site.place.launcher,
                raw=folder,
                processors=site.assignment.measured,
                timeout_s=self.longest_s,
                environment=capture.environment
                if self.probe is None
                else self.probe.entering(capture.environment),
                stderr=capture.stderr,
                database=self.database.url if self.database is not None else "",
                address=site.place.address_from(LOCAL),
                root=site.place.root,
                host=site.host,
            )
            for number, (folder, capture) in enumerate(zip(self.folders, captures, strict=True))
            for site in [placement.site_of(number)]
        ]
        question = CheckedRequest.first_of(Path(service.point.traffic), service.point.protocol)
        self.service = RunningService(self.cell, surroundings, question)
        try:
            with self.service as running:
                self._load(stack, running)
                running.stop()
        except ServiceFailed as failed:
            return str(failed)
        finally:
            self.restarted = self.database is not None and self.database.restarted()
        return ""

    def _lacking(self, use: DatabaseUse) -> DatabaseUse:
        """The use of the database through a relay. The relay adds only the part of the declared
        round trip that the network itself does not cause. If the service has several hosts, the
        longest round trip to the database counts."""
        if self.network is None:
            return use
        database = self.placement.database_place.name
        sites = self.placement.sites
        longest_ns = max(self.network.round_trip_ns(one.place.name, database) for one in sites)
        lacking_ns = max(0, use.round_trip_ns - longest_ns)
        return use.model_copy(update={"round_trip_ns": lacking_ns})

    def _look(self, progress: Progress) -> None:
        self.placement.look()
        self.on_progress(progress)

    def _load(self, stack: ExitStack, running: RunningService) -> None:
        usage = stack.enter_context(self.folder.usage_file(self.identity).open("wb"))
        of_database = self.database.trees() if self.database is not None else {}
        trees = with_tree(of_database, self.placement.tree(running))
        counters = stack.enter_context(counted) if (counted := _counters(trees)) else None
        generating = self.placement.generating
        measurement = self.measurement = Measurement(
            executable=self.generator,
            service=running,
            folder=self.folder,
            execution=self.identity,
            processors=generating.generator,
            # If the generator has no core of its own, keeping its processors awake may also keep a
            # measured processor awake, or slow it through the core's other thread.
            keep_awake=generating.limitation is None,
            effort=self.plan.effort,
            observation=Observation(usage, trees, counters),
            on_progress=self._look,
            place=self.generator_place,
            start_load=self.start_load,
            network=self.network,
        )
        measurement.operating_point()
        if self.probe is not None:
            return  # otherwise the other loads would be under the probe too
        if running.hosting.kind != "url":
            # An external service receives no more loads than the experiment states.
            self.system_calls = measurement.system_calls() if self.counting else ()
        point = measurement.point
        for number, rate_per_s in enumerate(point.curve_per_s, 1):
            measurement.load(f"curve-{number:02}", "curve", rate_per_s)
        if point.capacity and point.objective is not None:
            self.capacity = measurement.capacity(point.objective)

    def _keep_events(self, reading: Reading | None) -> None:
        if reading is not None:
            write_events(self.folder.events_file(self.identity), reading.events)
            self.events = len(reading.events) if reading.processes else None
            self.unread = reading.unread


def _counters(trees: Mapping[str, Tree]) -> ProcessorCounters | None:
    """The counters of cycles and instructions for the service's threads and the threads that they
    start. None if the processor does not count them, which the host's record reports.
    """
    tree = trees.get("service")
    try:
        return None if tree is None else ProcessorCounters(tree.threads())
    except OSError:
        return None
