"""Costs in cycles of the processor: from a counter of cycles, and from the duration of a cycle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, on_x86_64, probed
from probing.jvms import INTERPRETED, hotspots
from probing.nodes import nodes
from runfair.formats.probe import ProbedProcess
from runfair.machine.native import build
from runfair.probing.cost_table import cost_tables

pytestmark = on_x86_64

COUNTER = Path(__file__).with_name("cycle_counter")
LOOP = "for number in range(20_000_000): pass"


def cycles_times_executions(process: ProbedProcess) -> float:
    (table,) = cost_tables([process.model_copy(update={"calibration": None})])
    return sum(
        cost.cycles_each.value * cost.executions
        for cost in table.bytecodes
        if cost.cycles_each is not None
    )


def test_a_counter_of_cycles_triggers_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This counter counts a cycle for each nanosecond, as no processor of today does. So the cycles
    can come only from the counter, and not from the duration of a cycle."""
    monkeypatch.setenv("LD_PRELOAD", str(build("cycle-counter.so", COUNTER)))
    done, (process,) = probed([sys.executable, "-c", LOOP], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None and process.cycle is not None
    assert process.sampling.source == "processor cycles"
    assert process.cycle.mean_ns < 0.7
    assert cycles_times_executions(process) == pytest.approx(process.cpu_ns, rel=0.15)


def test_without_a_counter_the_clock_triggers_the_samples(tmp_path: Path) -> None:
    done, (process,) = probed([sys.executable, "-c", LOOP], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None and process.cycle is not None
    if process.sampling.period_cycles:
        pytest.skip("this machine has a counter of cycles")
    cycles = process.cpu_ns / process.cycle.mean_ns
    assert cycles_times_executions(process) == pytest.approx(cycles, rel=0.15)


@pytest.mark.parametrize(
    "command",
    [
        *([java, INTERPRETED, "-cp", "{classes}", "Hot"] for java in hotspots()[:1]),
        *([node, str(PROGRAMS / "hot.js"), "1000000"] for node in nodes()[:1]),
    ],
    ids=lambda command: Path(command[0]).name,
)
def test_every_adapter_measures_the_duration_of_a_cycle(
    command: list[str], classes: Path, tmp_path: Path
) -> None:
    words = [word.format(classes=classes) for word in command]
    done, (process,) = probed(words, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.cycle is not None
    assert 0.1 < process.cycle.mean_ns < 1.5  # 0.7 to 10 GHz
