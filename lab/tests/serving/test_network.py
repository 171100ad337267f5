"""The network between hosts: which links are measured, and which interval is the busiest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.formats.place import DeclaredPlace, JointBandwidth, Network
from runfair.machine.launching import Launcher
from runfair.machine.place import Place
from runfair.serving import network as module
from runfair.serving.link import Counters, JointFigures, LinkFigures
from runfair.serving.network import End, Networks, NetworkWatch, measured_network
from runfair.serving.place_host import PlaceHost, PlaceHosts

NOTHING = Counters(0, 0, 0, 0, 0, 0)
SECOND_NS = 10**9


@dataclass
class FakeEnd:
    """A host whose counters are given; `unreached` is an address that it cannot reach."""

    place: str
    host: str = "host"
    unreached: str = ""
    readings: list[Counters] = field(default_factory=list)
    closed: int = 0
    joint_listeners: list[tuple[str, int]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return self.place

    @property
    def end(self) -> End:
        return cast(End, self)

    def listen(self) -> int:
        return 7

    def joint_with(self, listeners: Sequence[tuple[str, int]]) -> JointFigures:
        if self.unreached:
            raise OSError("timed out")
        self.joint_listeners = [*listeners]
        return JointFigures(sent_bits_per_s=1, received_bits_per_s=2)

    def link_to(self, address: str, port: int) -> LinkFigures:
        if address == self.unreached:
            raise OSError("timed out")
        return LinkFigures(round_trip_ns=len(address), bits_per_s=port)

    def counters(self) -> Counters:
        return self.readings.pop(0)

    def offloads(self) -> list[str] | None:
        return None if self.place == "database" else [f"offload of {self.place}"]

    def close(self) -> None:
        self.closed += 1


def measured(ends: Sequence[FakeEnd]) -> Network:
    roles = itertools.groupby(ends, key=lambda one: one.place.partition("-")[0])
    return measured_network([[one.end for one in part] for _, part in roles])


def test_neighbours_are_linked_in_both_directions() -> None:
    ends = [FakeEnd("generator"), FakeEnd("service"), FakeEnd("database")]
    found = measured(ends)
    assert [(one.sender, one.receiver) for one in found.links] == [
        ("generator", "service"),
        ("service", "generator"),
        ("service", "database"),
        ("database", "service"),
    ]
    assert [one.closed for one in ends] == [1, 1, 1]
    assert found.joint == []
    assert found.offloads == {
        "generator": ["offload of generator"],
        "service": ["offload of service"],
    }
    watch = NetworkWatch([one.end for one in ends], found)
    assert watch.round_trip_ns("service", "database") == len("database")
    assert watch.round_trip_ns("generator", "database") == 0


def test_each_generator_is_linked_to_the_service() -> None:
    ends = [FakeEnd(name) for name in ("generator", "generator-2", "service", "database")]
    found = measured(ends)
    assert [(one.sender, one.receiver) for one in found.links[::2]] == [
        ("generator", "service"),
        ("generator-2", "service"),
        ("service", "database"),
    ]
    assert [one.closed for one in ends] == [1, 1, 1, 1]
    assert ends[2].joint_listeners == [("generator", 7), ("generator-2", 7)]
    joint = JointBandwidth(place="service", sent_bits_per_s=1, received_bits_per_s=2)
    assert found.joint == [joint]
    # Old records have a single one, or none.
    told = found.model_dump(mode="json")
    assert Network.model_validate({**told, "joint": told["joint"][0]}) == found
    assert Network.model_validate({**told, "joint": None}).joint == []


def test_each_host_of_a_service_is_linked_to_both_sides() -> None:
    names = ("generator", "generator-2", "service", "service-2", "database")
    ends = [FakeEnd(name) for name in names]
    found = measured(ends)
    assert [(one.sender, one.receiver) for one in found.links[::2]] == [
        ("generator", "service"),
        ("generator", "service-2"),
        ("generator-2", "service"),
        ("generator-2", "service-2"),
        ("service", "database"),
        ("service-2", "database"),
    ]
    assert {*found.hosts} == {*names}
    assert {one.place for one in found.joint} == {*names}
    services, generators = (
        [("service", 7), ("service-2", 7)],
        [("generator", 7), ("generator-2", 7)],
    )
    assert [one.joint_listeners for one in ends] == [
        *(services, services, generators, generators, services)
    ]


class Hosts:
    """The hosts of places; each but `local` is another host than the lab's."""

    def of(self, place: Place) -> PlaceHost | None:
        return None if place.name == "local" else PlaceHost(place, Path())


def test_the_hosts_of_all_generators_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plans.plan(
        [plans.cell()],
        [],
        places={
            name: DeclaredPlace(host=f"host of {name}", address="10.0.0.1")
            for name in ("local", "service", "service-2", "database", "generator-2")
        },
    )
    own, service, beside, database, further = (
        Place.of(plan, name, Launcher(Path("launcher"))) for name in plan.places
    )
    asked: list[list[str]] = []

    def before(parts: Sequence[Sequence[End]]) -> Network:
        asked.extend([[end.place for end in ends] for ends in parts])
        return Network()

    monkeypatch.setattr(module, "measured_network", before)
    networks = Networks(cast(PlaceHosts, Hosts()), own, "generator", "first", [further])
    watch = networks.between([service, beside], database)
    assert watch is not None
    generators, services = ["generator", "generator-2"], ["service", "service-2"]
    assert asked == [generators, services, ["database"]]
    assert networks.between([service, beside], database) is not None
    assert len(asked) == 3  # the network was measured once
    assert {end.place: end.host for end in watch.ends} == {
        "generator": "first",
        "generator-2": "host of generator-2",
        "service": "host of service",
        "service-2": "host of service-2",
        "database": "host of database",
    }
    assert networks.between([service], own) is not None
    assert asked[3:] == [generators, ["service"]]  # the lab's own place is the generator's host
    assert networks.between([own], own) is None


def test_a_port_that_cannot_be_reached_is_one_line() -> None:
    ends = [FakeEnd("generator", "h1"), FakeEnd("service", "h2", unreached="generator")]
    with pytest.raises(
        UserMistake,
        match=r"h2 \(service\) cannot reach a port of h1 \(generator\) at generator: timed out",
    ):
        measured(ends)
    assert [one.closed for one in ends] == [1, 1]


def readings(*sent_bytes: int, apart_ns: int = SECOND_NS) -> list[Counters]:
    return [
        replace(
            NOTHING,
            monotonic_ns=number * apart_ns,
            sent_bytes=each,
            sent_segments=each // 100,
            repeated_segments=number,
            duplicate_segments=number // 2,
        )
        for number, each in enumerate(sent_bytes)
    ]


def watched(one: FakeEnd, *times_s: float) -> NetworkWatch:
    """A watch that looked at these times, the last of them at the end of the load."""
    clock = list(times_s)
    before = Network(hosts={one.place: one.host})
    watch = NetworkWatch([one.end], before, clock_s=lambda: clock.pop(0))
    for number in range(len(times_s)):
        watch.look(last=number == len(times_s) - 1)
    return watch


def test_the_busiest_interval_counts_and_segments_are_those_of_the_load() -> None:
    watch = watched(FakeEnd("service", readings=readings(0, 1000, 9000, 9500)), 0, 1, 2, 3)
    (traffic,) = watch.network.traffic
    assert traffic.sent_bits_per_s == 8000 * 8
    assert traffic.sent_segments == 95
    assert (traffic.repeated_segments, traffic.duplicate_segments) == (3, 1)
    assert traffic.lost_share == pytest.approx(2 / 95)
    assert watch.network.hosts == {"service": "host"}


def test_a_host_is_asked_once_an_interval_and_not_after_the_load() -> None:
    one = FakeEnd("service", readings=readings(0, 1, 2))
    watch = watched(one, 0, 0.5, 0.9, 1.0, 1.1)
    assert one.readings == []
    watch.look()
    watch.look(last=True)


def test_another_load_has_a_watch_of_its_own() -> None:
    one = FakeEnd("service", readings=readings(0, 9000, 9000, 10_000))
    watch = watched(one, 0, 1)
    later = watch.anew()
    later.clock_s = iter((2.0, 3.0)).__next__
    later.look()
    later.look(last=True)
    assert [[each.sent_bits_per_s for each in seen.network.traffic] for seen in (watch, later)] == [
        [9000 * 8],
        [1000 * 8],
    ]


def test_a_single_burst_is_no_full_link() -> None:
    """Two readings that follow each other closely are no interval: nothing is said of the host."""
    watch = watched(FakeEnd("service", readings=readings(0, 10**6, apart_ns=1000)), 0, 0.000001)
    assert watch.network.traffic == []
