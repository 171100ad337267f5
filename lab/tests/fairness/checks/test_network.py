"""Services whose network was full, lossy or far, and services whose network was not noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evidence.honest_services import FASTIFY, honest_services, on_services, service_cell
from evidence.records import Records as Run
from fairness.stories import Story
from runfair.fairness.checks.network import check, used_share
from runfair.formats.network import Link, Network, Traffic

CELL = service_cell(FASTIFY)
GBIT = 1e9
MS = 1_000_000


def link(sender: str, receiver: str, **changes: Any) -> Link:
    values = {"round_trip_ns": MS // 10, "bits_per_s": GBIT, **changes}
    return Link(sender=sender, receiver=receiver, **values)


def network(**changes: Any) -> Network:
    """The service's traffic, with changes; it lies far below the links' limits."""
    values = {
        "sent_bits_per_s": GBIT / 10,
        "received_bits_per_s": GBIT / 20,
        "sent_segments": 100_000,
        "repeated_segments": 0,
        **changes,
    }
    ends = (("generator", "service"), ("service", "database"))
    links = [link(*pair) for one, other in ends for pair in ((one, other), (other, one))]
    return Network(links=links, traffic=[Traffic(place="service", host="host2", **values)])


def over(found: Network) -> Callable[[Run], Run]:
    return on_services(lambda run: run.with_database(FASTIFY).with_served(FASTIFY, network=found))


def far(round_trip_ns: int) -> Network:
    links = [link("service", "database", round_trip_ns=round_trip_ns)]
    return network().model_copy(update={"links": links})


STORIES = (
    Story("a link filled by answers", over(network(sent_bits_per_s=0.85 * GBIT)), "warning", CELL),
    Story(
        "a link filled by requests", over(network(received_bits_per_s=0.9 * GBIT)), "warning", CELL
    ),
    Story("a lossy link", over(network(repeated_segments=200)), "warning", CELL),
    Story("a distant database", over(far(100 * MS)), "warning", CELL),
    Story(
        "a link used to three quarters",
        over(network(sent_bits_per_s=0.75 * GBIT)),
        "limitation",
        CELL,
    ),
    Story("a single lost segment", over(network(repeated_segments=1)), "limitation", CELL),
    Story("a quiet network", over(network()), "limitation", CELL),
    Story("services on one host", on_services(lambda run: run), None),
)


@pytest.mark.parametrize(("sent", "received", "share"), [(0.5, 0.1, 0.5), (0.1, 0.9, 0.9)])
def test_the_fuller_direction_counts(sent: float, received: float, share: float) -> None:
    found = network(sent_bits_per_s=sent * GBIT, received_bits_per_s=received * GBIT)
    assert used_share(found, found.traffic[0]) == pytest.approx(share)


def test_a_host_without_a_measured_link_uses_nothing() -> None:
    found = network(sent_bits_per_s=GBIT).model_copy(update={"links": []})
    assert used_share(found, found.traffic[0]) == 0


def test_the_measured_round_trips_are_named_once_for_each_pair() -> None:
    run = honest_services().with_served(FASTIFY, network=network()).evidence()
    (noted,) = [one for one in check(run) if one.severity == "limitation"]
    assert noted.text.endswith(
        "0.1 ms between generator and service, 0.1 ms between database and service"
    )
