"""`[[peak]]`: the part of an experiment that measures the most requests that services answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from runfair.catalogue.amount import Amount, Length
from runfair.formats.plan import ProfileName
from runfair.formats.record import Record

# Keys of a [[serve]] that describe an open loop. A closed loop has no rate, and its latencies leave
# out the requests that a stalled server was never sent (coordinated omission).
_OF_OPEN_LOOPS = {
    **dict.fromkeys(
        ("objective", "require"),
        "a [[peak]] measures a closed loop, which gives no valid percentiles; write this key in a "
        "[[serve]] table",
    ),
    **dict.fromkeys(
        ("rate", "curve", "capacity", "arrivals", "pacing"),
        "a [[peak]] measures a closed loop, in which the answers set the rate; write this key in a "
        "[[serve]] table",
    ),
    "round_trip": "a relay (proxy) before the database would add the round trip, but a [[peak]] "
    "has no relay; write `round_trip` in a [[serve]] table",
}
_Number = Annotated[int, Field(ge=1)]


class PeakText(Record):
    """One `[[peak]]`: services in a closed loop. `services` are frameworks of `benchmark` (`all`:
    every framework), or names of `[services.NAME]`. The requests are those of the benchmark, or
    those of the file `traffic`. Each number of `connections` becomes a cell; the peak is the
    highest rate of these cells. `pipeline` is the number of requests that a connection may have
    under way."""

    benchmark: str = ""
    traffic: str = ""
    workload: str = "default"
    size: str = ""
    services: Annotated[list[str], Field(min_length=1)]
    variants: list[str] = []
    connections: Annotated[list[_Number], Field(min_length=1)]
    pipeline: _Number = 1
    threads: Annotated[list[_Number], Field(min_length=1)] = [1]
    processors: list[_Number] = []
    heap: list[Amount] = []
    memory_limit: list[Amount] = []
    timeout: Length = "10 s"
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    profiles: list[ProfileName] = []

    @model_validator(mode="before")
    @classmethod
    def _closed(cls, content: Any) -> Any:
        for key in content if isinstance(content, dict) else ():
            if key in _OF_OPEN_LOOPS:
                raise ValueError(f"{key}: {_OF_OPEN_LOOPS[key]}")
        return content

    @model_validator(mode="after")
    def _requests(self) -> PeakText:
        if bool(self.benchmark) == bool(self.traffic):
            raise ValueError(
                "state the requests either by a `benchmark`, or by `traffic`, a file of requests "
                "(`./runfair traffic CAPTURE --to FILE` makes such a file)"
            )
        for key in sorted(self.model_fields_set & {"workload", "variants"}):
            if self.traffic:
                raise ValueError(
                    f"`{key}` applies only to a `benchmark`, but this table names `traffic`; "
                    f"leave `{key}` out"
                )
        return self

    @model_validator(mode="after")
    def _each_once(self) -> PeakText:
        if len(set(self.connections)) < len(self.connections):
            raise ValueError("connections: state each number of connections only once")
        return self
