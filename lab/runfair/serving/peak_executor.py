"""One execution of a service at its peak. The service is started anew, put under a closed loop,
ended, and recorded. A window of the load is an iteration of the service.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from runfair.errors import UserMistake
from runfair.events.capture import EventCapture
from runfair.events.reading import Reading
from runfair.formats.event import write_events
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.kept_file import keeping
from runfair.formats.load_result import LoadResult
from runfair.formats.peak import Peak, PeakLoad
from runfair.formats.place import LOCAL
from runfair.formats.plan import Cell, DrivenLoad, Plan, PlannedExecution
from runfair.formats.program import CONTRACT, Start
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import SystemCallCounts
from runfair.formats.transcript import StopRule, Transcript
from runfair.loading.generator import GeneratorLost, LoadFiles, Progress, generator, start
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import TrafficFile
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher, error_line
from runfair.machine.perf_counters import SystemCallCounters
from runfair.machine.place import Place, watched
from runfair.machine.processors import Assignment
from runfair.serving.database import PrivateDatabase
from runfair.serving.databases import Databases
from runfair.serving.driven_executor import CLOCK_NS, OPENING_NS, TICK_NS
from runfair.serving.instance import Instance, ServiceFailed, Surroundings, placeholder_report
from runfair.serving.peak_windows import WINDOW_NS, Moment, Windows, time_within
from runfair.serving.process_accounting import TreeAccounting
from runfair.serving.request import CheckedRequest

COUNTING_NS = NS_PER_S
NAME, COUNTING = "peak", "system-calls"
COLLECTING = ("gc_pause", "gc_cycle")


def beside_peak(lab: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """The lab's processors for the load generator, and those for the database and the lab itself.
    If the lab has a single processor, all of them share it."""
    half = max(1, len(lab) // 2)
    return lab[:half], lab[half:] or lab


@dataclass
class PeakExecutor:
    """Carries out the executions of services at their peak of one run on this machine."""

    launcher: Launcher
    plan: Plan
    folder: RunFolder
    host: Host
    databases: Databases
    on_progress: Callable[[], None] = lambda: None

    @cached_property
    def generator(self) -> Path:
        """The generator's executable, the same for the whole run."""
        return generator()

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, stop_rule: StopRule | None
    ) -> Execution:
        """Carries out the execution. A failure is an outcome, and all data measured before it are
        kept.
        """
        assert cell.peak is not None
        identity = execution_id(planned, attempt)
        raw = self.folder.make_raw_folder(identity)
        place = Place.of(self.plan, cell.factors.place, self.launcher)
        assignment = place.assign(cell.factors.processors)
        place.keep_clear(assignment.lab)
        effort = self.plan.effort
        seconds = effort.pilot_seconds if planned.role == "pilot" else effort.max_seconds
        running = _PeakExecution(
            self, cell, cell.peak, raw, place, assignment, round(seconds * NS_PER_S)
        )
        with keeping(self.folder.path), watched(place) as clock:
            failure = running.run(stop_rule, counting=planned.block == 1)
            lines = bytes(running.transcript.take()[0])
            self.folder.iterations_file(identity).write_bytes(lines)
            if running.reading is not None:
                write_events(self.folder.events_file(identity), running.reading.events)
        instance = running.instance
        found = running.transcript
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=clock.location,
            command=instance.command if instance is not None else [],
            processors=list(assignment.measured),
            start=running.start,
            iterations=found.iterations,
            digest=found.digest,
            stopped=running.stopped,
            launch=(instance.report if instance is not None else None)
            or placeholder_report(cell, failure, assignment.measured),
            driven=running.driven,
            peak=running.record(),
            outcome=Outcome.of(failure and f"{failure}{error_line(raw / 'stderr')}"),
        )


@dataclass
class _PeakExecution:
    """A service under a closed loop, from its start to its end. `transcript` records the windows as
    if the service had reported them itself."""

    executor: PeakExecutor
    cell: Cell
    peak: Peak
    raw: Path
    place: Place
    assignment: Assignment
    duration_ns: int
    transcript: Transcript = field(default_factory=Transcript)
    driven: list[DrivenLoad] = field(default_factory=list)
    stopped: str = ""
    instance: Instance | None = None
    database: PrivateDatabase | None = None
    system_calls: SystemCallCounts | None = None
    cpu_resolution_ns: int | None = None
    reading: Reading | None = None
    windows: Windows = field(init=False)

    def __post_init__(self) -> None:
        self.windows = Windows(self.peak.digest, self.transcript)

    @property
    def lab_processors(self) -> Sequence[int]:
        """The lab's processors. They are the same in all executions, because the executions share a
        database."""
        return self.executor.plan.lab_processors

    def run(self, stop_rule: StopRule | None, *, counting: bool) -> str:
        """Runs the execution and returns the reason if it failed, otherwise ""."""
        variants = {one.name: one for one in self.executor.plan.variants}
        environment = {**clean_environment(), **self.cell.artefact.environment}
        variant = variants[self.cell.variant]
        with EventCapture(self.cell, variant, self.raw, environment) as capture:
            failure = self._serve(capture, stop_rule, counting=counting)
            self.reading = capture.reading()
        return failure

    def _serve(self, capture: EventCapture, stop_rule: StopRule | None, *, counting: bool) -> str:
        if self.peak.database is not None:
            _, beside = beside_peak(self.lab_processors)
            self.database = self.executor.databases.private(self.peak.database, beside)
        self.instance = Instance(self.cell, self._surroundings(capture), self._question())
        try:
            with self.instance as instance:
                self._measure(instance, stop_rule)
                if counting:
                    self.system_calls = self._system_calls(instance)
                instance.stop()
        except ServiceFailed as failed:
            return str(failed)
        if self.database is not None and not self.database.alive():
            return "the database of the service ended"
        return self.instance.bad_end()

    @property
    def start(self) -> Start | None:
        """What the service reported about itself; None for a command of the user."""
        if self.instance is None or self.cell.hosting.kind != "program":
            return None
        return self.transcript.start or self.instance.start_line

    def record(self) -> PeakLoad:
        generating, beside = beside_peak(self.lab_processors)
        told = self.reading is not None and self.reading.processes > 0
        events = self.reading.events if self.reading is not None and told else ()
        edges_ns = self.windows.edges_ns if told else []
        return PeakLoad(
            window_ns=self.windows.window_ns,
            answered=self.windows.answered,
            switches=self.windows.switches,
            database_cpu_ns=self.windows.database_cpu_ns,
            paused_ns=time_within((one for one in events if one.stops_the_world), edges_ns),
            collecting_ns=time_within((one for one in events if one.kind in COLLECTING), edges_ns),
            database_processors=list(beside) if self.database is not None else [],
            generator_processors=list(generating),
            database=self.database.version if self.database is not None else "",
            system_calls=self.system_calls,
            cpu_resolution_ns=self.cpu_resolution_ns,
            ignored_stop=self.instance is not None and self.instance.ignored_stop,
        )

    def _surroundings(self, capture: EventCapture) -> Surroundings:
        return Surroundings(
            launcher=self.place.launcher,
            raw=self.raw,
            processors=self.assignment.measured,
            timeout_s=self.executor.plan.effort.timeout_seconds,
            environment=capture.environment,
            stderr=capture.stderr,
            database=self.database.url if self.database is not None else "",
            address=self.place.address_from(LOCAL),
            root=self.place.root,
        )

    def _question(self) -> CheckedRequest | None:
        return CheckedRequest.first_of(Path(self.peak.traffic), "http")

    def _measure(self, instance: Instance, stop_rule: StopRule | None) -> None:
        """Puts the service under its load. Raises ServiceFailed if an answer was wrong, or if the
        service ended."""
        tree, said = self._tree(instance), instance.start_line or self._started()
        alone = tree.look(memory=False).processes == 1
        self.transcript.feed(said.model_dump_json().encode() + b"\n")
        self.transcript.take()
        base = TreeAccounting.below(self.database.pid) if self.database is not None else None

        def look(progress: Progress) -> bool:
            used = tree.look(memory=False)
            self.windows.add(
                Moment(
                    monotonic_ns=used.monotonic_ns,
                    elapsed_ns=progress.elapsed_ns,
                    answered=progress.completed,
                    cpu_ns=used.cpu_ns,
                    switches=used.voluntary_switches + used.involuntary_switches,
                    database_cpu_ns=None if base is None else base.look(memory=False).cpu_ns,
                )
            )
            if stop_rule is not None:
                self.stopped = stop_rule(self.transcript, progress.elapsed_ns) or ""
            return bool(self.stopped)

        result = self._load(NAME, self.duration_ns, instance, look)
        if not self.windows.answered:
            raise ServiceFailed(
                "the peak cannot be computed, because the service answered too few requests "
                f"in {self.duration_ns / NS_PER_S:g} s"
            )
        resolution_ns = self.windows.scaled_resolution_ns(CLOCK_NS if alone else TICK_NS)
        self.cpu_resolution_ns = resolution_ns
        self.transcript.start = said.model_copy(update={"cpu_clock_resolution_ns": resolution_ns})
        self.driven.append(
            DrivenLoad(
                iteration=0,
                name=NAME,
                elapsed_ns=result.elapsed_ns,
                requests=result.requests.good,
                misses=0,
                generator_share=result.generator.busiest_share,
                generator_waited=result.generator.longest_wait,
            )
        )

    def _started(self) -> Start:
        """The line with which a transcript begins, for a command of the user, which prints none."""
        return Start(
            event="start",
            contract=CONTRACT,
            benchmark=self.cell.benchmark,
            language=self.cell.language,
            tier=self.cell.tier,
            runtime="",
            threads=self.cell.threads,
            processors=len(self.assignment.measured),
            monotonic_ns=time.monotonic_ns(),
            realtime_ns=time.time_ns(),
            cpu_clock_resolution_ns=CLOCK_NS,
        )

    def _tree(self, instance: Instance) -> TreeAccounting:
        pid = instance.root_pid
        assert pid is not None
        return TreeAccounting.below(pid, root=self.place.root)

    def _system_calls(self, instance: Instance) -> SystemCallCounts | None:
        """The system calls under a separate short load, because counting slows the service. None if
        the kernel does not allow counting."""
        try:
            counters = SystemCallCounters(self._tree(instance).threads())
        except OSError:
            return None
        with counters:
            result = self._load(COUNTING, COUNTING_NS, instance, lambda _: False)
            counted = counters.read()
        if not result.requests.good:
            return None
        return SystemCallCounts(requests=result.requests.good, **asdict(counted))

    def _load(
        self,
        name: str,
        duration_ns: int,
        instance: Instance,
        look: Callable[[Progress], bool],
    ) -> LoadResult:
        """A closed loop, which ends early if `look` returns true, or if an answer is wrong."""
        stem = self.raw / name
        generating, _ = beside_peak(self.lab_processors)
        files = LoadFiles(result=stem.with_suffix(".json"), table=stem.with_suffix(".txt"))
        load = Load(
            url=instance.address.url,
            closed=True,
            duration_ns=duration_ns,
            seed=self.cell.seed,
            connections=self.peak.connections,
            pipeline=self.peak.pipeline,
            threads=min(len(generating), self.peak.connections),
            processors=tuple(generating),
            traffic=TrafficFile(Path(self.peak.traffic), self.peak.traffic_order),
            timeout_ns=self.peak.timeout_ns,
            connect_timeout_ns=OPENING_NS,
            interval_ns=WINDOW_NS,
        )
        with start(self.executor.generator, load, files) as session:
            for progress in session:
                instance.require_alive()
                if progress.failed or look(progress):
                    session.interrupt()
                self.executor.on_progress()
            try:
                result = session.result()
            except (UserMistake, GeneratorLost) as failure:
                instance.require_alive()
                raise ServiceFailed(f"{name}: {failure}") from None
        instance.require_alive()
        asked = result.requests
        if asked.failed:
            kinds = {kind: n for kind, n in asked.failures.model_dump().items() if n}
            raise ServiceFailed(
                f"{asked.failed} of {asked.scheduled} answers were wrong or missing: "
                + ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in kinds.items())
                + (f" ({asked.complaint})" if asked.complaint else "")
            )
        return result
