"""One pass over a server: its loads one after another, made an iteration."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from runfair.driving.client import Client
from runfair.driving.failure import PassFailed
from runfair.errors import UserMistake
from runfair.formats.load_result import LoadResult
from runfair.formats.plan import DrivenLoad
from runfair.formats.program import Iteration, Metric
from runfair.loading.failure import GeneratorLost
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.session import LoadFiles, start
from runfair.serving.instance import Instance
from runfair.serving.process_accounting import TreeAccounting

# A process's CPU clock is read to the nanosecond, by a call that takes a microsecond; what children
# used that have been reaped the kernel tells in ticks.
CLOCK_NS = 1_000
# A thread for each of 1,024 connections takes a server longer than the generator's own patience
# where others compute; the time of a pass begins after that.
OPENING_NS = 60 * NS_PER_S
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass
class Passes:
    """Passes over one running server. `loads` are those that were answered rightly."""

    generator: Path
    instance: Instance
    client: Client
    tree: TreeAccounting
    processors: Sequence[int]
    raw: Path
    loads: list[DrivenLoad] = field(default_factory=list)
    done: int = 0

    def one(self, on_progress: Callable[[], None] = lambda: None) -> Iteration:
        """The next pass. Raises PassFailed, or ServiceFailed where the server ended under it."""
        self.client.prepare()
        before = self.tree.look(memory=False)
        started_ns = time.monotonic_ns()
        answered = [
            (name, self._load(name, load, on_progress)) for name, load in self.client.loads()
        ]
        cpu_ns = (self.tree.look(memory=False) - before).cpu_ns
        told = self.client.metrics()  # before the digest, which walks all that is stored
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
                # Nobody waits for a server that is gone, or for a pass that has failed.
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
                f"{asked.failed} of {asked.scheduled} answers to {name} were not right: "
                + ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in kinds.items())
                + (f" ({asked.complaint})" if asked.complaint else "")
            )
        if asked.checked != asked.good:
            raise PassFailed(f"{asked.checked} of {asked.good} answers to {name} were compared")
        self.loads.append(
            DrivenLoad(
                iteration=self.done,
                name=name,
                elapsed_ns=result.elapsed_ns,
                requests=asked.good,
                misses=asked.misses,
                generator_share=max(one.cpu_share for one in result.generator.threads),
            )
        )
        return result
