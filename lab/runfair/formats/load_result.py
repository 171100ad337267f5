"""The load generator's result: `loadgen/schemas/result.schema.json` as records."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from runfair.formats.finding import LoadVerdict
from runfair.formats.load_requests import Bodies, Failures, Requests
from runfair.formats.load_shares import ShardOf
from runfair.formats.record import BrokenLoadFile, Record
from runfair.formats.records_file import Started, read_record
from runfair.formats.service import Percentile

WRONG_BODIES = "checked_share"  # the load generator's check on a sample of the bodies


class ArrivalPlan(Record):
    """The arrivals of an open loop; `rate` is the offered rate; it is None if the arrivals come
    from a recorded trace. If the generator sent only a `shard` of the schedule, `rate` and
    `rate_per_s` are those of the whole schedule."""

    process: Literal["constant", "poisson", "trace"]
    rate: str | None
    rate_per_s: float | None
    seed: int
    speed: float
    shard: ShardOf | None = None


class FeedSummary(Record):
    """The rows of a file from which requests took values. `order` is `file` (each row once, in
    turn) or `random`."""

    file: str
    sha256: str
    rows: int
    order: str


class TrafficSummary(Record):
    """The traffic that was sent. The index of a template is the template's number in the records of
    requests. `file_sha256` is the hash of the traffic file. `operations` and `value_bytes` are used
    only for Redis."""

    file: str | None
    file_sha256: str | None
    order: str | None
    operations: str | None
    keys: int | None
    value_bytes: int | None
    feed: FeedSummary | None = None
    templates: list[str]


class Streams(Record):
    """Events of HTTP/2 streams and gRPC calls: the fewest streams that a server allowed at once on
    a connection, streams reset and GOAWAY frames by error code, answers to calls by status."""

    allowed: int
    resets: dict[str, int]
    go_aways: dict[str, int]
    grpc_statuses: dict[str, int]


class Rate(Record):
    """`ratio` is the achieved rate divided by the offered rate. In a closed loop there is no
    offered rate, so `offered` and `ratio` are None."""

    offered_per_s: float | None
    achieved_per_s: float
    ratio: float | None
    late_by_generator: int


class Bytes(Record):
    sent: int
    received: int


class Network(Record):
    """Signs of losses and reordering in the network: segments that the generator's host sent again,
    segments that it received after a gap, and answers that waited for a missing segment."""

    retransmitted: int = 0
    out_of_order: int = 0
    overtaken: int = 0


class Requirement(Record):
    """A requirement that the load had to meet, and whether it met it."""

    requirement: str
    meets: Literal["yes", "no", "unclear"]
    interval: str


class ConfidenceInterval(Record):
    """A 95% confidence interval from order statistics. The upper end is None if there are too few
    independent requests."""

    low_ns: int
    high_ns: int | None


class Bracket(Record):
    """The limits of a percentile if requests failed. The lower limit counts the failed requests as
    the fastest, the upper limit as never answered. If the upper limit is None (unknown), a least
    value is given."""

    low_ns: int
    high_ns: int | None
    high_at_least_ns: int


class Figures(Record):
    """The numbers of one quantity, in nanoseconds. A figure that must not be shown is None.
    `withheld` then says why, under the figure's name, or `brackets` has its limits because requests
    failed."""

    count: int
    min: int | None
    mean: float | None
    p50: int | None
    p90: int | None
    p99: int | None
    p99_9: int | None
    p99_99: int | None
    max: int | None
    intervals: dict[str, ConfidenceInterval]
    brackets: dict[str, Bracket] = {}
    withheld: dict[str, str]
    effective_count: dict[str, float]

    def percentile(self, name: Percentile) -> int | None:
        value: int | None = getattr(self, name)
        return value


class Phase(Record):
    """A phase of the run. A request belongs to the phase in which its intended instant lies."""

    name: Literal["warmup", "measured"]
    from_ns: int
    to_ns: int
    good: int
    failed: int
    latency_ns: Figures
    queue_wait_ns: Figures
    send_lag_ns: Figures
    service_time_ns: Figures


class TargetShare(Record):
    """The requests of the run that one of several servers received. A request that got no
    connection belongs to no server."""

    url: str
    connections: int
    sent: int
    completed: int
    good: int
    failed: int
    failures: Failures
    latency_ns: Figures


class SenderThread(Record):
    """A sending thread of the generator. Shares are fractions (0 to 1) of the run's time.
    `spin_share` is the part of `cpu_share` that was spent spinning; `kept_awake`: its processor was
    kept from sleeping between requests."""

    cpu_share: float
    spin_share: float
    run_queue_share: float | None
    processor: int | None
    kept_awake: bool = False


class Generator(Record):
    """The generator's own use of resources, and foreign time on its processors."""

    cpu_us_per_request: float | None
    cpu_user_ns: int
    cpu_system_ns: int
    peak_rss_bytes: int
    voluntary_switches: int
    involuntary_switches: int
    threads: list[SenderThread]
    clock_steps: int
    unstamped: int
    reads_at_once: bool

    @property
    def busiest_share(self) -> float:
        """The share of the run in which the busiest thread was running."""
        return max(one.cpu_share for one in self.threads)

    @property
    def longest_wait(self) -> float | None:
        """The greatest share of the run in which a thread waited for a processor. None if the
        kernel does not report it."""
        told = [one.run_queue_share for one in self.threads]
        return max((one for one in told if one is not None), default=None)


class GridError(Record):
    """The distances between the intended instants of requests and the instants at which they were
    sent."""

    p50_ns: int
    p99_ns: int
    max_ns: int
    promised_ns: int


class ArrivalsTest(Record):
    """The test of the instants at which requests were sent. Older results also have tests of the
    gaps between requests; these keys are ignored."""

    model_config = ConfigDict(extra="ignore")

    grid: GridError | None


class DesignEffect(Record):
    """The design effect at a percentile: the variance of the share of requests above it, divided by
    the variance that independent requests would have."""

    variance_ratio: float
    degrees_of_freedom: float
    blocks: int
    block_ns: int


class Trend(Record):
    """The trend of the medians of the run's blocks (Mann-Kendall)."""

    kendall_s: int
    p_value: float
    relative_change: float
    blocks: int


class Tests(Record):
    """The generator's statistical tests of the run. `failures_each` is the design effect of the
    share of failed requests: the number of requests for each effective request."""

    arrivals: ArrivalsTest
    lag1_autocorrelation: float | None
    design_effect: dict[str, DesignEffect]
    stationarity: Trend | None
    failures_each: float = 1.0


class Files(Record):
    """The other files of the run; None if these files were not requested."""

    hlog: str | None
    hgrm: str | None
    records: str | None


class OpeningTimes(Record):
    """The time that one step of opening a connection took, in ns, over all connections that were
    opened."""

    count: int = 0
    min: int = 0
    mean: float = 0.0
    p50: int = 0
    p99: int = 0
    max: int = 0


class Opening(Record):
    """The time that the run's connections took to open, by step. The handshake is None if the load
    did not use TLS."""

    connect_ns: OpeningTimes = OpeningTimes()
    tls_handshake_ns: OpeningTimes | None = None


class LoadResult(Record):
    """The whole result of a load. All instants are counted from the time at which it `started`. The
    figures at the top level cover the whole run with its warm-up; `phases` has the figures of each
    phase. `arrivals`, `mode` and `resolution_ns` are None for a closed loop. If several hosts sent
    the load together, the lab made this result from theirs."""

    format: Literal["runfair-load result"]
    version: Literal[1]
    tool_version: str
    started: Started
    host: str
    kernel: str
    target: str
    targets: list[TargetShare] = []
    protocol: Literal["http", "http2", "grpc", "resp"]
    tls: bool
    loop: Literal["open", "closed"]
    arrivals: ArrivalPlan | None
    mode: Literal["economy", "default", "precise"] | None
    resolution_ns: int | None
    connections: int
    max_connections: int = 0
    new_connection_every: int | None = None
    threads: int
    pipeline: int
    warmup_ns: int
    horizon_ns: int | None
    interval_ns: int
    timeout_ns: int
    check_share: float = Field(ge=0, le=1)
    traffic: TrafficSummary
    ended: Literal["schedule", "interrupted", "unanswered"]
    elapsed_ns: int
    requests: Requests
    streams: Streams | None = None
    rate: Rate
    bytes: Bytes
    requirements: list[Requirement] = []
    network: Network = Network()
    connections_opened: int
    reconnects: int
    connections_added: int = 0
    connections_replaced: int = 0
    opening: Opening = Opening()
    latency_ns: Figures
    queue_wait_ns: Figures
    send_lag_ns: Figures
    service_time_ns: Figures
    phases: list[Phase]
    generator: Generator
    tests: Tests
    verdict: LoadVerdict
    files: Files

    @property
    def bodies(self) -> tuple[Bodies, Bodies]:
        """The bodies that decided whether an answer was good, with the least and the greatest
        possible number of wrong ones. The two differ only for an older result, which does not count
        the bodies that could have been compared. It also does not say which wrong bodies were found
        by a comparison: for HTTP all of them were, for other protocols it may be any number."""
        told = self.requests
        if told.checkable >= told.checked:
            known = Bodies(told.checkable, told.checked, told.wrong_of_checked)
            return known, known
        checkable = told.checked / (self.check_share or 1.0)
        most = min(told.failures.wrong_body, told.checked)
        least = most if self.protocol in ("http", "http2") else 0
        return Bodies(checkable, told.checked, least), Bodies(checkable, told.checked, most)

    @property
    def unseen_wrong(self) -> float:
        """The expected number of wrong bodies among the answers whose bodies were not compared: of
        an older result, the least possible number."""
        return min(self.bodies[0].unseen_wrong, float(self.requests.good))

    @property
    def is_unknown(self) -> bool:
        """Whether the load is void for another reason than wrong bodies."""
        faults = {one.check for one in self.verdict.findings if one.severity == "fault"}
        return self.verdict.state == "void" and faults != {WRONG_BODIES}

    @property
    def failed_share(self) -> float:
        """The share of failed requests, with the expected wrong bodies that were not compared."""
        failed = self.requests.failed + self.unseen_wrong
        return failed / max(1, self.requests.scheduled)


def read_result(path: Path) -> LoadResult:
    """The result in the file. Raises BrokenLoadFile if the file is not a result, or has another
    version."""
    return read_record(path, LoadResult, BrokenLoadFile, "result")
