"""Latencies and instructions of single bytecodes in every CPython of this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probing.cpythons import MIXED, PROGRAMS, cpythons, on_x86_64, probed, version_of

pytestmark = on_x86_64


@pytest.mark.parametrize("python", cpythons())
def test_a_multiplication_of_large_numbers_takes_longest(python: str, tmp_path: Path) -> None:
    _, (process,) = probed([python, PROGRAMS / "hot.py"], tmp_path / "processes", "latency")
    means = {each.bytecode: each.sum / each.count for each in process.measured if each.count > 10}
    slowest = max(means, key=lambda name: means[name])
    assert re.match("BINARY_MULTIPLY|BINARY_OP", slowest)
    assert process.calibration is not None
    assert 0 < process.calibration.mean_ns < 0.1 * means[slowest]


@pytest.mark.parametrize("python", cpythons())
def test_instructions_of_a_simple_bytecode_hardly_vary(python: str, tmp_path: Path) -> None:
    """LOAD_CONST has a single path up to CPython 3.11. Since 3.12 an immortal constant (PEP 683)
    takes another path, which differs by an instruction or two. 3.14 has LOAD_SMALL_INT."""
    done, (process,) = probed([python, MIXED, "30"], tmp_path / "processes", "instructions")
    assert done.returncode == 0, done.stderr
    measured = {each.bytecode: each for each in process.measured}
    loads = measured.get("LOAD_SMALL_INT") or measured["LOAD_CONST"]
    assert loads.count > 10
    assert 3 < loads.sum / loads.count < 40
    variance = loads.sum_of_squares / loads.count - (loads.sum / loads.count) ** 2
    if version_of(process) in ("3.12", "3.13"):
        assert variance < 1
    else:
        assert variance == pytest.approx(0, abs=1e-6)
