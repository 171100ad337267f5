"""The least heap is found whatever it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runfair.experiment.program_planning import MIB, PRECISION, ladder, smallest_heap_bytes


@given(st.integers(min_value=1, max_value=60 << 30))
def test_it_is_within_a_tenth_or_a_mebibyte(truth: int) -> None:
    asked: list[int] = []

    def works(heap_bytes: int) -> bool:
        asked.append(heap_bytes)
        return heap_bytes >= truth

    found = smallest_heap_bytes(works)
    assert found is not None
    assert found % MIB == 0
    assert truth <= found <= max(truth * PRECISION + MIB, truth + 2 * MIB)
    assert len(asked) == len(set(asked)) <= 24


def test_none_is_enough() -> None:
    assert smallest_heap_bytes(lambda _: False) is None


def test_the_ladder_rises_from_the_smallest() -> None:
    assert ladder(8 * MIB) == [n * MIB for n in (8, 10, 12, 16, 24, 32, 48, 64)]
    assert ladder(MIB) == [n * MIB for n in (1, 2, 3, 4, 6, 8)]
