"""Two hogs come in the middle of a run, one for the processor and one for the memory: the answers
stay as they are, and the report names both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from laboratory import Lab, default_of, wait_until
from runfair.formats.finding import Finding
from runfair.formats.host import ReferenceReading
from runfair.formats.run_folder import RunFolder
from runfair.report.assessment import assess

pytestmark = [pytest.mark.long, pytest.mark.alone]

PER_BLOCK = 6
LONGEST_S = 120
MEMORY_BYTES = 64 << 20
# So many programs, busier than the hogs, keep them from being named: a finding names three.
MOST_BUSIER = 1
HOGS = {
    "cpu-hog": "while time.monotonic() < end: sum(range(10_000))",
    "memory-hog": f"data = bytes({MEMORY_BYTES})\nwhile time.monotonic() < end: bytearray(data)",
}

Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]


def experiment(lab: Lab) -> str:
    languages = ("c++", "javascript", "python")
    variants = json.dumps([default_of(one) for one in languages])
    return lab.experiment(
        f"""
about = "three languages that are far apart"

[[measure]]
benchmarks = ["sort"]
workloads = ["classic"]
sizes = ["tiny"]
variants = {variants}
modes = ["steady"]

[profiles.quick]
executions = 6
max_seconds = 1
"""
    )


def hog(folder: Path, name: str, processor: int) -> subprocess.Popen[str]:
    """A busy program of this name on a processor, which ends by itself in the end."""
    program = folder / name
    program.write_text(
        f"#!{sys.executable}\nimport os, time\nos.sched_setaffinity(0, [{processor}])\n"
        f"end = time.monotonic() + {LONGEST_S}\n{HOGS[name]}\n"
    )
    program.chmod(0o755)
    return subprocess.Popen([program], text=True)


def recorded(lab: Lab) -> int:
    files = list(lab.results.glob("*/executions.jsonl"))
    return sum(len(file.read_text().splitlines()) for file in files)


def answers(folder: RunFolder) -> list[tuple[str, str]]:
    questions = assess(folder).conclusion.questions
    return [(one.state, one.sentences[0]) for one in questions]


def busier(readings: list[ReferenceReading]) -> set[str]:
    """Programs of others, as busy as a hog that shares its processor."""
    return {
        each.name
        for reading in readings
        for each in reading.busy
        if each.name not in HOGS and each.share > 0.25
    }


def disturbances(folder: RunFolder) -> list[Finding]:
    return [
        finding
        for cell in assess(folder).result.cells
        for figure in cell.figures.values()
        for finding in figure.findings
        if finding.check == "disturbed_blocks"
    ]


def test_hogs_in_the_middle_change_no_answer_and_are_named(lab: Lab, background: Keep) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("the reference loop, which sees the hogs, needs a processor beside the lab's")
    written = experiment(lab)
    lab.measured("run", written, "--profile", "quick")
    quiet = RunFolder.find("latest", lab.results)
    before = recorded(lab)

    run = background(lab.start("run", written, "--profile", "quick"))
    wait_until(lambda: recorded(lab) >= before + PER_BLOCK)
    measured = RunFolder.find("latest", lab.results)
    (processor,) = measured.executions()[0].processors
    hogs = [background(hog(lab.scratch, name, processor)) for name in HOGS]
    wait_until(lambda: recorded(lab) >= before + 2 * PER_BLOCK or run.poll() is not None)
    for each in hogs:
        each.terminate()
    _, said = run.communicate()
    lab.require_agreement(run.returncode, said)

    assert answers(measured) == answers(quiet)
    assert all(state == "answered" for state, _ in answers(measured))
    readings = measured.readings()
    assert {each.name for one in readings for each in one.busy} >= set(HOGS)
    if len(others := busier(readings)) > MOST_BUSIER:
        pytest.skip(f"too many others were busy to name the hogs: {', '.join(sorted(others))}")
    texts = [one.text for one in disturbances(measured)]
    assert [text for text in texts if all(name in text for name in HOGS)], texts
