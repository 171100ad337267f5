"""`decide … --json`: what a rewrite could gain at each operating point of a run."""

from __future__ import annotations

from typing import Literal

from pydantic import TypeAdapter

from runfair.formats.finding import VerdictState
from runfair.formats.record import Record
from runfair.formats.result import Meets

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
"""`pause`: the runtime stood still, collecting or compiling. `queue`: the request waited for a
free connection or for those before it. `send lag`: the generator's own lateness. `other waits`:
what of a latency nothing accounts for."""

Between = tuple[float, float]
"""The least and the most that can have been."""


class SlowRequest(Record):
    """A request of the tail: when it was meant to go, from the load's start, the least and the most
    of each part of its latency, and what made it slow: one cause, or those between which that
    cannot be told."""

    intended_ns: int
    latency_ns: int
    parts_ns: dict[Cause, Between]
    slow_by: list[Cause]


class SlowedBy(Record):
    """The share of the tail that one cause made slow, or one of several."""

    causes: list[Cause]
    share: float


class TailAccount(Record):
    """The baseline's tail at the objective's percentile: `count` of `requests`, above
    `threshold_ns`. `time_shares` are the least and the most of their whole latency, `usual_shares`
    of the others'. CPU time and run queue are known to looks `resolution_ns` apart; clocks
    of two places, which may be apart by `clock_uncertainty_ns`, widen the limits. `doubts` say what
    is not known. `slowest` are at most a hundred of them, the slowest first."""

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
    """A service against the objective; `parts_ns` are those of its mean request, `instances`, their
    memory and their cost those at the stated load, least and most. Void figures are no numbers."""

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


class Payback(Record):
    """What the candidate saves a month, least and most (below 0 it costs more), and the months
    after which that has paid for the effort; None: it never has."""

    saving_per_month: tuple[float, float]
    soonest_months: float | None
    latest_months: float | None
    text: str


class CandidateAnswer(Record):
    """What can be said of one candidate; `payback` where an effort and a price were stated, and
    both capacities are known, whatever the outcome rests on."""

    service: str
    outcome: Outcome
    reason: Reason
    sentence: str
    gain: float | None
    gain_interval: tuple[float, float] | None
    doubts: list[str]
    payback: Payback | None = None


class Answer(Record):
    """The decision at one operating point; `note` says what stands in for a baseline that could not
    run, `tail` what made its slowest requests slow, where single requests were kept."""

    title: str
    note: str
    services: list[ServiceLine]
    account: list[str]
    candidates: list[CandidateAnswer]
    tail: TailAccount | None = None


ANSWERS: TypeAdapter[list[Answer]] = TypeAdapter(list[Answer])
