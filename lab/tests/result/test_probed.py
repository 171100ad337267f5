"""The verdict of an execution under the probe."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from runfair.evidence.cell import CellEvidence
from runfair.formats.probe import ProbedExecution
from runfair.result.probed import probed_results


def evidence(probed: str | None, *timed: str | None) -> CellEvidence:
    """A cell whose probed execution and timed executions gave these digests."""
    watched = SimpleNamespace(
        record=SimpleNamespace(id="e1", digest=probed),
        probed=ProbedExecution(processes=[]),
        slow=None,
    )
    completed = [SimpleNamespace(record=SimpleNamespace(digest=digest)) for digest in timed]
    return cast(CellEvidence, SimpleNamespace(probed=(watched,), completed=completed))


@pytest.mark.parametrize(
    ("probed", "timed", "verdict"),
    [
        ("a", ["a", "a"], "fair"),
        ("b", ["a", "a"], "void"),
        (None, [None, None], "flagged"),
        ("a", [], "flagged"),
    ],
)
def test_the_same_answer_alone_is_fair(
    probed: str | None, timed: list[str | None], verdict: str
) -> None:
    (found,) = probed_results(evidence(probed, *timed))
    assert found.verdict == verdict
    assert bool(found.reason) == (verdict != "fair")
