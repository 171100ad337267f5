"""The loads on one running service: its operating point, further rates, its capacity."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from runfair.errors import UserMistake
from runfair.formats.load_result import LoadResult
from runfair.formats.plan import Cell, Effort
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import (
    MAIN_LOAD,
    SHARES,
    CapacityFound,
    Objective,
    OperatingPoint,
    Purpose,
    ServedLoad,
    Usage,
)
from runfair.loading.expectation import Expectation
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.progress import Progress
from runfair.loading.session import LoadFiles, start
from runfair.loading.traffic import TrafficFile
from runfair.serving.failure import ServiceFailed
from runfair.serving.instance import Instance
from runfair.serving.process_accounting import TreeAccounting
from runfair.statistics.capacity import Capacity
from runfair.statistics.objective import Meets
from runfair.statistics.objective import Objective as ObjectiveLimit

# A look at a tree reads a few small files: at two a second under a thousandth of a processor.
LOOK_INTERVAL_S = 0.5

# The capacity is looked for from a sixteenth of the operating point's rate to sixteen times it, to
# within 8%: each step takes a load of its own.
CAPACITY_REACH = 16.0
CAPACITY_PRECISION = 1.08
MOST_PROBES = 40
# Below these a service does not serve the rate (docs/statistics.md, "The fairness checks", 3).
LEAST_ACHIEVED = 0.99
MOST_FAILED = 0.01

OnProgress = Callable[[Progress], None]


@dataclass
class Observation:
    """Watches what a service and its neighbours use, and keeps it."""

    file: BinaryIO
    trees: dict[str, TreeAccounting]
    _next_s: float = 0.0

    def look(self) -> None:
        """Once an interval; a tree that has ended is not asked any more."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + LOOK_INTERVAL_S
        for name, tree in self.trees.items():
            seen = tree.look(memory=False)
            usage = Usage.model_validate(
                {
                    "of": name,
                    "monotonic_ns": seen.monotonic_ns,
                    "cpu_ns": seen.cpu_ns,
                    "user_ns": seen.user_ns,
                    "system_ns": seen.system_ns,
                    "run_queue_ns": seen.run_queue_ns,
                    "voluntary_switches": seen.voluntary_switches,
                    "involuntary_switches": seen.involuntary_switches,
                    "peak_bytes": seen.peak_bytes,
                }
            )
            self.file.write(usage.model_dump_json().encode() + b"\n")
        self.file.flush()


@dataclass
class Measurement:
    """Puts loads on one service, one after another; `loads` are those that ended."""

    executable: Path
    instance: Instance
    folder: RunFolder
    execution: str
    processors: Sequence[int]
    effort: Effort
    observation: Observation
    on_progress: OnProgress
    loads: list[ServedLoad] = field(default_factory=list)

    @property
    def cell(self) -> Cell:
        return self.instance.cell

    @property
    def point(self) -> OperatingPoint:
        return self.instance.point.point

    def operating_point(self) -> LoadResult:
        """From the service's first requests on: its warm-up is part of what is seen."""
        return self.load(MAIN_LOAD, "operating_point", self.point.rate_per_s)

    def capacity(self, objective: Objective) -> CapacityFound:
        """The highest rate that meets the objective, searched around the operating point. The
        service stays as it is from one rate to the next: warm, and perhaps grown."""
        rate = self.point.rate_per_s
        search = Capacity(
            rate / CAPACITY_REACH, rate * CAPACITY_REACH, precision=CAPACITY_PRECISION
        )
        for number in range(1, MOST_PROBES + 1):
            rate_per_s = search.next_rate()
            if rate_per_s is None:
                break
            result = self.load(f"capacity-{number:02}", "capacity", round(rate_per_s, 3))
            search.observe(rate_per_s, meets(result, objective))
        found = search.interval()
        return CapacityFound(
            highest_met_per_s=found.highest_met_per_s,
            lowest_missed_per_s=found.lowest_missed_per_s,
            confidence=found.confidence,
            observations=found.observations,
        )

    def load(self, name: str, purpose: Purpose, rate_per_s: float) -> LoadResult:
        """One load at a rate. Raises ServiceFailed where the service died under it; what was
        measured until then is written all the same."""
        main = purpose == "operating_point"
        files = self._files(name, main)
        asked = self._load(rate_per_s, main)
        died: ServiceFailed | None = None
        with start(self.executable, asked, files) as session:
            for progress in session:
                self.on_progress(progress)
                self.observation.look()
                try:
                    self.instance.require_alive()
                except ServiceFailed as failure:
                    died = failure
                    session.interrupt()
            try:
                result = session.result()
            except UserMistake:
                # A service that died cannot be connected to; the mistake is not the user's then.
                self.instance.require_alive()
                raise
        self.loads.append(
            ServedLoad(
                name=name,
                purpose=purpose,
                rate_per_s=rate_per_s,
                started_monotonic_ns=result.started.monotonic_ns,
                elapsed_ns=result.elapsed_ns,
                scheduled=result.requests.scheduled,
                good=result.requests.good,
                failed=result.requests.failed,
                verdict=result.verdict.state,
            )
        )
        if died is not None:
            raise died
        return result

    def _files(self, name: str, main: bool) -> LoadFiles:
        def path(kind: str) -> Path:
            return self.folder.load_file(self.execution, name, kind)

        return LoadFiles(
            result=path("json"),
            table=path("txt"),
            hlog=self.folder.latency_file(self.execution) if main else path("hlog"),
            records=path("records") if main else None,
        )

    def _load(self, rate_per_s: float, main: bool) -> Load:
        point = self.point
        seconds = self.effort.load_seconds if main else self.effort.probe_seconds
        return Load(
            url=self.instance.address.url,
            rate=None if point.arrivals == "trace" else rate_per_s,
            duration_ns=round(seconds * NS_PER_S),
            arrivals=point.arrivals,
            seed=self.cell.seed,
            connections=point.connections,
            mode=point.pacing,
            processors=tuple(self.processors[:1]),
            traffic=TrafficFile(Path(point.traffic), order=point.traffic_order),
            expectation=Expectation(check_share=point.check_share),
            timeout_ns=point.timeout_ns,
        )


def meets(result: LoadResult, objective: Objective) -> Meets:
    """Whether one load met the objective: `no` too where the rate was not achieved or answers were
    wrong, `unclear` where the generator cannot tell."""
    ratio = result.rate.ratio or 0.0
    failed = result.requests.failed / max(1, result.requests.scheduled)
    if result.verdict.state == "void":
        return "unclear"
    if ratio < LEAST_ACHIEVED or failed > MOST_FAILED:
        return "no"
    interval = result.latency_ns.intervals.get(objective.percentile)
    if interval is None:
        return "unclear"
    asked = ObjectiveLimit(SHARES[objective.percentile], objective.limit_ns)
    return asked.met_by(_Limits(interval.low_ns, interval.high_ns))


@dataclass(frozen=True)
class _Limits:
    low: float | None
    high: float | None
