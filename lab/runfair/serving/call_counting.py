"""The counting of system calls of process trees that are read together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Protocol

from runfair.machine.perf_counters import SystemCalls


class CallCounters(Protocol):
    """Running counters of a process tree's system calls, on this host or on another."""

    def read(self) -> SystemCalls: ...

    def close(self) -> None: ...


class Countable(Protocol):
    """A process tree whose system calls can be counted."""

    def count_calls(self) -> CallCounters: ...


class JointCallCounters:
    """Running counters of several trees. Raises OSError if those of one cannot be opened."""

    def __init__(self, trees: Sequence[Countable]) -> None:
        self._counters: list[CallCounters] = []
        with ExitStack() as stack:
            for tree in trees:
                counters = tree.count_calls()
                stack.callback(counters.close)
                self._counters.append(counters)
            self._stack = stack.pop_all()

    def read_each(self) -> list[SystemCalls]:
        """The system calls of each tree."""
        return [one.read() for one in self._counters]

    def read(self) -> SystemCalls:
        """The system calls of all trees together."""
        each = [asdict(one) for one in self.read_each()]
        return SystemCalls(**{kind: sum(one[kind] for one in each) for kind in each[0]})

    def close(self) -> None:
        self._stack.close()
