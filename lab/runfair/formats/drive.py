"""Programs that are servers: what the load generator asks of one, again and again."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.record import Record

Protocol = Literal["http", "resp"]


class Drive(Record):
    """One pass over a server, in a closed loop: every connection sends its next request when the
    last answer is complete; the time until all are answered is an iteration.

    `http`: the requests of the `traffic` file in turn, `requests` in all, every body compared with
    its digest. `resp`: so many SETs of random `keys`, then so many GETs, every value compared.
    """

    protocol: Protocol
    connections: Annotated[int, Field(ge=1)]
    requests: Annotated[int, Field(ge=1)]
    keys: Annotated[int, Field(ge=1)] = 1
    value_bytes: Annotated[int, Field(ge=0)] = 64
    traffic: str = ""


class DrivenLoad(Record):
    """One load of a pass, as it went. `generator_share` is the part of its time, 0 to 1, in which
    the generator's busiest thread was running: near 1 it set the pace, not the server. `misses`
    are GETs of keys that nobody had set."""

    iteration: int
    name: str
    elapsed_ns: int
    requests: int
    misses: int
    generator_share: float

    @property
    def generator_ns(self) -> int:
        """CPU time of the generator's one thread."""
        return round(self.generator_share * self.elapsed_ns)
