"""A judgement of a large run does not need much memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from fairness.fleet_run import written
from runfair.evidence.reading import evidence_of
from runfair.fairness.verdict import judge
from runfair.formats.run_folder import RunFolder
from runfair.report.markdown import markdown
from runfair.result.run import assemble

FEW, MANY = 720, 2160
MOST_BYTES = 2**30 / 100_000  # 1 GiB for 100,000 executions


def peak_bytes(folder: RunFolder) -> int:
    tracemalloc.start()
    try:
        evidence = evidence_of(folder)
        result = assemble("run", evidence, judge(evidence))
        assert markdown(result)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
def test_an_execution_takes_few_kilobytes(tmp_path: Path) -> None:
    """Two runs on the same hosts differ in their executions alone. The limit also has room for the
    interpreter and its modules, which the run's size does not change."""
    few, many = (written(count, tmp_path / str(count)) for count in (FEW, MANY))
    peak_bytes(few)  # what is made once
    grown = peak_bytes(many) - peak_bytes(few)
    assert grown / (MANY - FEW) < 0.85 * MOST_BYTES
