"""The executor of services: carries out the executions of one run, and makes their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.kept_file import keeping
from runfair.formats.place import HERE, LOCAL, Location
from runfair.formats.plan import Cell, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.transcript import StopRule
from runfair.loading.generator import generator, start
from runfair.machine.launching import Launcher, error_line
from runfair.machine.place import Place
from runfair.probing.observation import begin_observation
from runfair.serving.databases import Databases
from runfair.serving.instance import placeholder_report
from runfair.serving.measurement import COUNTING_S, MOST_PROBES, OnProgress, StartLoad
from runfair.serving.network import Networks
from runfair.serving.place_host import PlaceHosts
from runfair.serving.placement import Placement
from runfair.serving.service_execution import ServiceExecution

PROBE = "probe"
# The time for all parts of an execution except the loads: start, first answer, stop.
SPARE_S = 120.0


@dataclass
class ServiceExecutor:
    """Carries out the executions of services of one run. The load generator runs on this machine;
    `generator_place` and `generator_host` are what is recorded of it. `start_load` starts its
    loads, and needs up to `starting_s` for each. The service and its database run in their
    places, and further load generators in the places `generators`. The service also runs in the
    places `further`, whose hosts are given by the names of the places."""

    launcher: Launcher
    plan: Plan
    folder: RunFolder
    host: Host
    databases: Databases
    hosts: PlaceHosts
    on_progress: OnProgress = lambda _: None
    generator_place: Location = HERE
    generator_host: str = ""
    start_load: StartLoad = start
    starting_s: float = 0.0
    generators: Sequence[Place] = ()
    further: Mapping[str, Host] = field(default_factory=dict)

    @cached_property
    def generator(self) -> Path:
        """The generator's executable. The generator's executable is the same for the whole run,
        even if the sources change during the run. The generator is built early, so that no service
        waits for a build.
        """
        return generator()

    @cached_property
    def networks(self) -> Networks:
        own = Place.of(self.plan, LOCAL, self.launcher)
        host = self.generator_host or self.host.name
        return Networks(self.hosts, own, self.generator_place.name, host, self.generators)

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, _stop_rule: StopRule | None
    ) -> Execution:
        """Carries out the execution. A failure is an outcome, and all data measured before it are
        kept.
        """
        identity = execution_id(planned, attempt)
        self.folder.make_raw_folder(identity)
        probe = None
        further = [Place.of(self.plan, name, self.launcher) for name in self.further]
        with Placement.of(self.plan, cell, self.launcher, self.hosts, further) as placement:
            if planned.role == "probe":
                raw = self.folder.raw_folder(identity)
                probe = begin_observation(cell, planned.position, raw / PROBE)
            running = ServiceExecution(
                cell=cell,
                identity=identity,
                plan=self.plan,
                folder=self.folder,
                placement=placement,
                hosts=[self.host, *self.further.values()],
                databases=self.databases,
                networks=self.networks,
                generator=self.generator,
                generator_place=self.generator_place,
                longest_s=self.longest_s(cell),
                # The system calls of a request hardly vary, so one block is enough to count them.
                counting=planned.block == 1,
                on_progress=self.on_progress,
                start_load=self.start_load,
                probe=probe,
            )
            failure = running.run()
        if probe is not None and not failure:
            with keeping(self.folder.path):
                failure = probe.keep(cell, self.folder.probe_file(identity))
        service = running.service
        measured = placement.first.assignment.measured
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=placement.location,
            command=running.recorded_command(),
            processors=list(measured),
            start=service.start_line if service is not None else None,
            iterations=0,
            digest=None,
            launch=running.report or placeholder_report(cell, failure, measured),
            served=running.served(),
            outcome=Outcome.of(failure and f"{failure}{error_line(running.complaints)}"),
        )

    def longest_s(self, cell: Cell) -> float:
        assert cell.service is not None
        effort, point = self.plan.effort, cell.service.point
        curve, searched = len(point.curve_per_s), MOST_PROBES if point.capacity else 0
        longest_s = max(effort.load_seconds, effort.probe_seconds)
        loads_s = longest_s * (1 + searched) + curve * effort.probe_seconds + COUNTING_S
        waits_s = (2 + curve + searched) * (point.timeout_ns / 1e9 + self.starting_s)
        return loads_s + waits_s + cell.service.ready.timeout_ns / 1e9 + SPARE_S
