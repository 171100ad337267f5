"""The most that any runtime could gain, from where the mean request's time goes."""

from dataclasses import dataclass
from math import inf

from runfair.decision.breakdown import Breakdown


@dataclass(frozen=True)
class Bound:
    """Gains in mean latency as ratios, baseline / whatever could come: 1.2 is 1.2 times faster.

    `without_own_cpu` sets the service's own CPU time and its wait for processors to nothing, and
    leaves everything else. `at_most` leaves the database alone: infinite where there is none.

    Only `at_most` is an upper bound. Requests also wait for one another inside the process, for an
    event loop, a worker or a lock that another request's CPU time holds: kernel and relay do not
    see that, so it stands among the other waits, and it grows without limit as the processor fills
    up. By Pollaczek and Khinchine (M/G/1; Kleinrock, *Queueing Systems* I, 1975, section 5.6) such
    a wait is rate × E[S²] / 2(1 - rate × E[S]), which a tenth of the CPU time S makes a hundredth
    and less. How much of the other waits is of this kind cannot be told from means, and so the
    bound grants all of them.

    Neither grants less time in the database. It would fall too where the database shares the
    service's processors, or if the candidate asked less of it; the latter is no gain of a runtime.
    """

    without_own_cpu: float
    at_most: float

    @property
    def queueing_matters(self) -> bool:
        """Whether the two say different things: other waits could hide queueing for own CPU."""
        return self.at_most > 1.1 * self.without_own_cpu


def bound(split: Breakdown) -> Bound:
    """The bound for a service with this breakdown."""
    gone = split.own_cpu_ns + split.run_queue_ns
    return Bound(
        without_own_cpu=_gain(split.mean_ns, split.mean_ns - gone),
        at_most=_gain(split.mean_ns, split.database_ns),
    )


def _gain(before: int, after: int) -> float:
    return before / after if after > 0 else inf
