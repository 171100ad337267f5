import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.statistics.multiplicity import holm

p_lists = st.lists(st.floats(0, 1), max_size=15)


def test_a_hand_computed_example() -> None:
    # Ascending 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, and 0.04 raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_comparison_without_statement_does_not_count() -> None:
    assert holm([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]
    assert holm([]) == []
    assert holm([None]) == [None]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(ValueError, match="p values"):
        holm([0.5, p])


@given(p_lists, st.floats(0.001, 0.5))
def test_states_what_the_step_down_procedure_states(p_values: list[float], level: float) -> None:
    """Holm 1979 as written: step down while p is at most level / (hypotheses left)."""
    order = np.argsort(p_values, kind="stable")
    stated = set()
    for rank, place in enumerate(order):
        if p_values[place] * (len(p_values) - rank) > level:
            break
        stated.add(int(place))
    adjusted = holm(p_values)
    assert {i for i, p in enumerate(adjusted) if p is not None and p <= level} == stated


@given(p_lists)
def test_lies_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert adjusted is not None
        assert p <= adjusted <= min(1.0, p * len(p_values))


def test_false_statements_of_a_table_stay_at_the_level() -> None:
    rng = np.random.default_rng(61)
    tables = rng.random((4_000, 12))
    any_stated = [min(p for p in holm(list(row)) if p is not None) <= 0.05 for row in tables]
    assert 0.035 <= np.mean(any_stated) <= 0.065
    assert np.mean(tables.min(axis=1) <= 0.05) > 0.4
