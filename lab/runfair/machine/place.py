"""A place in use. In a place, the lab starts programs, assigns processors, and reads the state of
processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from runfair.formats.place import LOOPBACK, DeclaredPlace
from runfair.formats.plan import Plan
from runfair.machine.launching import Launcher
from runfair.machine.processors import Assignment, assign, pin_self, read_topology


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
