"""The network between the hosts of a service, its load generator and its database, as measured."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runfair.formats.record import FileName, Record

Count = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(ge=0)]


class Link(Record):
    """A direction between two places, measured before the load: the median round trip of a small
    message, and the bandwidth of one TCP connection from `sender` to `receiver`."""

    sender: FileName
    receiver: FileName
    round_trip_ns: Annotated[int, Field(gt=0)]
    bits_per_s: Annotated[float, Field(gt=0)]


class Traffic(Record):
    """The traffic of a place's host during the load at the operating point, loopback excluded.

    The rates are those of the busiest interval between two readings. Segments are those of TCP, of
    all connections of the host. `duplicate_segments` are the repeated segments that the receiver
    had already: the network lost none of them (RFC 2883).
    """

    place: FileName
    sent_bits_per_s: Rate
    received_bits_per_s: Rate
    sent_segments: Count
    repeated_segments: Count
    duplicate_segments: Count = 0

    @property
    def lost_share(self) -> float:
        """The share of segments that were sent again and that the receiver did not have."""
        lost = max(0, self.repeated_segments - self.duplicate_segments)
        return lost / max(1, self.sent_segments)


class Network(Record):
    """The hosts of an execution by place, the links between them, and the traffic of each. In a run
    over the hosts of a partition, the places are the roles."""

    hosts: dict[FileName, str] = {}
    links: list[Link] = []
    traffic: list[Traffic] = []
