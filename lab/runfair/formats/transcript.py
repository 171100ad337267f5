"""A program's output, parsed and checked against the contract."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from pydantic import ValidationError

from runfair.formats.distribution import BrokenSamples, Distribution, total
from runfair.formats.program import (
    CONTRACT,
    EVENT,
    End,
    Iteration,
    Operations,
    Ready,
    Start,
)

MAX_LINE_BYTES = 8 << 20
MAX_OTHER_BYTES = 1 << 20
MAX_ITERATIONS = 5_000_000
LONGEST_SHOWN = 60
NO_DISTRIBUTIONS: Mapping[str, Distribution] = MappingProxyType({})


class StopRule(Protocol):
    """Decides whether to end an execution. Times are nanoseconds since the execution's start."""

    def due(self, elapsed_ns: int, /) -> bool:
        """Whether the rule would look at the output now."""

    def __call__(self, transcript: Transcript, elapsed_ns: int, /) -> str | None:
        """The reason to end, judged by the output so far, or None to continue."""


class ContractBroken(Exception):
    """The program printed something that the contract forbids; the message is one line."""


class Transcript:
    """The output of an execution, parsed into events.

    The caller feeds it bytes as they arrive; they may end in the middle of a line. `wall_ns` and
    `cpu_ns` hold an entry for each iteration; `operations` holds the counts of each counted
    iteration. `iteration_lines` collects the lines of iterations verbatim, and `other_bytes`
    collects all other output. The recorder takes both, so no output is lost. `distributions` are
    those that the benchmark declares, by name. Each iteration must have samples of every
    distribution, and exactly one sample of a `single` distribution.
    """

    def __init__(self, distributions: Mapping[str, Distribution] = NO_DISTRIBUTIONS) -> None:
        self.distributions = distributions
        self.start: Start | None = None
        self.end: End | None = None
        self.ready: Ready | None = None
        self.operations: dict[str, int] | None = None
        self.digest: str | None = None
        self.wall_ns = array("q")
        self.cpu_ns = array("q")
        self.started_ns = array("q")
        self.samples: list[dict[str, list[int]]] = []
        self.iteration_lines = bytearray()
        self.other_bytes = bytearray()
        self._rest = bytearray()
        self._others = 0

    def feed(self, data: bytes) -> None:
        """Parse new output. Raises ContractBroken at the first forbidden line."""
        self._rest += data
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        broken: ContractBroken | None = None
        for line in lines:
            if broken is not None:
                self.other_bytes += line + b"\n"
                continue
            try:
                self._line(bytes(line))
            except ContractBroken as error:
                self.other_bytes += line + b"\n"
                broken = error
        if broken is None and len(self._rest) > MAX_LINE_BYTES:
            broken = ContractBroken(
                f"the program printed a line of more than {MAX_LINE_BYTES} bytes, but runfair "
                "reads only lines of up to this length"
            )
        if broken is not None:
            raise broken

    def finish(self) -> None:
        """End the output. Raises ContractBroken if something that the contract requires is
        missing."""
        if self._rest:
            line = bytes(self._rest)
            self.other_bytes += line
            self._rest.clear()
            raise ContractBroken(
                "the last line that the program printed does not end with a line feed: "
                f"{_shown(line)}"
            )
        if self.start is None:
            raise ContractBroken(
                "the program printed no `start` line, and no other line that the program contract "
                "(benchmarks/contract.md) describes"
            )
        if self.end is None:
            raise ContractBroken(
                "the program printed no `end` line, because it was interrupted or ended too early"
            )

    def take(self) -> tuple[bytes, bytes]:
        """The lines of iterations, and all other bytes, that arrived since the last call; both
        verbatim."""
        taken = bytes(self.iteration_lines), bytes(self.other_bytes)
        self.iteration_lines.clear()
        self.other_bytes.clear()
        return taken

    def abandon(self) -> None:
        """Stop parsing: the rest of an unfinished line counts as other output."""
        self.other_bytes += self._rest
        self._rest.clear()

    @property
    def iterations(self) -> int:
        return len(self.wall_ns)

    def _line(self, line: bytes) -> None:
        try:
            event = EVENT.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ContractBroken(
                f"line {_shown(line)} does not follow the contract: "
                f"{where + ': ' if where else ''}{first['msg']}"
            ) from None
        if isinstance(event, Iteration):
            self._iteration(event, line)
            return
        self._others += len(line)
        if self._others > MAX_OTHER_BYTES:
            raise ContractBroken(
                f"the program printed more than {MAX_OTHER_BYTES} bytes of text besides its "
                "`iteration` lines, but runfair reads at most this number of bytes"
            )
        self.other_bytes += line + b"\n"
        if isinstance(event, Start):
            if self.start is not None:
                raise ContractBroken(
                    "the program printed a second `start` line, but it must print only one"
                )
            if event.contract != CONTRACT:
                raise ContractBroken(
                    f"the program follows version {event.contract} of the program contract, but "
                    f"this version of runfair needs version {CONTRACT}; adapt the program to "
                    "benchmarks/contract.md"
                )
            self.start = event
            return
        if self.start is None:
            raise ContractBroken(f"the program printed `{event.event}` before `start`")
        if self.end is not None:
            raise ContractBroken(f"the program printed `{event.event}` after `end`")
        self._other(event)

    def _other(self, event: Operations | Ready | End) -> None:
        if isinstance(event, Operations):
            self._operations(event)
        elif isinstance(event, Ready):
            self.ready = event
        else:
            if event.iterations != self.iterations:
                raise ContractBroken(
                    f"the program's `end` line states {event.iterations} iterations, but the "
                    f"program printed {self.iterations} `iteration` lines"
                )
            self.end = event

    def _operations(self, event: Operations) -> None:
        """Check an iteration's counts. Every iteration must do the same work. An iteration with
        smaller counts reuses an earlier answer."""
        if self.operations is None:
            self.operations = event.counters
        elif self.operations != event.counters:
            raise ContractBroken(
                f"iteration {self.iterations - 1} counted {event.counters}, but an earlier "
                f"iteration counted {self.operations}; each iteration must do the same work"
            )

    def _iteration(self, event: Iteration, line: bytes) -> None:
        if self.start is None:
            raise ContractBroken("the program printed `iteration` before `start`")
        if self.end is not None:
            raise ContractBroken("the program printed `iteration` after `end`")
        if event.index != self.iterations:
            raise ContractBroken(
                f"the program printed iteration {event.index}, but iteration {self.iterations} was "
                "expected"
            )
        if self.iterations >= MAX_ITERATIONS:
            raise ContractBroken(
                f"the program printed more than {MAX_ITERATIONS} `iteration` lines, but runfair "
                "reads at most this number of lines"
            )
        if self.digest is None:
            self.digest = event.digest
        elif self.digest != event.digest:
            raise ContractBroken(
                f"iteration {event.index} gave the digest {event.digest}, but earlier iterations "
                f"gave the digest {self.digest}; all iterations must give the same digest"
            )
        self._samples(event)
        self.wall_ns.append(event.wall_ns)
        self.cpu_ns.append(event.cpu_ns)
        self.started_ns.append(event.started_monotonic_ns)
        if self.distributions:
            self.samples.append(event.samples)
        self.iteration_lines += line + b"\n"

    def _samples(self, event: Iteration) -> None:
        where = f"iteration {event.index}"
        for name, counted in event.samples.items():
            if name not in self.distributions:
                raise ContractBroken(
                    f"{where} contains samples of {name!r}, but the benchmark's benchmark.toml "
                    f"does not declare this distribution; add [distributions.{name}] to "
                    "benchmark.toml, or do not record the samples"
                )
            try:
                samples = total(counted)
            except BrokenSamples as error:
                raise ContractBroken(f"{where}, samples of {name}: {error}") from None
            if self.distributions[name].single and samples != 1:
                raise ContractBroken(
                    f"{where} has {samples} samples of {name}, but the benchmark's benchmark.toml "
                    "declares `single`, which means exactly one sample for each iteration"
                )
        if missing := self.distributions.keys() - event.samples.keys():
            raise ContractBroken(
                f"{where} has no samples of {', '.join(sorted(missing))}, although the "
                "benchmark's benchmark.toml declares them"
            )


def _shown(line: bytes) -> str:
    """A line for an error message: short, printable, quoted."""
    text = line[:LONGEST_SHOWN].decode("utf-8", "replace")
    return repr(text) + ("…" if len(line) > LONGEST_SHOWN else "")
