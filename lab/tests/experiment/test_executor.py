"""Executions of programs by the real launcher, from what they are given to the record."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from experiment.plans import artefact, cell, host, plan
from runfair.experiment.executor import Executor, environment_of
from runfair.formats.execution import Execution
from runfair.formats.plan import PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.machine import native
from runfair.machine.launching import Launcher

# One iteration by the contract; as its runtime it tells the variables that it found.
PROGRAM = """
import json, os, sys, time
def said(event, **values): print(json.dumps({"event": event, **values}), flush=True)
asked = dict(zip(sys.argv[1::2], sys.argv[2::2]))
found = {name: os.environ.get(name, "none") for name in ("GOGC", "GODEBUG")}
said("start", contract=1, benchmark="sort", language="c++", tier="standard", seed=1,
     workload=asked["--workload"], size=asked["--size"], runtime="test", threads=1, processors=1,
     monotonic_ns=time.monotonic_ns(), realtime_ns=time.time_ns(), cpu_clock_resolution_ns=1,
     effective=found)
said("iteration", index=0, started_monotonic_ns=1, wall_ns=7, cpu_ns=5, digest="0" * 16)
said("end", iterations=1)
"""


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return Launcher(native.build_native(native.LAUNCHER))


def execute(launcher: Launcher, folder: Path, environment: dict[str, str]) -> Execution:
    built = artefact([sys.executable, "-c", PROGRAM])
    built = built.model_copy(update={"environment": environment})
    one = cell(mode="cold", artefact=built)
    whole = plan([one], [])
    run = RunFolder.create(folder / "results", whole, host())
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=0, position=0)
    return Executor(launcher, whole, run, host()).execute(planned, one, 1, None)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"GOGC": "400"}, {"GOGC": "400", "GODEBUG": "none"}),
        # An empty variable is as good as none, and overrides that of the surroundings.
        ({"GOGC": "", "GODEBUG": "gctrace=1"}, {"GOGC": "none", "GODEBUG": "gctrace=1"}),
    ],
)
def test_a_program_finds_its_variables_and_no_others(
    launcher: Launcher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    found: dict[str, str],
) -> None:
    monkeypatch.setenv("GOGC", "1")
    execution = execute(launcher, tmp_path, environment)
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert (execution.iterations, execution.digest) == (1, "0" * 16)
    assert execution.start is not None
    assert execution.start.effective == found


def test_an_artefacts_own_variable_is_stronger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/surroundings")
    built = artefact()
    assert environment_of(built)["PATH"] == "/surroundings"
    own = built.model_copy(update={"environment": {"PATH": "/own"}})
    assert environment_of(own)["PATH"] == "/own"
