"""A program whose loop has a known number of iterations, run under the probe."""

from __future__ import annotations

from pathlib import Path

from probing.cpythons import executions, probed
from runfair.formats.probe import Mode, ProbedProcess

KNOWN = """
import {modules}
def loop(times):
    total = 0
    for number in range(times):
        total += number
    return total
for _ in range(50):
    loop(100)
{work}
"""


def loops(
    python: str, folder: Path, modules: str, work: str, mode: Mode = "mark"
) -> list[ProbedProcess]:
    """The processes of a program that imports `modules`, warms the loop up and does `work`."""
    program = folder / "program.py"
    program.write_text(KNOWN.format(modules=modules, work=work))
    done, processes = probed([python, program], folder / "processes", mode)
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(process.refused for process in processes)
    return processes


def loop_name(process: ProbedProcess) -> str:
    """The bytecode that begins each iteration of the loop."""
    return "FOR_ITER_RANGE" if "FOR_ITER_RANGE" in executions(process) else "FOR_ITER"
