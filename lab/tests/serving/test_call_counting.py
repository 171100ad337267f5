"""System calls of several trees, counted together and each by itself."""

from __future__ import annotations

import pytest

from runfair.machine.perf_counters import SystemCalls
from runfair.serving.call_counting import JointCallCounters


class FakeTree:
    """A tree with a number of reads, whose counting the kernel may refuse."""

    def __init__(self, reads: int, *, refused: bool = False) -> None:
        self.reads = reads
        self.refused = refused
        self.open = 0

    def count_calls(self) -> FakeTree:
        if self.refused:
            raise PermissionError("no leave")
        self.open += 1
        return self

    def read(self) -> SystemCalls:
        return SystemCalls(read=self.reads, write=1, wait=0, lock=0, other=0)

    def close(self) -> None:
        self.open -= 1


def test_calls_are_added_and_kept_for_each_tree() -> None:
    trees = [FakeTree(3), FakeTree(4)]
    counters = JointCallCounters(trees)
    assert [one.open for one in trees] == [1, 1]
    assert [one.read for one in counters.read_each()] == [3, 4]
    assert counters.read() == SystemCalls(read=7, write=2, wait=0, lock=0, other=0)
    counters.close()
    assert [one.open for one in trees] == [0, 0]


def test_one_that_is_refused_closes_the_others() -> None:
    first = FakeTree(3)
    with pytest.raises(PermissionError):
        JointCallCounters([first, FakeTree(4, refused=True)])
    assert first.open == 0
