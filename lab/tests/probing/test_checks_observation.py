"""V8's checks are removed in one execution of a run, by a process that starts the program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from experiment.plans import cell
from probing.cpythons import on_x86_64
from probing.nodes import nodes
from runfair.formats.probe import read_probed
from runfair.machine.environment import clean_environment
from runfair.probing.observation import ProbeObservation, begin_observation

pytestmark = [on_x86_64, pytest.mark.skipif(not nodes(), reason="Node is not installed")]

# Iterations until the standard input ends, as a program of the contract runs `iterations=0`.
PROGRAM = """
const fs = require("node:fs");
function element(array, index) { return array[index]; }
function sum(array) {
  let total = 0;
  for (let index = 0; index < array.length; index += 1) total += element(array, index);
  return total;
}
const array = Array.from({ length: 100000 }, (_, index) => index % 7);
let ended = false;
process.stdin.on("end", () => { ended = true; }).resume();
let total = 0;
(function iterate() {
  const before = process.cpuUsage();
  total = sum(array);
  process.cpuUsage(before);
  if (ended) console.log("the sum", total, process.env.PYTHONPATH);
  else setImmediate(iterate);
})();
"""


def started(
    folder: Path, *functions: str
) -> tuple[ProbeObservation, subprocess.CompletedProcess[str]]:
    program = folder / "sum.cjs"
    program.write_text(PROGRAM)
    observation = begin_observation(cell(checks=[*functions]), 0, folder / "probe")
    done = subprocess.run(
        observation.command([nodes()[0], str(program)]),
        env=observation.entering(clean_environment()),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return observation, done


def test_the_costs_are_kept_and_the_program_runs_to_its_end(tmp_path: Path) -> None:
    observation, done = started(tmp_path, "sum", "element")
    assert (done.returncode, done.stdout) == (0, "the sum 299995 undefined\n"), done.stderr
    assert observation.keep(cell(), tmp_path / "kept" / "1.json") == ""
    assert not (tmp_path / "probe").exists()
    kept = read_probed(tmp_path / "kept" / "1.json")
    assert kept is not None
    assert kept.checks is not None
    assert (kept.processes, kept.checks.functions) == ([], ["sum", "element"])
    costs = {cost.removed: cost.checks for cost in kept.checks.costs}
    assert costs["bounds"] > 0
    assert costs["nothing"] == 0
    assert kept.checks.control.without_check == "12345"


def test_a_failure_is_the_last_line_of_the_error_output(tmp_path: Path) -> None:
    """`nothing.cjs` measures no iteration."""
    (tmp_path / "nothing.cjs").write_text("")
    observation = begin_observation(cell(checks=["sum"]), 0, tmp_path / "probe")
    done = subprocess.run(
        observation.command([nodes()[0], str(tmp_path / "nothing.cjs")]),
        env=observation.entering(clean_environment()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "ended with status 0 before it measured an iteration" in done.stderr.splitlines()[-1]
    assert observation.keep(cell(), tmp_path / "kept.json") != ""
