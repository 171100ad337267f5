"""The place of a process: where it runs, as which user, and how far its clock is ahead of the lab's
clock. The network between such places, as measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from runfair.formats.record import FileName, Record, Row, row

LOCAL = "local"
LOOPBACK = "127.0.0.1"


@row
class Clock(Row):
    """The CLOCK_MONOTONIC of a place. The clock is ahead of the lab's clock by `offset_ns` ±
    `uncertainty_ns` nanoseconds."""

    offset_ns: int = 0
    uncertainty_ns: Annotated[int, Field(ge=0)] = 0

    def to_lab(self, instant_ns: int) -> int:
        """The instant of this clock, converted to the lab's clock."""
        return instant_ns - self.offset_ns

    def from_lab(self, instant_ns: int) -> int:
        """The instant of the lab's clock, converted to this clock."""
        return instant_ns + self.offset_ns


@row
class Location(Row):
    """The location of a recorded process: the name of its place, and the offset of the place's
    clock at that time. In a run over the hosts of a partition, the name is the process's role. An
    old record without a place is treated as recorded in the lab's own place."""

    name: FileName = LOCAL
    clock: Clock = Clock()

    def uncertainty_to(self, other: Location) -> int:
        """The uncertainty, in nanoseconds, of the difference between an instant on this clock and
        an instant on the other clock. The uncertainty is 0 if both clocks belong to the same place.
        """
        if self.name == other.name:
            return 0
        return self.clock.uncertainty_ns + other.clock.uncertainty_ns


HERE = Location()


class DeclaredPlace(Record):
    """A host, or a part of one, in which processes are started: `[places.NAME]` of an experiment.

    - `host`: its name, empty for the lab's own host; - `launcher`: the command words that start a
      command there (`nsenter`, `ssh`, `srun`); - `address`: the address at which other places reach
      servers there; - `processors`: the processors that programs may use there, empty if they may
      use all that the lab may use; - `root`: the folder that contains the place's `proc` and `sys`;
      - `clock`: the offset of the place's clock from the lab's clock, or `measured`.
    """

    host: str = ""
    launcher: list[str] = []
    address: str = LOOPBACK
    processors: list[Annotated[int, Field(ge=0)]] = []
    root: str = "/"
    clock: Clock | Literal["measured"] = Clock()


# The greatest number means "no change" in setresuid(2).
Number = Annotated[int, Field(ge=0, lt=2**32 - 1)]


class User(Record):
    """A user and a group, by number. A program started as this user has no other groups."""

    uid: Number
    gid: Number

    def own(self, *paths: Path) -> None:
        """Make this user the owner of files and folders, so that a program run as the user can
        write there."""
        for path in paths:
            os.chown(path, self.uid, self.gid)


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


class JointBandwidth(Record):
    """The bandwidth of a place's host with several hosts at the same time: one TCP connection to
    each of the hosts of one role, measured before the load, first sending and then receiving."""

    place: FileName
    sent_bits_per_s: Annotated[float, Field(gt=0)]
    received_bits_per_s: Annotated[float, Field(gt=0)]


def _listed(joint: object) -> object:
    """Old records have the bandwidth of a single host, or none."""
    return joint if isinstance(joint, list) else [] if joint is None else [joint]


class Network(Record):
    """The hosts of an execution by place, the links between them, and the traffic of each. In a run
    over the hosts of a partition, the places are the roles. `joint` has the bandwidth of each host
    that exchanges data with several hosts of one role: with several load generators, or with
    several hosts of the service. `offloads` has the work that the network device of each host took
    over before the load, by the names of ethtool(8); a host is left out if its device does not
    tell."""

    hosts: dict[FileName, str] = {}
    offloads: dict[FileName, list[str]] = {}
    links: list[Link] = []
    joint: Annotated[list[JointBandwidth], BeforeValidator(_listed)] = []
    traffic: list[Traffic] = []
