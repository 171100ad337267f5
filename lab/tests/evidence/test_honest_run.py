"""The honest run is honest, and made from its seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from evidence.honest_run import GCC, JAVA, cell_id, honest_run
from runfair.fairness.verdict import judge


@pytest.mark.parametrize("seed", range(1, 6))
def test_an_honest_run_has_no_finding_at_all(seed: int) -> None:
    verdict = judge(honest_run(seed).evidence())
    assert verdict.run == []
    assert len(verdict.cells) == 12
    found = [
        (cell.cell, figure, judged.findings)
        for cell in verdict.cells
        for figure, judged in cell.figures.items()
        if judged.state != "fair" or judged.findings
    ]
    assert found == []


def test_the_seed_decides() -> None:
    honest_run.cache_clear()
    first = honest_run(7)
    honest_run.cache_clear()
    again, other = honest_run(7), honest_run(8)
    assert first is not again
    assert first.plan == again.plan and first.executions == again.executions
    assert all(np.array_equal(first.series[key], again.series[key]) for key in first.series)
    assert first.plan.executions != other.plan.executions


def test_the_detector_looks_where_the_clock_allows() -> None:
    cells = {one.cell.id: one for one in honest_run().evidence().cells}
    assert {one.series for one in cells[cell_id(GCC)].completed} == {"cpu"}
    assert {one.series for one in cells[cell_id(JAVA)].completed} == {"cpu"}
    assert {one.series for one in cells[cell_id(GCC, mode="cold")].completed} == {None}
