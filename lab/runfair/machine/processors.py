"""The processors of the machine, and their division between measured programs and the lab."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.host import Processor
from runfair.machine.kernel_files import (
    ROOT,
    format_processors,
    read_number,
    read_processors,
    read_text,
)

_SYSTEM = "sys/devices/system"

# The processors that the user allowed (by taskset or a container), read before the lab pins itself
# to a part of them.
_AFFINITY_AT_START = frozenset(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Topology:
    """The online processors of the machine. This process may use the processors `allowed`. If the
    machine has two kinds of cores, `slow` has the slower ones."""

    processors: tuple[Processor, ...]
    allowed: frozenset[int]
    slow: frozenset[int]

    @property
    def isolated(self) -> frozenset[int]:
        return frozenset(each.number for each in self.processors if each.isolated)

    def siblings(self, numbers: Collection[int]) -> frozenset[int]:
        """The other hardware threads of the cores to which the processors `numbers` belong."""
        found = {s for each in self.processors if each.number in numbers for s in each.siblings}
        return frozenset(found) - frozenset(numbers)


@dataclass(frozen=True)
class Assignment:
    """The processors of the lab and of the measured programs. `limitation` says which of them are
    shared."""

    measured: tuple[int, ...]
    lab: tuple[int, ...]
    limitation: str | None

    @property
    def generator(self) -> tuple[int, ...]:
        """The processor of the lab on which a service's load generator runs."""
        return self.lab[:1]

    @property
    def beside(self) -> tuple[int, ...]:
        """The lab's processors that the load generator does not use."""
        return tuple(beside_generator(self.lab))


def read_topology(root: Path = ROOT, affinity: Collection[int] | None = None) -> Topology:
    """The topology, read from the kernel's files below `root`. `affinity` is the set of processors
    that this process was given at its start."""
    given = _AFFINITY_AT_START if affinity is None else frozenset(affinity)
    online = read_processors(root, f"{_SYSTEM}/cpu/online") or given
    isolated = read_processors(root, f"{_SYSTEM}/cpu/isolated") or frozenset()
    nodes = _nodes(root)
    within = online & (_cpuset(root) or online)
    # Booting with isolcpus removes these processors from the default set, but a process may still
    # choose them. If the set is smaller than this default, the user chose it, and it is respected.
    allowed = within if given >= within - isolated else within & given
    return Topology(
        processors=tuple(_processor(root, n, online, isolated, nodes) for n in sorted(online)),
        allowed=allowed,
        slow=_slow(root, online),
    )


def plain_topology(count: int) -> Topology:
    """A machine of which only the number of processors is known. Each of them counts as a core of
    its own."""
    numbers = range(count)
    described = (
        Processor(
            number=number,
            core=None,
            socket=None,
            node=None,
            siblings=[],
            isolated=False,
            governor=None,
        )
        for number in numbers
    )
    return Topology(tuple(described), allowed=frozenset(numbers), slow=frozenset())


def assign(wanted: int, topology: Topology | None = None) -> Assignment:
    """The assignment of `wanted` processors to measured programs, and of the other processors to
    the lab.

    The first preference is one thread per core, because two threads of a core slow each other. The
    next preferences are fast cores, isolated processors (if a single processor is wanted), a common
    memory node, and high numbers (because interrupts and the kernel's own work prefer low numbers).
    Raises UserMistake if there are too few processors.
    """
    machine = read_topology() if topology is None else topology
    if wanted < 1:
        raise UserMistake(f"the number of processors cannot be {wanted}; ask for at least 1")
    if wanted > len(machine.allowed):
        raise UserMistake(
            f"the run needs {wanted} processors, but runfair may use only {len(machine.allowed)} "
            f"({format_processors(machine.allowed)}); measure with fewer processors, or allow "
            "runfair to use more"
        )
    measured = frozenset(_preferred(wanted, machine)[:wanted])
    lab, shared = _lab_processors(machine, measured)
    sentences = [shared, _uneven(machine, measured), _unbalanced(machine, measured)]
    limitation = "; ".join(each for each in sentences if each) or None
    return Assignment(tuple(sorted(measured)), tuple(sorted(lab)), limitation)


def beside_generator(lab: Sequence[int]) -> Sequence[int]:
    """The lab's processors for databases, relays and the lab itself. The load generator uses the
    lab's first processor. If the lab has a single processor, all of them share it."""
    return lab[1:] or lab


def pin_self(processors: Iterable[int]) -> None:
    """Restrict this process, with all its present threads, to `processors`."""
    wanted = frozenset(processors)
    for task in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # the thread has ended in the meantime
            os.sched_setaffinity(int(task.name), wanted)


def _preferred(wanted: int, machine: Topology) -> Sequence[int]:
    cores: dict[tuple[int, ...], list[Processor]] = {}
    for each in machine.processors:
        if each.number in machine.allowed:
            cores.setdefault(tuple(sorted({*each.siblings, each.number})), []).append(each)
    thread_rank = {
        thread.number: rank
        for threads in cores.values()
        for rank, thread in enumerate(sorted(threads, key=lambda t: -t.number))
    }

    # The scheduler does not move threads between processors that were isolated at boot (kernel
    # parameters, isolcpus=domain), so all threads of a program would stay on the first of them.
    # Isolated processors are therefore used if a single processor is wanted. For several, they are
    # used only if there are no others.
    def isolation_rank(each: Processor) -> bool:
        return not each.isolated if wanted == 1 else each.isolated

    def good_cores(node: int | None) -> int:
        return sum(
            thread_rank[each.number] == 0
            and each.node == node
            and not isolation_rank(each)
            and each.number not in machine.slow
            for threads in cores.values()
            for each in threads
        )

    candidates = [each for threads in cores.values() for each in threads]
    candidates.sort(
        key=lambda each: (
            thread_rank[each.number],
            each.number in machine.slow,
            isolation_rank(each),
            # The node is the last node that has enough processors, because the first node serves
            # devices.
            -min(good_cores(each.node), wanted),
            -(each.node or 0),
            -each.number,
        )
    )
    return [each.number for each in candidates]


def _lab_processors(
    machine: Topology, measured: frozenset[int]
) -> tuple[frozenset[int], str | None]:
    others = machine.allowed - measured
    ordinary = others - machine.isolated
    apart = ordinary - machine.siblings(measured)
    if apart:
        return apart, None
    names = format_processors(measured)
    if ordinary or others:
        sharing = (ordinary or others) & machine.siblings(measured)
        if sharing:
            return (
                ordinary or others,
                "runfair itself shares cores with the measured programs (processors "
                f"{names}), so it may disturb them",
            )
        return others, None
    return (
        measured,
        "no processor is left for runfair itself, so it runs on the measured processors "
        f"{names} and may disturb the programs",
    )


def _uneven(machine: Topology, measured: frozenset[int]) -> str | None:
    slow = measured & machine.slow
    if slow and slow != measured:
        return (
            f"the measured processors differ in speed: {format_processors(slow)} are slower "
            "than the others, so a thread takes longer on them"
        )
    return None


def _unbalanced(machine: Topology, measured: frozenset[int]) -> str | None:
    isolated = measured & machine.isolated
    if len(measured) > 1 and isolated:
        return (
            "the kernel does not move threads between isolated processors "
            f"({format_processors(isolated)}), so two threads may share one of these "
            "processors although another is idle"
        )
    return None


def _processor(
    root: Path,
    number: int,
    online: frozenset[int],
    isolated: frozenset[int],
    nodes: dict[int, int],
) -> Processor:
    folder = f"{_SYSTEM}/cpu/cpu{number}"
    siblings = read_processors(root, f"{folder}/topology/thread_siblings_list") or frozenset()
    return Processor(
        number=number,
        core=read_number(root, f"{folder}/topology/core_id"),
        socket=read_number(root, f"{folder}/topology/physical_package_id"),
        node=nodes.get(number),
        siblings=sorted((siblings & online) - {number}),
        isolated=number in isolated,
        governor=read_text(root, f"{folder}/cpufreq/scaling_governor"),
    )


def _nodes(root: Path) -> dict[int, int]:
    """The memory node of each processor, if the kernel reports nodes."""
    found: dict[int, int] = {}
    for folder in sorted((root / _SYSTEM / "node").glob("node[0-9]*")):
        numbers = read_processors(root, str(folder.relative_to(root) / "cpulist")) or frozenset()
        found.update(dict.fromkeys(numbers, int(folder.name.removeprefix("node"))))
    return found


def _slow(root: Path, online: frozenset[int]) -> frozenset[int]:
    """The slower cores of the machine. Hybrid x86 processors list them; on Arm they report a
    smaller capacity."""
    atoms = read_processors(root, "sys/devices/cpu_atom/cpus")
    if atoms:
        return atoms & online
    capacities = {n: read_number(root, f"{_SYSTEM}/cpu/cpu{n}/cpu_capacity") for n in online}
    known = [value for value in capacities.values() if value is not None]
    if not known:
        return frozenset()
    return frozenset(n for n, value in capacities.items() if (value or max(known)) < max(known))


def _cpuset(root: Path) -> frozenset[int] | None:
    """The processors that this process's cgroup may use; None if the group has no such
    limit."""
    for line in (read_text(root, "proc/self/cgroup") or "").splitlines():
        match = re.fullmatch(r"\d+:([^:]*):(.*)", line)
        if match is None:
            continue
        controllers, path = match[1].split(","), match[2].strip("/")
        if controllers == [""]:
            names = (f"{path}/cpuset.cpus.effective", "cpuset.cpus.effective")
            folders: tuple[str, ...] = ("sys/fs/cgroup", "sys/fs/cgroup/unified")
        elif "cpuset" in controllers:
            # In a container the path is the path on the host, and the mounted folder already is the
            # folder at its end.
            names = (f"{path}/cpuset.effective_cpus", "cpuset.effective_cpus")
            folders = ("sys/fs/cgroup/cpuset",)
        else:
            continue
        for folder in folders:
            for name in names:
                numbers = read_processors(root, f"{folder}/{name}")
                if numbers:
                    return numbers
    return None
