"""The network between hosts: which links are measured, and which interval is the busiest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from runfair.errors import UserMistake
from runfair.serving.link import Counters, LinkFigures
from runfair.serving.network import End, NetworkWatch, measured_links

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

    @property
    def address(self) -> str:
        return self.place

    @property
    def end(self) -> End:
        return cast(End, self)

    def listen(self) -> int:
        return 7

    def link_to(self, address: str, port: int) -> LinkFigures:
        if address == self.unreached:
            raise OSError("timed out")
        return LinkFigures(round_trip_ns=len(address), bits_per_s=port)

    def counters(self) -> Counters:
        return self.readings.pop(0)

    def close(self) -> None:
        self.closed += 1


def test_neighbours_are_linked_in_both_directions() -> None:
    ends = [FakeEnd("generator"), FakeEnd("service"), FakeEnd("database")]
    found = measured_links([one.end for one in ends])
    assert [(one.sender, one.receiver) for one in found] == [
        ("generator", "service"),
        ("service", "generator"),
        ("service", "database"),
        ("database", "service"),
    ]
    assert [one.closed for one in ends] == [1, 1, 1]
    watch = NetworkWatch([one.end for one in ends], found)
    assert watch.round_trip_ns("service", "database") == len("database")
    assert watch.round_trip_ns("generator", "database") == 0


def test_a_port_that_cannot_be_reached_is_one_line() -> None:
    ends = [FakeEnd("generator", "h1"), FakeEnd("service", "h2", unreached="generator")]
    with pytest.raises(
        UserMistake,
        match=r"h2 \(service\) cannot reach a port of h1 \(generator\) at generator: timed out",
    ):
        measured_links([one.end for one in ends])
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
    watch = NetworkWatch([one.end], clock_s=lambda: clock.pop(0))
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


def test_a_single_burst_is_no_full_link() -> None:
    """Two readings that follow each other closely are no interval: nothing is said of the host."""
    watch = watched(FakeEnd("service", readings=readings(0, 10**6, apart_ns=1000)), 0, 0.000001)
    assert watch.network.traffic == []
