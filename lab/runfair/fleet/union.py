"""The union of the shares of a load: one result, made from those of the hosts that sent the load.

All figures are computed from the records of the requests of all hosts. The lateness and the
findings of each host are judged separately, and each message begins with the host's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.fleet.spared_waits import Pool, first_free
from runfair.fleet.union_counts import (
    failures_each_of,
    failures_of,
    generator_of,
    opening_of,
    rate_of,
    requests_of,
    streams_of,
    sums,
)
from runfair.fleet.union_figures import added_by_generators, figures_of
from runfair.formats.finding import LoadFinding, LoadVerdict
from runfair.formats.histogram import Quantity
from runfair.formats.load_result import (
    ArrivalsTest,
    Bytes,
    Figures,
    LoadResult,
    Network,
    Phase,
    TargetShare,
    Tests,
)
from runfair.formats.load_shares import LoadShare, LoadShares
from runfair.formats.place import Location
from runfair.formats.records_file import Records
from runfair.statistics.array import IntArray

GOOD = ("good", "miss")
NO_CONNECTION = np.iinfo(np.uint32).max
# These checks judge the number of requests. The union has more of them, and is judged by its own.
OF_THE_UNION = frozenset({"too_few_requests", "dependence"})
MISSING, LATE, WAITS = "shard", "shard_start", "send_lag"


@dataclass(frozen=True, eq=False)
class Share:
    """What one host reports of its share. `start_ns` is the planned instant of the start, on the
    host's clock. `place` has the offset of the host's clock during the load."""

    host: str
    place: Location
    start_ns: int
    result: LoadResult
    records: Records


@dataclass(frozen=True, eq=False)
class Union:
    """The shares of a load, in the order of their numbers."""

    shares: Sequence[Share]

    @property
    def first(self) -> Share:
        return self.shares[0]

    @property
    def results(self) -> list[LoadResult]:
        return [one.result for one in self.shares]

    @cached_property
    def rows(self) -> npt.NDArray[np.void]:
        """The requests of all hosts, in the order in which they ended. `free_ns` is the instant at
        which a request could have been sent if the hosts shared their connections. Connections are
        numbered over all hosts, as those of a single thread."""
        parts = []
        servers = max(1, len(self.first.result.targets))
        before = 0
        for one, free_ns in zip(self.shares, self._free_ns, strict=True):
            rows = np.array(one.records.rows)
            sent = _was_sent(rows)
            rows["free_ns"][sent] = free_ns
            rows["thread"] = 0
            used = int(rows["connection"][sent].max(initial=0)) + 1
            rows["connection"][sent] += np.uint32(before)
            before += -(-max(used, one.result.connections) // servers) * servers
            parts.append(rows)
        # np.concatenate would drop the padding of a row.
        whole = np.zeros(sum(map(len, parts)), parts[0].dtype)
        np.concatenate(parts, out=whole)
        return whole[np.argsort(whole["done_ns"], kind="stable")]

    @cached_property
    def result(self) -> LoadResult:
        """The result of the whole load."""
        first, results = self.first.result, self.results
        hosts = [one.host for one in self.shares]
        requests = requests_of(hosts, [one.requests for one in results])
        findings = [*self._of_hosts(), *self._missing(), *self._late(), *self._waits()]
        whole = {f"{name}_ns": self._figures(name) for name in self.quantities}
        rate = rate_of(results)
        assert first.arrivals is not None
        return first.model_copy(
            update={
                **whole,
                **sums(results, _SUMMED),
                "host": " ".join(hosts),
                "arrivals": first.arrivals.model_copy(update={"shard": None}),
                "targets": [self._target(number) for number in range(len(first.targets))],
                "threads": 1,
                "ended": next(
                    (one.ended for one in results if one.ended != "schedule"), "schedule"
                ),
                "elapsed_ns": max(one.elapsed_ns for one in results),
                "requests": requests,
                "streams": streams_of(results),
                "rate": rate,
                "bytes": Bytes(**sums([one.bytes for one in results], ("sent", "received"))),
                "network": Network(**sums([one.network for one in results], _NETWORK)),
                "opening": opening_of([one.opening for one in results]),
                "phases": [
                    Phase(
                        name="measured",
                        from_ns=0,
                        to_ns=first.horizon_ns or 0,
                        good=requests.good,
                        failed=requests.failed,
                        **whole,
                    )
                ],
                "generator": generator_of(results, requests.completed),
                "tests": Tests(
                    arrivals=ArrivalsTest(grid=None),
                    lag1_autocorrelation=None,
                    design_effect={},
                    stationarity=None,
                    failures_each=failures_each_of(results),
                ),
                "verdict": LoadVerdict(state=_state(findings), findings=findings),
            }
        )

    @cached_property
    def _free_ns(self) -> list[IntArray]:
        """For each host, the instants from which its sent requests could have been sent."""
        pools = []
        for one in self.shares:
            rows = one.records.rows
            sent = _was_sent(rows)
            streams = 1 if one.result.streams is None else one.result.streams.allowed
            pool = Pool(
                _column(rows, "intended_ns"),
                np.where(sent, _column(rows, "free_ns"), _column(rows, "intended_ns")),
                _column(rows, "done_ns"),
                (one.result.connections + one.result.connections_added) * max(1, streams),
                one.place.clock.uncertainty_ns,
            )
            pools.append(pool)
        return [
            free[_was_sent(one.records.rows)]
            for one, free in zip(self.shares, first_free(pools), strict=True)
        ]

    @cached_property
    def hosts(self) -> LoadShares:
        """What each host sent, and the waits that connections of other hosts could have
        prevented."""
        return LoadShares(shares=[self._share(number) for number in range(len(self.shares))])

    @cached_property
    def quantities(self) -> dict[Quantity, tuple[IntArray, IntArray]]:
        """For each quantity, the instants at which its values were known, and the values."""
        rows = self.rows
        sent = rows[_was_sent(rows)]
        good = rows[self._good]
        at, done = _column(sent, "done_ns"), _column(good, "done_ns")
        return {
            "latency": (done, done - _column(good, "intended_ns")),
            "queue_wait": (at, _column(sent, "free_ns") - _column(sent, "intended_ns")),
            "send_lag": (at, _column(sent, "sent_ns") - _column(sent, "free_ns")),
            "service_time": (done, done - _column(good, "sent_ns")),
        }

    @cached_property
    def _good(self) -> npt.NDArray[np.bool_]:
        kinds = self.first.records.header.kinds
        return np.isin(self.rows["kind"], [kinds.index(name) for name in GOOD])

    @cached_property
    def _added(self) -> dict[str, str]:
        good = self.rows[self._good]
        lag = _column(good, "sent_ns") - _column(good, "free_ns")
        return added_by_generators(self.quantities["latency"][1], lag)

    def _figures(self, name: Quantity) -> Figures:
        at, values = self.quantities[name]
        failed = sum(one.requests.failed for one in self.results)
        return figures_of(
            values,
            at,
            self.first.result.interval_ns,
            failed if name in ("latency", "service_time") else 0,
            self._added if name == "latency" else None,
        )

    def _target(self, number: int) -> TargetShare:
        parts = [one.targets[number] for one in self.results]
        rows = self.rows
        theirs = self._good & (rows["connection"] % len(self.first.result.targets) == number)
        done = _column(rows[theirs], "done_ns")
        latency = done - _column(rows[theirs], "intended_ns")
        counted = sums(parts, ("connections", "sent", "completed", "good", "failed"))
        return TargetShare(
            url=parts[0].url,
            failures=failures_of(one.failures for one in parts),
            latency_ns=figures_of(
                latency, done, self.first.result.interval_ns, counted["failed"], self._added
            ),
            **counted,
        )

    def _share(self, number: int) -> LoadShare:
        one = self.shares[number]
        rows = one.records.rows
        spared = _column(rows[_was_sent(rows)], "free_ns") - self._free_ns[number]
        return LoadShare(
            host=one.host,
            place=one.place,
            started_monotonic_ns=one.result.started.monotonic_ns,
            connections=one.result.connections,
            scheduled=one.result.requests.scheduled,
            good=one.result.requests.good,
            failed=one.result.requests.failed,
            achieved_per_s=one.result.rate.achieved_per_s,
            send_lag_p99_ns=one.result.send_lag_ns.p99,
            spared=int(np.count_nonzero(spared)),
            spared_ns=int(spared.sum()),
            verdict=one.result.verdict.state,
        )

    def _of_hosts(self) -> Iterator[LoadFinding]:
        """The findings of each host about itself."""
        for one in self.shares:
            for finding in one.result.verdict.findings:
                if finding.check not in OF_THE_UNION:
                    yield finding.model_copy(update={"message": f"{one.host}: {finding.message}"})

    def _missing(self) -> Iterator[LoadFinding]:
        """The hosts that did not send exactly their share of the one schedule."""
        count = len(self.shares)
        ended = max(_ended(one, number, count) for number, one in enumerate(self.shares))
        for number, one in enumerate(self.shares):
            index = np.sort(_column(one.records.rows, "index"))
            shard = None if one.result.arrivals is None else one.result.arrivals.shard
            asked = np.arange(number, ended, count)
            if one.result.ended == "interrupted":
                asked = asked[: len(index)]
            told = shard is not None and (shard.number, shard.of) == (number + 1, count)
            if told and np.array_equal(index, asked):
                continue
            hit = int(np.count_nonzero(np.isin(asked, index)))
            yield _finding(
                MISSING,
                "fault",
                f"{one.host}: of the {len(asked)} requests that this host should send (share "
                f"{number + 1} of {count} of the load), it sent {hit}, and it also sent "
                f"{len(index) - hit} requests of other shares",
                "measure again; the hosts must run the same version of the load generator",
            )

    def _late(self) -> Iterator[LoadFinding]:
        """The hosts that did not start at the planned instant, and the hosts whose clock was
        set."""
        start_ns = self.first.start_ns
        for one in self.shares:
            began_ns = one.result.started.monotonic_ns
            clock = one.place.clock
            apart_ns = abs(clock.to_lab(began_ns) - start_ns)
            allowed_ns = clock.uncertainty_ns + (one.result.resolution_ns or 0)
            if began_ns != one.start_ns or apart_ns > allowed_ns:
                yield _finding(
                    LATE,
                    "fault",
                    f"{one.host}: this host started its share of the load {apart_ns / 1e6:.3g} ms "
                    "before or after the planned start (the offset of its clock is known to "
                    f"±{clock.uncertainty_ns / 1e6:.3g} ms)",
                    "measure again; let a time service (NTP or PTP) adjust the clocks of the hosts",
                )

    def _waits(self) -> Iterator[LoadFinding]:
        """The latencies that the generators made too long, also by waits that a connection of
        another host could have prevented."""
        if not self._added:
            return
        waiting = [one for one in self.hosts.shares if one.spared]
        spared = "; ".join(
            f"{one.host}: {one.spared} requests waited while another host had a free connection, "
            f"with a mean wait of at most {one.spared_ns / one.spared / 1e6:.3g} ms"
            for one in waiting
        )
        reasons = "; ".join(f"{name.replace('_', '.')}: {why}" for name, why in self._added.items())
        yield LoadFinding(
            check=WAITS,
            severity="warning",
            figures=[f"latency_ns.{name}" for name in self._added],
            message=f"{reasons}{f' ({spared})' if spared else ''}",
            advice="use more connections, or fewer hosts of the role generator",
        )


_SUMMED = (
    *("connections", "max_connections", "connections_opened", "reconnects"),
    *("connections_added", "connections_replaced"),
)
_NETWORK = ("retransmitted", "out_of_order", "overtaken")


def _column(rows: npt.NDArray[np.void], name: str) -> IntArray:
    found: IntArray = rows[name].astype(np.int64)
    return found


def _was_sent(rows: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    sent: npt.NDArray[np.bool_] = rows["connection"] != NO_CONNECTION
    return sent


def _ended(share: Share, number: int, count: int) -> int:
    """The index after the last request of a host: of its records, or by its own count if records
    are missing at the end."""
    index = share.records.rows["index"]
    recorded = int(index.max()) + 1 if len(index) else 0
    scheduled = share.result.requests.scheduled
    return max(recorded, number + (scheduled - 1) * count + 1 if scheduled else 0)


def _state(findings: Sequence[LoadFinding]) -> Literal["fair", "flagged", "void"]:
    severities = {one.severity for one in findings}
    if "fault" in severities:
        return "void"
    return "flagged" if "warning" in severities else "fair"


def _finding(check: str, severity: str, message: str, advice: str) -> LoadFinding:
    return LoadFinding.model_validate(
        {
            "check": check,
            "severity": severity,
            "figures": [],
            "message": message,
            "advice": advice,
        }
    )
