import itertools

import pytest

from runfair.statistics.agreement import Agreement, agreement
from runfair.statistics.steady_state import Classification


@pytest.mark.parametrize(
    ("classifications", "expected"),
    [
        (["flat", "flat"], "consistent"),
        (["no steady state"], "consistent"),
        (["flat", "warmup", "warmup"], "mixed"),
        (["warmup", "slowdown"], "inconsistent"),
        (["flat", "warmup", "no steady state"], "inconsistent"),
        (["too short", "too short"], "too short"),
        (["flat", "too short"], "too short"),
        (["flat", "too short", "slowdown"], "inconsistent"),
    ],
)
def test_agreement(classifications: list[Classification], expected: Agreement) -> None:
    for order in itertools.permutations(classifications):
        assert agreement(order) == expected


def test_no_executions_agree_on_nothing() -> None:
    with pytest.raises(ValueError, match="no executions"):
        agreement([])
