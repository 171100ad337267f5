"""A place in use. In a place, the lab starts programs, assigns processors, and reads the state of
processes. While an execution runs there, the lab knows the place's clock: as the experiment states
it, or measured before and after the execution by an exchange of stamps.
"""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK, Clock, DeclaredPlace, Location
from runfair.formats.plan import Plan
from runfair.machine.launching import Launcher
from runfair.machine.processors import Assignment, assign, pin_self, read_topology
from runfair.statistics.clock_offset import (
    Exchange,
    NoCommonOffset,
    Offset,
    aged,
    burst_offset,
    offset_over,
)


@dataclass(frozen=True)
class Place:
    """A place in which processes run. Its `launcher` starts programs there. The lab's own place is
    the machine itself, with the lab's clock and the kernel's files below `/`."""

    name: str
    declared: DeclaredPlace
    launcher: Launcher

    @classmethod
    def of(cls, plan: Plan, name: str, launcher: Launcher) -> Place:
        """The place that has this name in a plan. Programs are started there through the lab's own
        `launcher`."""
        declared = plan.places.get(name, DeclaredPlace())
        return cls(name, declared, launcher.behind(declared.launcher))

    @property
    def root(self) -> Path:
        return Path(self.declared.root)

    def address_from(self, other: str) -> str:
        """The address at which processes of another place reach a server in this place. The address
        is loopback only if both places are the same."""
        return LOOPBACK if other == self.name else self.declared.address

    def assign(self, wanted: int) -> Assignment:
        """Choose `wanted` processors of the place to measure on. Raises UserMistake if the place
        has too few processors."""
        machine = read_topology(self.root)
        if self.declared.processors:
            allowed = machine.allowed & frozenset(self.declared.processors)
            machine = replace(machine, allowed=allowed)
        return assign(wanted, machine)

    def keep_clear(self, processors: tuple[int, ...]) -> None:
        """Restrict the lab itself to `processors` if the lab runs on the same host."""
        if not self.declared.host:
            pin_self(processors)


EXCHANGES = 40
ANSWER_LIMIT_S = 30.0
END_LIMIT_S = 5.0
# A burst takes a few milliseconds. At this interval it hardly disturbs a load.
LOOK_S = 10.0
# The program in the place. It waits for a line, so it takes no time while an execution runs.
ANSWERS = """\
import sys, time
for _ in iter(sys.stdin.readline, ""):
    received_ns = time.monotonic_ns()
    sys.stdout.write(f"{received_ns} {time.monotonic_ns()}\\n")
    sys.stdout.flush()
"""


class Silent(Exception):
    """The program in the place gave no answer."""


class ClockUnmeasured(UserMistake):
    """The clock of a place that an experiment states cannot be measured."""

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(
            f"the clock of [places.{place.name}] cannot be measured ({reason}); in this table, "
            "correct the command `launcher`, or state offset_ns and uncertainty_ns of the clock"
        )
        self.host = place.declared.host
        self.reason = reason


@dataclass
class PlaceClock:
    """The clock of a place. `location` is what an execution records of it."""

    name: str
    declared: Clock | None
    bursts: list[Offset] = field(default_factory=list)
    last_ns: int = 0
    tried_ns: int = 0
    lost_ns: int | None = None
    process: subprocess.Popen[bytes] | None = None

    @property
    def location(self) -> Location:
        if self.declared is not None:
            return Location(name=self.name, clock=self.declared)
        found = offset_over(self.bursts)
        if self.lost_ns is not None:
            found = aged(found, self.lost_ns - self.last_ns)
        clock = Clock(offset_ns=found.value_ns, uncertainty_ns=found.error_ns)
        return Location(name=self.name, clock=clock)

    def add(self, burst: Offset) -> None:
        self.bursts.append(burst)
        self.last_ns = time.monotonic_ns()

    def look(self) -> None:
        """Measures the clock once more if the last try is `LOOK_S` old. A place that does not
        answer is not measured again, so the error grows with the time since the last
        measurement."""
        last_try_ns = max(self.last_ns, self.tried_ns)
        if self.process is None or time.monotonic_ns() - last_try_ns < LOOK_S * 1e9:
            return
        try:
            self.add(_burst(self.process))
        except (Silent, NoCommonOffset):
            self.tried_ns = time.monotonic_ns()


@contextmanager
def watched(place: Place) -> Iterator[PlaceClock]:
    """The clock of a place. A clock that is to be measured is compared with the lab's when the
    context is entered and when it is left. If the place does not answer at the end, the error
    includes what the clocks may have drifted since the last measurement.

    Raises ClockUnmeasured if the place does not answer at the beginning.
    """
    declared = place.declared.clock
    if declared != "measured":
        yield PlaceClock(place.name, declared)
        return
    clock = PlaceClock(place.name, None)
    with _answering(place.launcher.prefix) as process:
        try:
            clock.add(_burst(process))
        except (Silent, NoCommonOffset) as failed:
            raise ClockUnmeasured(place, str(failed)) from None
        clock.process = process
        try:
            yield clock
        finally:
            try:
                clock.add(_burst(process))
            except (Silent, NoCommonOffset):
                clock.lost_ns = time.monotonic_ns()


@contextmanager
def _answering(prefix: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The program that answers in the place. It ends with the context, and with the lab, because
    its standard input is closed then."""
    try:
        process = subprocess.Popen(
            [*prefix, sys.executable, "-I", "-c", ANSWERS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise UserMistake(f"{[*prefix, sys.executable][0]} cannot be started: {error}") from None
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets the program end by closing its standard input. If the launcher itself were killed, the
    program might live on in the place."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def _burst(process: subprocess.Popen[bytes]) -> Offset:
    _exchange(process)  # the first answer waits for the program to start
    return burst_offset([_exchange(process) for _ in range(EXCHANGES)])


def _exchange(process: subprocess.Popen[bytes]) -> Exchange:
    assert process.stdin is not None
    assert process.stdout is not None
    sent_ns = time.monotonic_ns()
    try:
        process.stdin.write(b"\n")
        process.stdin.flush()
    except (OSError, ValueError):  # ValueError: an earlier burst ended the program
        raise Silent(_complaint(process)) from None
    ready, _, _ = select.select([process.stdout], [], [], ANSWER_LIMIT_S)
    line = process.stdout.readline() if ready else b""
    returned_ns = time.monotonic_ns()
    try:
        received_ns, answered_ns = map(int, line.split())
    except ValueError:
        raise Silent(_complaint(process)) from None
    return Exchange(sent_ns, received_ns, answered_ns, returned_ns)


def _complaint(process: subprocess.Popen[bytes]) -> str:
    process.kill()
    _, errors = process.communicate()
    lines = errors.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no answer"
