"""The loads on one running service: its operating point, further rates, its capacity."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

from runfair.errors import UserMistake
from runfair.formats.launch import ProcessorCounts
from runfair.formats.load_result import LoadResult
from runfair.formats.place import HERE, Location
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
    SystemCallCounts,
    Usage,
)
from runfair.loading.generator import GeneratorLost, LoadFiles, Progress, start
from runfair.loading.load import NS_PER_S, Load
from runfair.loading.traffic import Expectation, Feed, TrafficFile
from runfair.machine.perf_counters import ProcessorCounters
from runfair.serving.call_counting import JointCallCounters
from runfair.serving.instance import ServiceFailed
from runfair.serving.network import NetworkWatch
from runfair.serving.process_accounting import JointAccounting, Tree
from runfair.serving.running_service import RunningService
from runfair.statistics.capacity import Capacity
from runfair.statistics.objective import Limits, Meets, serves
from runfair.statistics.objective import Objective as ObjectiveLimit

# The capacity is searched between 1/16 and 16 times the operating point's rate, to within 8%. Each
# step of the search is a separate load. A load lasts until there are enough requests for the
# objective's percentile, and at most as long as the load at the operating point.
CAPACITY_REACH = 16.0
CAPACITY_PRECISION = 1.08
MOST_PROBES = 40
# An upper limit at 97.5% needs n independent requests with share^n < 2.5% (order statistics;
# docs/statistics.md, "Latency"). Requests are autocorrelated; three times that number is enough for
# most services.
LIMIT_MISS = 0.025
DEPENDENCE = 3.0
# The number of system calls hardly differs from request to request, so a short load is enough.
COUNTING = "system-calls"
COUNTING_S = 2.0

OnProgress = Callable[[Progress], None]


class RunningLoad(Protocol):
    """The interface of a running load. `Session` has this interface."""

    def __iter__(self) -> Iterator[Progress]: ...

    def interrupt(self) -> None: ...

    def result(self) -> LoadResult: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


StartLoad = Callable[[Path, Load, LoadFiles], RunningLoad]


@dataclass
class Measurement:
    """The loads on one service, one after another.

    The generator runs on `processors`. If `keep_awake` is set, these processors are kept from idle
    states between requests. `place` is the generator's. `start_load` starts a load. `loads` are the
    loads that have ended. `network` watches the load at the operating point; each other load has a
    watch of its own.
    """

    executable: Path
    service: RunningService
    folder: RunFolder
    execution: str
    processors: Sequence[int]
    keep_awake: bool
    effort: Effort
    observation: Observation
    on_progress: OnProgress
    place: Location = HERE
    start_load: StartLoad = start
    network: NetworkWatch | None = None
    loads: list[ServedLoad] = field(default_factory=list)

    @property
    def cell(self) -> Cell:
        return self.service.cell

    @property
    def point(self) -> OperatingPoint:
        assert self.cell.service is not None
        return self.cell.service.point

    def operating_point(self) -> LoadResult:
        """The load at the operating point, from the service's first request on, so that it includes
        the warm-up.
        """
        return self.load(MAIN_LOAD, "operating_point", self.point.rate_per_s)

    def capacity(self, objective: Objective) -> CapacityFound:
        """The highest rate that meets the objective, searched around the operating point. The
        service is not restarted between rates: it stays warm, and its memory may have grown.
        """
        rate, needed = self.point.rate_per_s, enough_requests(objective)
        # Below this rate no load is long enough to show that the objective is met.
        shown = min(rate, needed / self.effort.load_seconds)
        search = Capacity(
            max(rate / CAPACITY_REACH, shown),
            rate * CAPACITY_REACH,
            precision=CAPACITY_PRECISION,
        )
        for number in range(1, MOST_PROBES + 1):
            rate_per_s = search.next_rate()
            if rate_per_s is None:
                break
            seconds = max(self.effort.probe_seconds, needed / rate_per_s)
            seconds = min(self.effort.load_seconds, seconds)
            name = f"capacity-{number:02}"
            result = self.load(name, "capacity", round(rate_per_s, 3), seconds)
            search.observe(rate_per_s, meets(result, objective))
        found = search.interval()
        return CapacityFound(
            highest_met_per_s=found.highest_met_per_s,
            lowest_missed_per_s=found.lowest_missed_per_s,
            confidence=found.confidence,
            observations=found.observations,
            contradictions=list(found.contradictions),
        )

    def load(
        self, name: str, purpose: Purpose, rate_per_s: float, seconds: float | None = None
    ) -> LoadResult:
        """One load at a rate. The load lasts for `seconds` or, by default, as long as the profile
        says. Raises ServiceFailed if the service died during the load; all data measured before are
        still written.
        """
        main = purpose == "operating_point"
        usual = self.effort.load_seconds if main else self.effort.probe_seconds
        asked = self._load(rate_per_s, usual if seconds is None else seconds)
        watch = self.network if main or self.network is None else self.network.anew()
        result, died = self._put(asked, self._files(name, main), watch)
        if watch is not None and died is None:
            watch.look(last=True)
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
                place=self.place,
                traffic=[] if watch is None else watch.network.traffic,
            )
        )
        if died is not None:
            raise died
        self.service.require_alive()
        return result

    def system_calls(self) -> list[SystemCallCounts]:
        """The system calls of a short load at the operating point's rate, on each host of the
        service. The requests are those of all hosts, so the calls per request can be added.

        This load is not one of `loads`, because counting slows the service. Empty if the kernel of
        a host does not allow counting, or if the generator fell behind.
        """
        tree = self.observation.trees.get("service")
        if tree is None:
            return []
        on_hosts = tree.trees if isinstance(tree, JointAccounting) else [tree]
        try:
            counters = JointCallCounters(on_hosts)
        except OSError:
            return []
        with closing(counters):
            asked = self._load(self.point.rate_per_s, COUNTING_S)
            result, died = self._put(asked, self._files(COUNTING, main=False))
            counted = counters.read_each()
        if died is not None:
            raise died
        self.service.require_alive()
        requests = result.requests.completed
        if result.verdict.state == "void" or not requests:
            return []
        return [SystemCallCounts(requests=requests, **asdict(one)) for one in counted]

    def _put(
        self, asked: Load, files: LoadFiles, watch: NetworkWatch | None = None
    ) -> tuple[LoadResult, ServiceFailed | None]:
        """Puts the service under a load. Returns the load's result and, if the service died during
        the load, the reason."""
        died: ServiceFailed | None = None
        with self.start_load(self.executable, asked, files) as session:
            for progress in session:
                self.on_progress(progress)
                self.observation.look()
                if watch is not None:
                    watch.look()
                try:
                    self.service.require_alive()
                except ServiceFailed as failure:
                    died = failure
                    session.interrupt()
            self.observation.look(last=True)
            try:
                return session.result(), died
            except (UserMistake, GeneratorLost) as failure:
                # If a service's process or worker died, connecting to it fails. This execution has
                # then failed, and the run continues.
                self.service.require_alive()
                raise ServiceFailed(str(failure)) from None

    def _files(self, name: str, main: bool) -> LoadFiles:
        def path(kind: str) -> Path:
            return self.folder.load_file(self.execution, name, kind)

        return LoadFiles(
            result=path("json"),
            table=path("txt"),
            hlog=self.folder.latency_file(self.execution) if main else path("hlog"),
            records=path("records") if main else None,
        )

    def _load(self, rate_per_s: float, seconds: float) -> Load:
        point, urls = self.point, [address.url for address in self.service.addresses]
        return Load(
            url=urls[0],
            other_urls=tuple(urls[1:]),
            rate=None if point.arrivals == "trace" else rate_per_s,
            duration_ns=round(seconds * NS_PER_S),
            arrivals=point.arrivals,
            seed=self.cell.seed,
            connections=point.connections,
            max_connections=point.max_connections,
            new_connection_every=point.new_connection_every,
            protocol=point.protocol,
            streams=point.streams,
            mode=point.pacing,
            processors=tuple(self.processors),
            keep_awake=self.keep_awake and bool(self.processors),
            traffic=TrafficFile(Path(point.traffic), order=point.traffic_order),
            feed=Feed(Path(point.feed), point.feed_order) if point.feed else None,
            expectation=Expectation(check_share=point.check_share),
            timeout_ns=point.timeout_ns,
        )


def enough_requests(objective: Objective) -> int:
    """The number of requests needed to show that a service meets its objective."""
    return math.ceil(DEPENDENCE * math.log(LIMIT_MISS) / math.log(SHARES[objective.percentile]))


def meets(result: LoadResult, objective: Objective) -> Meets:
    """Whether one load met the objective: `no` also if the rate was not achieved or answers were
    wrong, `unclear` if the generator cannot tell.
    """
    if result.is_unknown:
        return "unclear"
    interval = result.latency_ns.intervals.get(objective.percentile)
    asked = ObjectiveLimit(SHARES[objective.percentile], objective.limit_ns)
    return asked.met_by(
        None if interval is None else Limits(interval.low_ns, interval.high_ns),
        served=serves(result.rate.ratio, result.failed_share),
    )


# A sample reads a few small files. Two samples a second use less than a thousandth of a processor.
LOOK_INTERVAL_S = 0.5
# To report the memory of several processes, the kernel walks their page tables, which delays them.
MEMORY_INTERVAL_S = 5.0


@dataclass
class Observation:
    """Records the resources that a service and its databases use. `counters` are the service's
    counters of cycles and instructions, if the processor has them.
    """

    file: BinaryIO
    trees: Mapping[str, Tree]
    counters: ProcessorCounters | None = None
    _next_s: float = 0.0
    _next_memory_s: float = 0.0

    def look(self, *, last: bool = False) -> None:
        """Samples the process trees once per interval, and their memory less often. The `last`
        sample of a load includes the trees and their memory. If a tree has ended, its last values
        are kept.
        """
        now_s = time.monotonic()
        if now_s < self._next_s and not last:
            return
        self._next_s = now_s + LOOK_INTERVAL_S
        memory = last or now_s >= self._next_memory_s
        if memory:
            self._next_memory_s = now_s + MEMORY_INTERVAL_S
        for name, tree in self.trees.items():
            seen = tree.look(memory=memory)
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
                    "processor": self._counted(name),
                }
            )
            self.file.write(usage.model_dump_json().encode() + b"\n")
        self.file.flush()

    def _counted(self, name: str) -> ProcessorCounts | None:
        return self.counters.read() if self.counters is not None and name == "service" else None
