"""The network between the hosts of one execution: its links, measured before the load, and the
traffic of each host during the load."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK, JointBandwidth, Link, Network, Traffic
from runfair.machine.place import Place
from runfair.serving.link import (
    Counters,
    JointFigures,
    LinkFigures,
    Listener,
    measure_joint,
    measure_link,
    read_counters,
)
from runfair.serving.offloads import read_offloads
from runfair.serving.place_host import PlaceHost, PlaceHosts

# A reading of the counters asks each host once. The rate of an interval is a mean, so a burst that
# is shorter than the interval is not seen.
INTERVAL_S = 1.0


class OwnHost:
    """The lab's own host, as an end of links. `address` is where the other hosts reach it."""

    def __init__(self, place: str, host: str, address: str) -> None:
        self.place = place
        self.host = host
        self.address = address
        self._listener: Listener | None = None

    def listen(self) -> int:
        if self._listener is None:
            self._listener = Listener(self.address)
        return self._listener.port

    def link_to(self, address: str, port: int) -> LinkFigures:
        return measure_link(address, port)

    def joint_with(self, listeners: Sequence[tuple[str, int]]) -> JointFigures:
        return measure_joint(listeners)

    def counters(self) -> Counters:
        return read_counters()

    def offloads(self) -> list[str] | None:
        return read_offloads(self.address)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None


class FarHost:
    """The host of another place, as an end of links."""

    def __init__(self, host: PlaceHost) -> None:
        self.place = host.place.name
        self.host = host.place.declared.host
        self.address = host.place.declared.address
        self.listen, self.link_to, self.counters = host.listen, host.link_to, host.counters
        self.joint_with, self.offloads = host.joint_with, host.offloads

    def close(self) -> None:
        """The listener ends with the program on that host."""


End = OwnHost | FarHost


@dataclass
class Networks:
    """The networks of a run's executions. `name` and `host` are those of the load generator's
    place, whose address is that of `own`. `generators` are the places of further load generators
    on other hosts. The network between the same places is measured once."""

    hosts: PlaceHosts
    own: Place
    name: str
    host: str
    generators: Sequence[Place] = ()
    _measured: dict[tuple[str, ...], Network] = field(default_factory=dict)

    def between(self, services: Sequence[Place], database: Place) -> NetworkWatch | None:
        """The network from the hosts of the load generators to those of the service, and from there
        to the database. None if all are on one host, or if the other hosts are not told where to
        reach this one."""
        of_service = self._far(services)
        beside = database.name in {one.name for one in services}
        behind = [] if beside else self._far([database])
        address = self.own.declared.address
        if address == LOOPBACK or not of_service + behind:
            return None
        generators: list[End] = [OwnHost(self.name, self.host, address)]
        generators += self._far(self.generators)
        # A service on the lab's own host is on the generator's.
        parts = [part for part in (generators, of_service, behind) if part]
        ends = [end for part in parts for end in part]
        if (key := tuple(end.place for end in ends)) not in self._measured:
            self._measured[key] = measured_network(parts)
        return NetworkWatch(ends, self._measured[key])

    def _far(self, places: Sequence[Place]) -> list[End]:
        """The hosts of the places that are not on the lab's own host."""
        far = {one.name: found for one in places if (found := self.hosts.of(one)) is not None}
        return [*map(FarHost, far.values())]


def measured_network(parts: Sequence[Sequence[End]]) -> Network:
    """The network before the load, between parts that are neighbours: load generators, hosts of the
    service, and the database. Each host is linked to each host of the next part, in both
    directions. The joint bandwidth is that of a host with all hosts of a neighbouring part that has
    several. Raises UserMistake if an end cannot reach a port of another."""
    ends = [end for part in parts for end in part]
    neighbours = [*itertools.pairwise(parts)]
    try:
        return Network(
            hosts={end.place: end.host for end in ends},
            offloads={end.place: on for end in ends if (on := end.offloads()) is not None},
            links=[
                _link(sender, receiver)
                for part, following in neighbours
                for one, other in itertools.product(part, following)
                for sender, receiver in ((one, other), (other, one))
            ],
            joint=[
                _joint(end, others)
                for pair in neighbours
                for part, others in (pair, pair[::-1])
                if len(others) > 1
                for end in part
            ],
        )
    finally:
        for end in ends:
            end.close()


def _joint(end: End, others: Sequence[End]) -> JointBandwidth:
    try:
        found = end.joint_with([(one.address, one.listen()) for one in others])
    except OSError as error:
        raise UserMistake(
            f"{end.host} ({end.place}) cannot exchange data with "
            f"{', '.join(one.host for one in others)} at the same time: "
            f"{error.strerror or error}: look for errors of the network devices"
        ) from None
    return JointBandwidth(place=end.place, **asdict(found))


def _link(sender: End, receiver: End) -> Link:
    try:
        port = receiver.listen()
        found = sender.link_to(receiver.address, port)
    except OSError as error:
        raise UserMistake(
            f"{sender.host} ({sender.place}) cannot reach a port of {receiver.host} "
            f"({receiver.place}) at {receiver.address}: {error.strerror or error}: open the ports "
            "between the hosts"
        ) from None
    return Link(
        sender=sender.place,
        receiver=receiver.place,
        round_trip_ns=found.round_trip_ns,
        bits_per_s=found.bits_per_s,
    )


@dataclass
class NetworkWatch:
    """Reads the counters of each end during a load, and keeps the rates of the busiest interval.
    `before` is the network as measured before the load."""

    ends: Sequence[End]
    before: Network
    clock_s: Callable[[], float] = time.monotonic
    ended: bool = False
    _first: dict[str, Counters] = field(default_factory=dict)
    _last: dict[str, Counters] = field(default_factory=dict)
    _busiest: dict[str, tuple[float, float]] = field(default_factory=dict)
    _next_s: float = 0.0

    def anew(self) -> NetworkWatch:
        """A watch of another load over the same network."""
        return NetworkWatch(self.ends, self.before, self.clock_s)

    def look(self, *, last: bool = False) -> None:
        """Reads the counters once per interval. The `last` reading ends the load, and further loads
        do not count."""
        if self.ended or ((now_s := self.clock_s()) < self._next_s and not last):
            return
        self.ended = last
        self._next_s = now_s + INTERVAL_S
        for end in self.ends:
            self._add(end.place, end.counters())

    def round_trip_ns(self, sender: str, receiver: str) -> int:
        """The measured round trip between two places; 0 if their link was not measured."""
        found = (
            one for one in self.before.links if (one.sender, one.receiver) == (sender, receiver)
        )
        return max((one.round_trip_ns for one in found), default=0)

    @property
    def network(self) -> Network:
        """What was measured before the load, and the traffic of each end whose counters were read
        over an interval."""
        traffic = [*map(self._traffic, self._busiest)]
        return self.before.model_copy(update={"traffic": traffic})

    def _add(self, place: str, now: Counters) -> None:
        before = self._last.get(place)
        self._first.setdefault(place, now)
        self._last[place] = now
        # In a short interval, a single burst would look like a full link.
        if before is None or now.monotonic_ns - before.monotonic_ns < INTERVAL_S / 4 * 1e9:
            return
        took_s = (now.monotonic_ns - before.monotonic_ns) / 1e9
        sent, received = self._busiest.get(place, (0.0, 0.0))
        self._busiest[place] = (
            max(sent, (now.sent_bytes - before.sent_bytes) * 8 / took_s),
            max(received, (now.received_bytes - before.received_bytes) * 8 / took_s),
        )

    def _traffic(self, place: str) -> Traffic:
        first, last = self._first[place], self._last[place]
        sent, received = self._busiest[place]
        return Traffic(
            place=place,
            sent_bits_per_s=sent,
            received_bits_per_s=received,
            sent_segments=max(0, last.sent_segments - first.sent_segments),
            repeated_segments=max(0, last.repeated_segments - first.repeated_segments),
            duplicate_segments=max(0, last.duplicate_segments - first.duplicate_segments),
        )
