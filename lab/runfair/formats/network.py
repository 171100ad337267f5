"""The network between the hosts of a service, its load generator and its database, as measured."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from runfair.formats.record import FileName, Record

Count = Annotated[int, Field(ge=0)]


class Link(Record):
    """A direction between two places, measured before the load: the median round trip of a small
    message, and the bandwidth of one TCP connection from `sender` to `receiver`."""

    sender: FileName
    receiver: FileName
    round_trip_ns: Annotated[int, Field(gt=0)]
    bits_per_s: Annotated[float, Field(gt=0)]


class Traffic(Record):
    """What the network devices of a host (loopback excluded) carried during the load at the
    operating point. The rates are those of the busiest interval between two readings. Segments are
    those of TCP, of all connections of the host."""

    place: FileName
    host: str
    sent_bits_per_s: Annotated[float, Field(ge=0)]
    received_bits_per_s: Annotated[float, Field(ge=0)]
    sent_segments: Count
    repeated_segments: Count

    @property
    def repeated_share(self) -> float:
        return self.repeated_segments / max(1, self.sent_segments)


class Network(Record):
    """The links between the places of an execution, and the traffic of each host."""

    links: list[Link] = []
    traffic: list[Traffic] = []
