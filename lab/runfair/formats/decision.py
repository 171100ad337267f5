"""`decide … --json`: the decision on a rewrite at each operating point of a run."""

from __future__ import annotations

from typing import Literal

from pydantic import TypeAdapter

from runfair.formats.finding import VerdictState
from runfair.formats.record import Record
from runfair.formats.service_result import Meets

Outcome = Literal["justified", "not justified", "cannot be told"]

Reason = Literal[
    "void figures",
    "too few executions",
    "not the same work",
    "no runtime could meet it",
    "the candidate misses it",
    "it meets what the baseline misses",
    "within the noise",
    "it pays",
    "it does not pay",
    "capacity unknown",
    "payback unclear",
    "room to spare",
    "too small a gain",
    "objective unclear",
    "the time is elsewhere",
    "gain unclear",
    "no saving stated",
]

Part = Literal["own CPU", "run queue", "database", "other waits"]

Cause = Literal["own CPU", "run queue", "database", "pause", "queue", "send lag", "other waits"]
"""Parts of a latency. `pause`: the runtime stood still, collecting or compiling. `queue`: the
request waited for a free connection or for earlier requests. `send lag`: the generator's own
lateness. `other waits`: the part of a latency without a known cause."""

Between = tuple[float, float]
"""The lower and upper limit of a value."""


class SlowRequest(Record):
    """A request of the tail. The record records the instant at which the request was due (from the
    load's start), the limits of each part of its latency, and the cause, or the possible causes, of
    its slowness."""

    intended_ns: int
    latency_ns: int
    parts_ns: dict[Cause, Between]
    slow_by: list[Cause]


class SlowedBy(Record):
    """The share of the tail's requests that were slow by one cause, or by one of several possible
    causes."""

    causes: list[Cause]
    share: float


class TailAccount(Record):
    """The baseline's tail at the objective's percentile: `count` of the `requests` took longer than
    `threshold_ns`. `time_shares` are the limits of each cause's share of the latency of these
    requests; `usual_shares` are the same limits for the other requests. CPU time and run-queue time
    come from samples `resolution_ns` apart. The limits are wider if two places are involved,
    because their clocks may differ by `clock_uncertainty_ns`. `doubts` say what is unknown.
    `slowest` lists at most a hundred requests, the slowest first."""

    count: int
    requests: int
    threshold_ns: float
    time_shares: dict[Cause, Between]
    usual_shares: dict[Cause, Between]
    slowed: list[SlowedBy]
    resolution_ns: int | None
    clock_uncertainty_ns: int = 0
    doubts: list[str]
    slowest: list[SlowRequest]


class ServiceLine(Record):
    """A service compared with the objective. `parts_ns` are the parts of its mean request.
    `instances`, `memory_bytes` and `cost_per_month` are the lower and upper limits at the stated
    load. `bounds_ns` are the limits of the percentile if doubts changed them; a limit is None if
    that side is open. A void figure has no number."""

    service: str
    baseline: bool
    verdict: VerdictState
    meets: Meets
    percentile_ns: float | None
    interval_ns: tuple[float, float] | None
    instances: tuple[int, int] | None
    memory_bytes: tuple[int, int] | None
    cost_per_month: tuple[float, float] | None
    text: str
    parts_ns: dict[Part, int] | None = None
    bounds_ns: tuple[float | None, float | None] | None = None


class Payback(Record):
    """The limits of the candidate's saving per month (negative if it costs more), and of the months
    until the saving has paid for the effort (None: it never does)."""

    saving_per_month: tuple[float, float]
    soonest_months: float | None
    latest_months: float | None
    text: str


class CandidateAnswer(Record):
    """The decision on a candidate. `payback` is present if an effort and a price were stated and
    both capacities are known. The payback is present even if another rule decided."""

    service: str
    outcome: Outcome
    reason: Reason
    sentence: str
    gain: float | None
    gain_interval: tuple[float, float] | None
    doubts: list[str]
    payback: Payback | None = None


class Answer(Record):
    """The decision at one operating point. `cells` are the baseline and the candidates. If the
    baseline could not run, `note` names its substitute. `tail` says what made the slowest requests
    slow; it is None if single requests were not recorded. `doubts` are the doubts about the
    baseline, which are also among the doubts about each candidate."""

    title: str
    cells: list[str]
    note: str
    services: list[ServiceLine]
    account: list[str]
    candidates: list[CandidateAnswer]
    tail: TailAccount | None = None
    doubts: list[str] = []

    @property
    def all_doubts(self) -> list[str]:
        """The doubts about the baseline and the candidates, without duplicates."""
        every = [*self.doubts, *(doubt for each in self.candidates for doubt in each.doubts)]
        return list(dict.fromkeys(every))


ANSWERS: TypeAdapter[list[Answer]] = TypeAdapter(list[Answer])
