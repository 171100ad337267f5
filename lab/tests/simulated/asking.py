"""A service that asks a database, whose every request is known: what it asked, and how long that
took."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
MICROSECOND = 1_000
MILLISECOND = 1_000_000


@dataclass(frozen=True, eq=False)
class Asking:
    """Requests in the order of their sending, with the time that each truly waited for its own
    queries; and the queries, in no order that tells whose they are."""

    sent_ns: IntArray
    done_ns: IntArray
    waited_ns: IntArray
    arrived_ns: IntArray
    due_ns: IntArray
    delivered_ns: IntArray

    def apart(self, offset_ns: int) -> Asking:
        """The relay's clock is ahead of the generator's."""
        return replace(
            self,
            arrived_ns=self.arrived_ns + offset_ns,
            due_ns=self.due_ns + offset_ns,
            delivered_ns=self.delivered_ns + offset_ns,
        )

    def with_queries(self, arrived_ns: IntArray, length_ns: int) -> Asking:
        """Further queries, which are nobody's."""
        ends = arrived_ns + length_ns
        return replace(
            self,
            arrived_ns=np.concatenate((self.arrived_ns, arrived_ns)),
            due_ns=np.concatenate((self.due_ns, ends)),
            delivered_ns=np.concatenate((self.delivered_ns, ends)),
        )


def asking(
    random: np.random.Generator,
    counts: IntArray,
    rate_per_s: float,
    *,
    query_ms: float = 1.1,
    slow_share: float = 0.02,
    slow_ms: float = 20.0,
    work_ms: float = 0.4,
    at_once: bool = False,
    late_stamps: float = 0.01,
) -> Asking:
    """Poisson arrivals; each request makes as many queries as `counts` says, one after another or
    `at_once`, with work before, between and after. Some are slow, and of some the relay sees late
    that they were delivered."""
    requests = len(counts)
    sent = np.cumsum(random.exponential(1e9 / rate_per_s, requests)).astype(np.int64)
    arrived, due, delivered = [], [], []
    done, waited = sent.copy(), np.zeros(requests, dtype=np.int64)

    def work_ns() -> int:
        return round(random.uniform(0.2, 1.0) * work_ms * MILLISECOND)

    for request, count in enumerate(counts):
        now_ns = int(sent[request]) + work_ns()
        last_ns = now_ns
        for _ in range(count):
            slow = random.random() < slow_share
            lasts_ns = round((slow_ms if slow else query_ms) * random.lognormal(0, 0.1) * 1e6)
            late_ns = round(random.random() < late_stamps) * int(random.integers(0, MILLISECOND))
            arrived.append(now_ns)
            due.append(now_ns + lasts_ns)
            delivered.append(now_ns + lasts_ns + 20 * MICROSECOND + late_ns)
            if at_once:
                waited[request] = max(int(waited[request]), lasts_ns)
                last_ns = max(last_ns, now_ns + lasts_ns)
            else:
                waited[request] += lasts_ns
                now_ns += lasts_ns + work_ns()
                last_ns = now_ns
        done[request] = last_ns + work_ns()
    order = random.permutation(len(arrived))
    queries = [np.array(one, dtype=np.int64)[order] for one in (arrived, due, delivered)]
    return Asking(sent, done, waited, *queries)
