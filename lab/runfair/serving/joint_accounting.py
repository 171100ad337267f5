"""Several process trees accounted for as one: the instances of a service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runfair.serving.process_accounting import PeakMethod, TreeAccounting, TreeUsage

_WORST_FIRST: tuple[PeakMethod, ...] = ("sampled_rss", "sampled_pss", "resident", "cgroup")


@dataclass(frozen=True)
class JointAccounting:
    """At least one tree; read as a single one is."""

    trees: Sequence[TreeAccounting]

    def threads(self) -> list[int]:
        return [number for tree in self.trees for number in tree.threads()]

    def look(self, *, memory: bool = True) -> TreeUsage:
        """The sum. Trees are looked at one after another, and `monotonic_ns` is the last look's.
        Peaks are added up though they may have been at different times: an upper bound, where each
        is exact."""
        seen = [tree.look(memory=memory) for tree in self.trees]
        return seen[0] if len(seen) == 1 else _sum(seen)


def _sum(seen: Sequence[TreeUsage]) -> TreeUsage:
    methods = {one.peak_method for one in seen}
    return TreeUsage(
        monotonic_ns=seen[-1].monotonic_ns,
        cpu_ns=sum(one.cpu_ns for one in seen),
        user_ns=sum(one.user_ns for one in seen),
        system_ns=sum(one.system_ns for one in seen),
        voluntary_switches=sum(one.voluntary_switches for one in seen),
        involuntary_switches=sum(one.involuntary_switches for one in seen),
        run_queue_ns=_known(one.run_queue_ns for one in seen),
        read_bytes=_known(one.read_bytes for one in seen),
        written_bytes=_known(one.written_bytes for one in seen),
        vanished_threads=sum(one.vanished_threads for one in seen),
        unseen_cpu_ns=sum(one.unseen_cpu_ns for one in seen),
        processes=sum(one.processes for one in seen),
        # The worst of the ways in which they were told.
        cpu_method="cgroup" if all(one.cpu_method == "cgroup" for one in seen) else "proc",
        peak_bytes=sum(one.peak_bytes for one in seen),
        peak_method=next(one for one in _WORST_FIRST if one in methods),
    )


def _known(values: Iterable[int | None]) -> int | None:
    """Their sum; None where one is not told."""
    told = list(values)
    return None if None in told else sum(value for value in told if value is not None)
