"""Services whose network was full, lossy or far, and services whose network was not noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evidence.honest_services import (
    FASTIFY,
    ServiceRun,
    honest_services,
    on_services,
    service_cell,
    services_of,
)
from evidence.records import Records as Run
from evidence.served_loads import served_load
from evidence.two_hosts import on_two_hosts
from fairness.stories import Story
from runfair.fairness.checks.network import check, used_share
from runfair.formats.execution import Execution
from runfair.formats.place import DeclaredPlace, JointBandwidth, Link, Location, Network, Traffic

CELL = service_cell(FASTIFY)
GBIT = 1e9
MS = 1_000_000
HOSTS = {"generator": "host1", "service": "host2", "database": "host3"}
USUAL = {
    "sent_bits_per_s": GBIT / 10,
    "received_bits_per_s": GBIT / 20,
    "sent_segments": 100_000,
    "repeated_segments": 0,
}
BEYOND = {"beyond": DeclaredPlace(host="host2")}


def link(sender: str, receiver: str, **changes: Any) -> Link:
    values = {"round_trip_ns": MS // 10, "bits_per_s": GBIT, **changes}
    return Link(sender=sender, receiver=receiver, **values)


def network(**changes: Any) -> Network:
    """A network far below its limits, but for these changes of the service's traffic."""
    ends = (("generator", "service"), ("service", "database"))
    traffic = dict.fromkeys(HOSTS, USUAL)
    traffic["service"] = {**USUAL, **changes}
    return Network(
        hosts=HOSTS,
        links=[link(*pair) for one, other in ends for pair in ((one, other), (other, one))],
        traffic=[Traffic.model_validate({"place": one, **traffic[one]}) for one in HOSTS],
    )


def far(round_trip_ns: int) -> Network:
    links = [link("service", "database", round_trip_ns=round_trip_ns)]
    return network().model_copy(update={"links": links})


def unseen(place: str) -> Network:
    whole = network()
    traffic = [one for one in whole.traffic if one.place != place]
    return whole.model_copy(update={"traffic": traffic})


def two_generators(whole: Network, received: float = GBIT, **changes: Any) -> Network:
    """The network with the host of a second generator, but for these changes of its traffic. From
    both generators at the same time, the service receives this many bits per second."""
    links = [link("generator-2", "service"), link("service", "generator-2")]
    traffic = Traffic.model_validate({"place": "generator-2", **USUAL, **changes})
    return whole.model_copy(
        update={
            "hosts": {**whole.hosts, "generator-2": "host4"},
            "links": [*whole.links, *links],
            "joint": [
                JointBandwidth(place="service", sent_bits_per_s=GBIT, received_bits_per_s=received)
            ],
            "traffic": [*whole.traffic, traffic],
        }
    )


def over(
    found: Network | None,
    place: str = "service",
    places: Mapping[str, DeclaredPlace] | None = None,
    *,
    of_network: bool = False,
) -> Callable[[Run], Run]:
    """Services that ran in a place, with a database beside another, over this network."""

    def moved(record: Execution) -> Execution:
        assert record.served is not None
        beside = {"network": found, "relay": Location(name="database")}
        served = record.served.model_copy(update=beside)
        return record.model_copy(update={"place": Location(name=place), "served": served})

    def told(run: ServiceRun) -> Run:
        database = run.with_database(FASTIFY, of_network=of_network)
        return database.with_executions(CELL, moved).with_plan(places=dict(places or {}))

    return on_services(told)


STORIES = (
    Story("a link filled by answers", over(network(sent_bits_per_s=0.85 * GBIT)), "warning", CELL),
    Story(
        "a link filled by requests", over(network(received_bits_per_s=0.9 * GBIT)), "warning", CELL
    ),
    Story("a lossy link", over(network(repeated_segments=200)), "warning", CELL),
    Story("a distant database", over(far(100 * MS)), "warning", CELL),
    Story("a network that nobody measured", over(None), "warning", CELL),
    Story("a host whose traffic nobody measured", over(unseen("database")), "warning", CELL),
    Story(
        "another host without an address for the way back",
        over(None, "beyond", BEYOND),
        "warning",
        CELL,
    ),
    Story(
        "a link used to three quarters",
        over(network(sent_bits_per_s=0.75 * GBIT)),
        "limitation",
        CELL,
    ),
    Story(
        "a distant database whose round trip is that of the network",
        over(far(100 * MS), of_network=True),
        "limitation",
        CELL,
    ),
    Story("a single lost segment", over(network(repeated_segments=1)), "limitation", CELL),
    Story(
        "segments that were sent again too early",
        over(network(repeated_segments=200, duplicate_segments=200)),
        "limitation",
        CELL,
    ),
    Story(
        "a link filled by the second generator",
        over(two_generators(network(), sent_bits_per_s=0.85 * GBIT)),
        "warning",
        CELL,
    ),
    Story(
        "a second generator whose segments were lost",
        over(two_generators(network(), repeated_segments=200)),
        "warning",
        CELL,
    ),
    Story(
        "a service whose link is faster than that of each generator",
        over(two_generators(network(received_bits_per_s=1.2 * GBIT), received=1.6 * GBIT)),
        "limitation",
        CELL,
    ),
    Story(
        "a service whose link the generators fill together",
        over(two_generators(network(received_bits_per_s=1.4 * GBIT), received=1.6 * GBIT)),
        "warning",
        CELL,
    ),
    Story("two generators in a quiet network", over(two_generators(network())), "limitation", CELL),
    Story("a quiet network", over(network()), "limitation", CELL),
    Story("a place on the same host", over(None, "beyond", {"beyond": DeclaredPlace()}), None),
    Story("services on one host", on_services(lambda run: run), None),
)


@pytest.mark.parametrize(("sent", "received", "share"), [(0.5, 0.1, 0.5), (0.1, 0.9, 0.9)])
def test_the_fuller_direction_counts(sent: float, received: float, share: float) -> None:
    found = network(sent_bits_per_s=sent * GBIT, received_bits_per_s=received * GBIT)
    (service,) = [one for one in found.traffic if one.place == "service"]
    assert used_share(found, service) == pytest.approx(share)


def test_a_host_without_a_measured_link_uses_nothing() -> None:
    found = network(sent_bits_per_s=GBIT).model_copy(update={"links": []})
    assert [used_share(found, one) for one in found.traffic] == [0, 0, 0]


def test_the_measured_round_trips_are_named_once_for_each_pair() -> None:
    run = honest_services().with_served(FASTIFY, network=network()).evidence()
    (noted,) = [one for one in check(run) if one.severity == "limitation"]
    assert noted.text.endswith(
        "0.1 ms between generator and service, 0.1 ms between database and service"
    )


def test_the_offloads_of_the_devices_are_named_with_their_hosts() -> None:
    offloads = {"generator": ["a", "b"], "service": [], "database": ["a", "b"]}
    found = network().model_copy(update={"offloads": offloads})
    run = honest_services().with_served(FASTIFY, network=found).evidence()
    (noted,) = [one for one in check(run) if one.severity == "limitation"]
    assert noted.text.endswith(
        "; offloads of the network devices: a, b (host1, host3); none (host2)"
    )


def test_each_host_of_a_service_may_be_too_far_from_the_database() -> None:
    near = on_two_hosts().with_database(FASTIFY)
    links = [link("service", "database"), link("service-2", "database", round_trip_ns=100 * MS)]
    for links_so_far, far_ones in ((links[:1], 0), (links, 1)):
        whole = network().model_copy(update={"links": links_so_far})
        run = services_of(near).with_served(FASTIFY, network=whole, relay=Location(name="database"))
        found = [one for one in check(run.evidence()) if "longer than the declared" in one.text]
        assert len(found) == far_ones


def test_a_load_at_another_rate_that_fills_a_link_is_noted() -> None:
    loads = [
        served_load("curve", rate, network(sent_bits_per_s=sent * GBIT).traffic)
        for rate, sent in ((100, 0.5), (200, 0.85), (300, 0.95))
    ]
    found = honest_services().with_served(FASTIFY, network=network(), loads=loads)
    texts = [one.text for one in check(found.evidence()) if "other rates" in one.text]
    assert [text.partition("TCP segments ")[2] for text in texts] == [
        "at 2 other rates, the lowest of which is 200 requests/s, so the network may limit the "
        "curve or the capacity"
    ]


def test_a_full_link_names_its_host() -> None:
    run = over(network(sent_bits_per_s=0.85 * GBIT))(honest_services()).evidence()
    (full,) = [one for one in check(run) if one.severity == "warning"]
    assert "used 85% of the bandwidth of host2 (service)" in full.text
    assert full.effect == "longer"
