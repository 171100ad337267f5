"""One execution of a driven server. The server is started, the load generator makes passes over it
until enough was measured, and the server is ended and recorded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.execution import Execution, Outcome, execution_id
from runfair.formats.host import Host
from runfair.formats.kept_file import keeping
from runfair.formats.load_result import LoadResult
from runfair.formats.place import LOCAL
from runfair.formats.plan import WATCHED, Cell, DrivenLoad, Plan, PlannedExecution
from runfair.formats.program import Iteration, Metric
from runfair.formats.run_folder import RunFolder
from runfair.formats.transcript import ContractBroken, StopRule, Transcript
from runfair.loading.generator import GeneratorLost, LoadFiles, generator, start
from runfair.loading.load import NS_PER_S, Load
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher, error_line
from runfair.machine.place import Place, watched
from runfair.machine.processors import Assignment
from runfair.probing.observation import ProbeObservation, begin_observation
from runfair.serving.instance import Instance, ServiceFailed, Surroundings, placeholder_report
from runfair.serving.pass_client import Client, PassFailed, client_of
from runfair.serving.process_accounting import TreeAccounting

# A process's CPU clock has a resolution of 1 ns, and reading it takes a microsecond. The kernel
# reports the CPU time of reaped children in ticks.
CLOCK_NS = 1_000
# A server that starts a thread for each of 1,024 connections needs longer than the generator waits
# by default, if other programs compute meanwhile. The time of a pass begins after the connections
# are open.
OPENING_NS = 60 * NS_PER_S
PROBE = "probe"
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass
class Passes:
    """The passes over one running server. `loads` has only the loads whose answers were all
    right."""

    generator: Path
    instance: Instance
    client: Client
    tree: TreeAccounting
    processors: Sequence[int]
    raw: Path
    loads: list[DrivenLoad] = field(default_factory=list)
    done: int = 0

    def one(self, on_progress: Callable[[], None] = lambda: None) -> Iteration:
        """Makes the next pass. Raises PassFailed, or ServiceFailed if the server ended during the
        pass.
        """
        self.client.prepare()
        before = self.tree.look(memory=False)
        started_ns = time.monotonic_ns()
        answered = [
            (name, self._load(name, load, on_progress)) for name, load in self.client.loads()
        ]
        cpu_ns = (self.tree.look(memory=False) - before).cpu_ns
        # before the digest is computed, because that reads all stored values
        told = self.client.metrics()
        iteration = Iteration(
            event="iteration",
            index=self.done,
            started_monotonic_ns=started_ns,
            wall_ns=sum(result.elapsed_ns for _, result in answered),
            cpu_ns=cpu_ns,
            digest=self.client.digest(),
            metrics={
                f"{name}_rate": Metric(value=result.rate.achieved_per_s, unit="1/s")
                for name, result in answered
            }
            | told,
        )
        self.done += 1
        return iteration

    def _load(self, name: str, load: Load, on_progress: Callable[[], None]) -> LoadResult:
        stem = self.raw / f"pass-{self.done:05d}-{name}"
        files = LoadFiles(result=stem.with_suffix(".json"), table=stem.with_suffix(".txt"))
        placed = replace(load, processors=tuple(self.processors[:1]), connect_timeout_ns=OPENING_NS)
        with start(self.generator, placed, files) as session:
            for progress in session:
                # The load ends early if the server has ended or an answer is wrong.
                self.instance.require_alive()
                if progress.failed:
                    session.interrupt()
                on_progress()
            try:
                result = session.result()
            except (UserMistake, GeneratorLost) as failure:
                self.instance.require_alive()
                raise PassFailed(f"{name}: {failure}") from None
        self.instance.require_alive()
        asked = result.requests
        if asked.failed or asked.good != load.requests:
            kinds = {kind: n for kind, n in asked.failures.model_dump().items() if n}
            raise PassFailed(
                f"{asked.failed} of {asked.scheduled} answers to {name} were wrong: "
                + ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in kinds.items())
                + (f" ({asked.complaint})" if asked.complaint else "")
            )
        # An answer that says that its key has no value has no body to compare.
        if asked.checked + asked.misses != asked.good:
            raise PassFailed(
                f"only {asked.checked} of {asked.good} answers to {name} were compared with the "
                "expected answers"
            )
        self.loads.append(
            DrivenLoad(
                iteration=self.done,
                name=name,
                elapsed_ns=result.elapsed_ns,
                requests=asked.good,
                misses=asked.misses,
                generator_share=result.generator.busiest_share,
                generator_waited=result.generator.longest_wait,
            )
        )
        return result


@dataclass
class DrivenExecutor:
    """Carries out the executions of driven servers of one run on this machine."""

    launcher: Launcher
    plan: Plan
    folder: RunFolder
    host: Host
    on_progress: Callable[[], None] = lambda: None

    @cached_property
    def generator(self) -> Path:
        """The generator's executable. The generator's executable is the same for the whole run."""
        return generator()

    def execute(
        self, planned: PlannedExecution, cell: Cell, attempt: int, stop_rule: StopRule | None
    ) -> Execution:
        """Carries out the execution. A failure is an outcome, and all data measured before it are
        kept.
        """
        identity = execution_id(planned, attempt)
        raw = self.folder.make_raw_folder(identity)
        place = Place.of(self.plan, cell.factors.place, self.launcher)
        assignment = place.assign(cell.factors.processors)
        place.keep_clear(assignment.lab)
        probe = None
        if planned.role == "probe":
            probe = begin_observation(cell, planned.position, raw / PROBE)
        running = _DrivenExecution(self, planned, cell, raw, place, assignment, probe)
        with keeping(self.folder.path), watched(place) as clock:
            failure = running.run(self.folder.iterations_file(identity), stop_rule)
        if probe is not None and not failure:
            with keeping(self.folder.path):
                failure = probe.keep(cell, self.folder.probe_file(identity))
        instance = running.instance
        report = instance.report or placeholder_report(cell, failure, assignment.measured)
        timed_out = report.outcome.state == "timed_out" and planned.role not in WATCHED
        if failure:
            failure += error_line(raw / "stderr")
        if cell.limit_seconds is not None and timed_out:
            failure = cell.too_long
        return Execution.of(
            planned,
            cell,
            attempt,
            self.host,
            place=clock.location,
            command=instance.command,
            processors=list(assignment.measured),
            lab_processors=list(assignment.lab),
            start=running.transcript.start or instance.start_line,
            iterations=running.transcript.iterations,
            digest=running.transcript.digest,
            stopped=running.stopped,
            launch=report,
            driven=running.passes.loads if running.passes is not None else [],
            outcome=Outcome.of(failure),
        )


@dataclass
class _DrivenExecution:
    """A driven server from its start to its end. `transcript` records the passes as if the server
    had reported them itself.
    """

    executor: DrivenExecutor
    planned: PlannedExecution
    cell: Cell
    raw: Path
    place: Place
    assignment: Assignment
    probe: ProbeObservation | None = None
    transcript: Transcript = field(default_factory=Transcript)
    passes: Passes | None = None
    stopped: str = ""
    instance: Instance = field(init=False)

    def __post_init__(self) -> None:
        environment = {**clean_environment(), **self.cell.artefact.environment}
        surroundings = Surroundings(
            launcher=self.place.launcher,
            raw=self.raw,
            processors=self.assignment.measured,
            timeout_s=self.executor.plan.effort.limit_s(self.cell, self.planned),
            environment=environment if self.probe is None else self.probe.entering(environment),
            stderr=self.raw / "stderr",
            address=self.place.address_from(LOCAL),
            root=self.place.root,
        )
        self.instance = Instance(self.cell, surroundings, None)

    def run(self, iterations_file: Path, stop_rule: StopRule | None) -> str:
        """Runs the execution and returns the reason if it failed, otherwise ""."""
        try:
            with self.instance as instance:
                self._begin(instance)
                self._pass_over(iterations_file, stop_rule)
                instance.stop()
        except (ServiceFailed, PassFailed) as failed:
            return str(failed)
        except ContractBroken as broken:
            return f"the server gave different answers to the same requests ({broken})"
        digest = self.transcript.digest
        if self.cell.digest is not None and digest != self.cell.digest:
            return (
                f"the server gave the digest {digest}, but the digest of the right answer is "
                f"{self.cell.digest}"
            )
        return self.instance.bad_end()

    def _begin(self, instance: Instance) -> None:
        pid, said = instance.root_pid, instance.start_line
        assert self.cell.drive is not None
        assert pid is not None
        assert said is not None
        tree = TreeAccounting.below(pid, root=self.place.root)
        # The resolution of the kernel's clock, which measures the CPU time of a pass; the server's
        # own clock is not used.
        resolution_ns = CLOCK_NS if tree.look(memory=False).processes == 1 else TICK_NS
        start = said.model_copy(update={"cpu_clock_resolution_ns": resolution_ns})
        self.transcript.feed(start.model_dump_json().encode() + b"\n")
        self.transcript.take()
        self.passes = Passes(
            generator=self.executor.generator,
            instance=instance,
            client=client_of(self.cell, self.cell.drive, instance.address),
            tree=tree,
            processors=self.assignment.lab,
            raw=self.raw,
        )

    def _pass_over(self, iterations_file: Path, stop_rule: StopRule | None) -> None:
        assert self.passes is not None
        asked_s = self.executor.plan.effort.asked_s(self.cell, self.planned)
        began_ns = time.monotonic_ns()
        with iterations_file.open("wb") as iterations:
            while True:
                iteration = self.passes.one(self.executor.on_progress)
                self.transcript.feed(iteration.model_dump_json().encode() + b"\n")
                iterations.write(self.transcript.take()[0])
                iterations.flush()
                elapsed_ns = time.monotonic_ns() - began_ns
                if stop_rule is not None:
                    self.stopped = stop_rule(self.transcript, elapsed_ns) or ""
                if self.stopped or elapsed_ns >= asked_s * 1e9:
                    return
