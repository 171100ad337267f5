"""A place as the lab uses it: programs are started there, processors assigned, processes read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from runfair.formats.place import LOOPBACK, DeclaredPlace, Location
from runfair.formats.plan import Plan
from runfair.machine.launching import Launcher
from runfair.machine.processors import Assignment, assign, pin_self, read_topology


@dataclass(frozen=True)
class Place:
    """`launcher` starts programs in it. The lab's own place is the machine itself: its clock is the
    lab's, and the kernel's files are below `/`."""

    name: str
    declared: DeclaredPlace
    launcher: Launcher

    @classmethod
    def of(cls, plan: Plan, name: str, launcher: Launcher) -> Place:
        """The place of this name in a plan, reached by the lab's own `launcher`."""
        declared = plan.places.get(name, DeclaredPlace())
        return cls(name, declared, launcher.behind(declared.launcher))

    @property
    def location(self) -> Location:
        """What the record of a process says of where it ran."""
        return Location(name=self.name, clock=self.declared.clock)

    @property
    def root(self) -> Path:
        return Path(self.declared.root)

    def address_from(self, other: str) -> str:
        """Where processes of another place reach a server in this one: over loopback only where
        the two are one."""
        return LOOPBACK if other == self.name else self.declared.address

    def assign(self, wanted: int) -> Assignment:
        """`wanted` of the place's processors to measure on. UserMistake when there are too few."""
        machine = read_topology(self.root)
        if self.declared.processors:
            allowed = machine.allowed & frozenset(self.declared.processors)
            machine = replace(machine, allowed=allowed)
        return assign(wanted, machine)

    def keep_clear(self, processors: tuple[int, ...]) -> None:
        """Keeps the lab on `processors`, if it runs on the same host."""
        if not self.declared.host:
            pin_self(processors)
