"""The network between the hosts of a service carries the load easily.

**Looks for** a network that makes latencies longer: a link that is nearly full, segments that TCP
had to send again, or a round trip between service and database that is longer than the experiment
declares. The check applies to services that run on another host than their load generator.

**Threshold** runfair measures the bandwidth between the hosts before the load, in both directions.
During the load it reads each host's traffic once a second. The latencies are flagged if the traffic
of the busiest second is more than `MOST_USED` of the bandwidth, if more than `MOST_REPEATED` of a
host's segments were sent again, or if the measured round trip to the database is longer than the
declared one. In every other case the measured round trips are noted beside the latencies, because
the latencies contain them.

**Source** The waiting time in a queue with random arrivals grows with u / (1 - u), where u is the
used share of the link: at 0.8, a packet waits for four others on average (L. Kleinrock, Queueing
Systems, volume 1, 1975, section 3.2). Linux sends a lost segment again after at least 200 ms if no
later segment shows the loss (TCP_RTO_MIN), so one lost segment in a thousand can decide p99.9.

**What to do** Use a faster network, a lower rate or smaller answers. Look for errors of the network
devices (`ip -statistics link`).
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import CellEvidence, RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.finding import Finding
from runfair.formats.network import Network, Traffic

NAME = "network"
VERSION = 1
MOST_USED = 0.8
MOST_REPEATED = 0.001
ADVICE = "use a faster network between the hosts, or a lower rate"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        networks = [
            each.record.served.network
            for each in one.completed
            if each.record.served is not None and each.record.served.network is not None
        ]
        if networks:
            yield from _full(one, networks)
            yield from _repeated(one, networks)
            yield from _distant(one, networks)
            yield _noted(one, networks)


def used_share(network: Network, traffic: Traffic) -> float:
    """The greatest share of a host's bandwidth that its traffic used, of both directions; 0 if no
    link of the host was measured."""
    sending = [one.bits_per_s for one in network.links if one.sender == traffic.place]
    receiving = [one.bits_per_s for one in network.links if one.receiver == traffic.place]
    shares = [
        carried / max(able)
        for carried, able in (
            (traffic.sent_bits_per_s, sending),
            (traffic.received_bits_per_s, receiving),
        )
        if able
    ]
    return max(shares, default=0.0)


def _full(one: CellEvidence, networks: list[Network]) -> Iterator[Finding]:
    used = [(used_share(network, each), each) for network in networks for each in network.traffic]
    share, host = max(used, key=lambda pair: pair[0], default=(0.0, None))
    if host is not None and share > MOST_USED:
        yield _warning(
            one,
            f"the busiest second of a load used {share:.0%} of the bandwidth of {host.host} "
            f"({host.place})",
            used=share,
        )


def _repeated(one: CellEvidence, networks: list[Network]) -> Iterator[Finding]:
    hosts = [each for network in networks for each in network.traffic]
    worst = max(hosts, key=lambda each: each.repeated_share, default=None)
    if worst is not None and worst.repeated_share > MOST_REPEATED:
        yield _warning(
            one,
            f"{worst.host} ({worst.place}) had to send {worst.repeated_share:.2%} of its TCP "
            "segments again",
            repeated=worst.repeated_share,
        )


def _distant(one: CellEvidence, networks: list[Network]) -> Iterator[Finding]:
    service = one.cell.service
    if service is None or service.database is None:
        return
    declared_ns = service.database.round_trip_ns
    measured_ns = max(_round_trips_ns(networks).get(("service", "database"), [0]))
    if measured_ns > declared_ns:
        yield _warning(
            one,
            f"the network's round trip between service and database is {measured_ns / 1e6:.3g} ms, "
            f"longer than the declared {declared_ns / 1e6:.3g} ms",
            round_trip_ns=measured_ns,
        )


def _noted(one: CellEvidence, networks: list[Network]) -> Finding:
    pairs: dict[frozenset[str], int] = {}
    for ends, times_ns in _round_trips_ns(networks).items():
        pairs[frozenset(ends)] = max(pairs.get(frozenset(ends), 0), *times_ns)
    told = ", ".join(
        f"{longest_ns / 1e6:.3g} ms between {' and '.join(sorted(ends))}"
        for ends, longest_ns in pairs.items()
    )
    return Finding(
        check=NAME,
        severity="limitation",
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=f"the service ran on another host; round trips of the network before the load: {told}",
    )


def _round_trips_ns(networks: list[Network]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for network in networks:
        for link in network.links:
            found.setdefault((link.sender, link.receiver), []).append(link.round_trip_ns)
    return found


def _warning(one: CellEvidence, text: str, **values: float) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=text,
        advice=ADVICE,
        values=dict(values),
        effect="longer",
    )
