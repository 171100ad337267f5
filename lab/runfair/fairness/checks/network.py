"""The network between the hosts of a service carries the load easily.

**Looks for** a network that makes latencies longer. The check looks for three causes: a link that
is nearly full, TCP segments that were lost, and a round trip between service and database that is
longer than the experiment declares. The check applies if a service and its load generator run on
different hosts.

**Threshold** runfair measures the bandwidth between the hosts before the load, in both directions.
If several hosts send the load, or if the service runs on several hosts, runfair also measures the
bandwidth between one host and several other hosts at the same time. The reason is that the link of
this one host may carry more than the link of each other host. During the load, runfair reads each
host's traffic once a second. The latencies are flagged (marked as doubtful) in four cases:

- The traffic of the busiest second is more than `MOST_USED` of the bandwidth.
- A host lost more than `MOST_LOST` of its segments. A segment counts as lost if it was sent again,
  unless the receiver reported that it had the segment already (RFC 2883).
- The measured round trip to the database is longer than the declared round trip. If the experiment
  states `round_trip = "network"`, no round trip is too long.
- The network was not measured.

A run may also contain loads at other rates, for the latency curve and for the search for the
capacity. The check judges each of these loads separately. If the network was full or lost segments
during such a load, the report notes the load, and the point of the latency curve at the load's rate
is flagged. For the capacity (the highest rate that meets the objective), only loads at rates up to
the lowest rate that missed the objective count. If the network was full or lost segments during one
of these loads, the capacity is flagged.

If the network was measured, the round trips are noted beside the latencies, because each latency
contains a round trip. The offloads of the network devices (work of the network stack that a device
does) are noted too, because they change the CPU time and the delay of packets.

**Source** Packets wait in a queue for the link. The mean length of this queue grows with u / (1 -
u), where u is the used share of the link. For example, if 80% of the link is used, a packet waits
for four other packets on average (L. Kleinrock, Queueing Systems, volume 1, 1975, section 3.2). If
a segment is lost and no later segment reveals the loss, Linux waits at least 200 ms (TCP_RTO_MIN)
before it sends the lost segment again. If one of a thousand segments is lost, the waits for lost
segments can determine p99.9.

**What to do** Use a faster network, a lower rate or smaller answers. Look for errors of the network
devices (`ip -statistics link`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import LATENCIES
from runfair.formats.execution import Execution
from runfair.formats.finding import Finding
from runfair.formats.place import LOCAL, Network, Traffic
from runfair.formats.plan import Plan
from runfair.formats.service import Served, ServedLoad

NAME = "network"
DOUBT = "slow network"
VERSION = 3
MOST_USED = 0.8
MOST_LOST = 0.001
ADVICE = "use a faster network between the hosts, or a lower rate"

Measured = Sequence[tuple[Execution, Network]]


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.services:
        records = [each.record for each in one.completed]
        measured = [
            (record, record.served.network)
            for record in records
            if record.served is not None and record.served.network is not None
        ]
        yield from _full(one, measured)
        yield from _lost(one, measured)
        yield from _distant(one, measured)
        yield from _unmeasured(one, records, run.plan)
        if measured:
            yield _noted(one, measured)
        yield from _slow_loads(one, measured)


def used_share(network: Network, traffic: Traffic) -> float:
    """The greatest share of a host's bandwidth that its traffic used, of both directions; 0 if no
    link of the host was measured."""
    sending = [one.bits_per_s for one in network.links if one.sender == traffic.place]
    receiving = [one.bits_per_s for one in network.links if one.receiver == traffic.place]
    joint = [one for one in network.joint if one.place == traffic.place]
    sending += [one.sent_bits_per_s for one in joint]
    receiving += [one.received_bits_per_s for one in joint]
    shares = [
        carried / max(able)
        for carried, able in (
            (traffic.sent_bits_per_s, sending),
            (traffic.received_bits_per_s, receiving),
        )
        if able
    ]
    return max(shares, default=0.0)


def slow_loads(network: Network, served: Served) -> list[ServedLoad]:
    """The loads at other rates than the operating point's during which the network was full or lost
    segments."""
    return [
        load
        for load in served.loads
        if load.purpose != "operating_point"
        and any(
            used_share(network, each) > MOST_USED or each.lost_share > MOST_LOST
            for each in load.traffic
        )
    ]


def _slow_loads(one: CellEvidence, measured: Measured) -> Iterator[Finding]:
    rates = {
        load.rate_per_s
        for record, network in measured
        if record.served is not None
        for load in slow_loads(network, record.served)
    }
    if rates:
        yield Finding(
            check=NAME,
            severity="limitation",
            cell=one.cell.id,
            figures=[*LATENCIES],
            text=(
                "the network was full or lost TCP segments at "
                f"{len(rates)} other rate{'s' * (len(rates) != 1)}, the lowest of which is "
                f"{min(rates):g} requests/s, so the network may limit the curve or the capacity"
            ),
            advice=ADVICE,
        )


def _full(one: CellEvidence, measured: Measured) -> Iterator[Finding]:
    shares = [
        (used_share(network, each), f"{network.hosts[each.place]} ({each.place})")
        for _, network in measured
        for each in network.traffic
    ]
    share, host = max(shares, default=(0.0, ""))
    if share > MOST_USED:
        text = (
            f"in the busiest second of a load, the network traffic used {share:.0%} of the "
            f"bandwidth of {host}, so requests may have waited for the network"
        )
        yield _warning(one, text, ADVICE, used=share)


def _lost(one: CellEvidence, measured: Measured) -> Iterator[Finding]:
    shares = [
        (each.lost_share, f"{network.hosts[each.place]} ({each.place})")
        for _, network in measured
        for each in network.traffic
    ]
    share, host = max(shares, default=(0.0, ""))
    if share > MOST_LOST:
        text = (
            f"the network lost {share:.2%} of the TCP segments that {host} sent, so some "
            "requests may have waited until data were sent again"
        )
        yield _warning(one, text, ADVICE, lost=share)


def _distant(one: CellEvidence, measured: Measured) -> Iterator[Finding]:
    service = one.cell.service
    if service is None or service.database is None or service.database.of_network:
        return
    declared_ns = service.database.round_trip_ns
    measured_ns = max(
        (
            link.round_trip_ns
            for record, network in measured
            for link in network.links
            if record.served is not None
            and link.sender in {each.place.name for each in record.by_host}
            and link.receiver == record.served.relay.name
        ),
        default=0,
    )
    if measured_ns > declared_ns:
        yield _warning(
            one,
            f"the network's round trip between service and database is {measured_ns / 1e6:.3g} ms, "
            f"longer than the declared {declared_ns / 1e6:.3g} ms",
            f"declare at least {measured_ns / 1e6:.3g} ms (`round_trip`), or use a faster network",
            round_trip_ns=measured_ns,
        )


def _unmeasured(one: CellEvidence, records: Sequence[Execution], plan: Plan) -> Iterator[Finding]:
    lacking = [record for record in records if _on_another_host(record, plan)]
    if any(not _complete(record) for record in lacking):
        yield _warning(
            one,
            (
                "the service ran on another host, and the network to this host was not measured, "
                "so it is unknown how much the network delayed the requests"
            ),
            "state the address of the load generator's host as the other hosts see it "
            f'(`[places.{LOCAL}]`, `address = "..."`); if it is already stated, measure longer, '
            "because the traffic of a short load cannot be measured",
        )


def _on_another_host(record: Execution, plan: Plan) -> bool:
    """Whether an execution's service ran on another host than its load generator. A place of Slurm
    is not in the plan, and counts as another host."""
    name = record.place.name
    return name != LOCAL and (name not in plan.places or plan.places[name].host != "")


def _complete(record: Execution) -> bool:
    """Whether the traffic of all hosts was measured."""
    network = None if record.served is None else record.served.network
    return network is not None and {one.place for one in network.traffic} == {*network.hosts}


def _noted(one: CellEvidence, measured: Measured) -> Finding:
    longest_ns: dict[tuple[str, ...], int] = {}
    for _, network in measured:
        for link in network.links:
            ends = tuple(sorted((link.sender, link.receiver)))
            longest_ns[ends] = max(longest_ns.get(ends, 0), link.round_trip_ns)
    told = ", ".join(
        f"{each_ns / 1e6:.3g} ms between {' and '.join(ends)}"
        for ends, each_ns in longest_ns.items()
    )
    return Finding(
        check=NAME,
        severity="limitation",
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=(
            f"the service ran on another host; network round-trip times before the load: {told}"
            f"{_offloads(measured)}"
        ),
    )


def _offloads(measured: Measured) -> str:
    """The offloads of the network devices, as a part of a text; empty if no device told them."""
    hosts: dict[str, set[str]] = {}
    for _, network in measured:
        for place, names in network.offloads.items():
            hosts.setdefault(", ".join(names) or "none", set()).add(network.hosts[place])
    told = "; ".join(f"{names} ({', '.join(sorted(each))})" for names, each in hosts.items())
    return f"; offloads of the network devices: {told}" if told else ""


def _warning(one: CellEvidence, text: str, advice: str, **values: float) -> Finding:
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=[*LATENCIES],
        text=text,
        advice=advice,
        values=dict(values),
        effect="longer",
    )
