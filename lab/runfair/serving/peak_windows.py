"""The windows of a load on a service at its peak. Each window is an iteration of the service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from runfair.formats.event import Event
from runfair.formats.peak import REQUESTS
from runfair.formats.program import Iteration
from runfair.formats.transcript import Transcript
from runfair.loading.load import NS_PER_S
from runfair.statistics.pauses import united

# A reading of the process trees takes about a millisecond of the lab's processor.
WINDOW_NS = NS_PER_S // 5


@dataclass(frozen=True)
class Moment:
    """The counts at a moment of a load. The service's `switches` are its context switches. The
    database's CPU time is None if there is no private database."""

    monotonic_ns: int
    elapsed_ns: int
    answered: int
    cpu_ns: int
    switches: int
    database_cpu_ns: int | None


@dataclass
class Windows:
    """The windows of a load, in order. The first moment only begins the first window, because the
    connections were opened before it. `edges_ns` are the ends of the windows on the monotonic
    clock, and before them the beginning of the first."""

    digest: str
    transcript: Transcript
    window_ns: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    switches: list[int] = field(default_factory=list)
    database_cpu_ns: list[int] = field(default_factory=list)
    edges_ns: list[int] = field(default_factory=list)
    _last: Moment | None = None

    def add(self, now: Moment) -> None:
        """Ends a window at this moment, if the window is long enough and has a good answer.
        Otherwise the window continues."""
        last = self._last
        if last is None:
            self._last = now
            self.edges_ns.append(now.monotonic_ns)
            return
        window_ns, answered = now.elapsed_ns - last.elapsed_ns, now.answered - last.answered
        if window_ns < WINDOW_NS // 2 or answered < 1:
            return
        self._last = now
        self.edges_ns.append(now.monotonic_ns)
        self.window_ns.append(window_ns)
        self.answered.append(answered)
        self.switches.append(now.switches - last.switches)
        if now.database_cpu_ns is not None and last.database_cpu_ns is not None:
            self.database_cpu_ns.append(now.database_cpu_ns - last.database_cpu_ns)
        iteration = Iteration(
            event="iteration",
            index=self.transcript.iterations,
            started_monotonic_ns=last.monotonic_ns,
            wall_ns=_scaled(window_ns, answered),
            cpu_ns=_scaled(now.cpu_ns - last.cpu_ns, answered),
            digest=self.digest,
        )
        self.transcript.feed(iteration.model_dump_json().encode() + b"\n")

    def scaled_resolution_ns(self, resolution_ns: int) -> int:
        """The resolution of the iterations' CPU time, from that of the windows' CPU time."""
        return max(1, _scaled(resolution_ns, min(self.answered)))


def _scaled(time_ns: int, answered: int) -> int:
    """The time of so many answers, scaled to the requests of an iteration."""
    return round(time_ns * REQUESTS / answered)


def time_within(events: Iterable[Event], edges_ns: Sequence[int]) -> list[int]:
    """The time in each window during which at least one of the events lasted. The windows lie
    between neighbouring edges."""
    spans = np.array([(one.started_ns, one.ended_ns) for one in events], dtype=np.int64)
    spans = united(spans.reshape(len(spans), 2))
    return [
        int(np.clip(np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], start), 0, None).sum())
        for start, end in pairwise(edges_ns)
    ]
