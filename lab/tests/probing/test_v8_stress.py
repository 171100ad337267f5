"""The probe in every Node of this machine, while V8 moves objects and code often."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, on_x86_64, probed
from probing.nodes import INTERPRETED, known, nodes
from runfair.formats.probe import Mode
from runfair.probing.adapter import EVERY_MODE

pytestmark = [on_x86_64, pytest.mark.long]

# V8's other flags of this kind do nothing in a release build (--gc-interval), or the program alone
# does not end (--stress-concurrent-allocation).
COLLECTING = (
    "--stress-compaction",
    "--stress-scavenge=100",
    "--stress-incremental-marking",
    "--gc-global --stress-flush-code --flush-bytecode",
)
DEOPTIMISING = "--deopt-every-n-times=10"
# The other modes use the same code as one of these.
MODES: tuple[Mode, ...] = ("profile", "latency", "instructions")
FEW, MANY = 200, 600

every_node = pytest.mark.parametrize("node", nodes())


def collections(node: str, *options: str) -> Counter[str]:
    """How often V8 collects the garbage of the program with known loops, by the kind."""
    command = [node, "--trace-gc", *INTERPRETED, *options, str(PROGRAMS / "known.js"), str(MANY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Counter(re.findall(r" ms: (Scavenge|Mark)", done.stdout))


@every_node
@pytest.mark.parametrize("collecting", COLLECTING)
@pytest.mark.parametrize("mode", EVERY_MODE)
def test_counts_are_exact_while_objects_move(
    node: str, collecting: str, mode: Mode, tmp_path: Path
) -> None:
    assert collections(node, *collecting.split()) - collections(node)
    known(node, (*INTERPRETED, *collecting.split()), mode, (FEW, MANY), tmp_path)


@every_node
@pytest.mark.parametrize("mode", EVERY_MODE)
@pytest.mark.parametrize("options", [INTERPRETED, ()])
def test_a_program_under_stress_does_what_it_does_without(
    node: str, mode: Mode, options: tuple[str, ...], tmp_path: Path
) -> None:
    same_under_the_probe(node, options, mode, tmp_path)


@every_node
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [INTERPRETED, ()])
@pytest.mark.parametrize("stress", [*COLLECTING, DEOPTIMISING])
def test_a_program_whose_objects_move_does_what_it_does_without(
    node: str, mode: Mode, options: tuple[str, ...], stress: str, tmp_path: Path
) -> None:
    same_under_the_probe(node, (*options, *stress.split()), mode, tmp_path)


def same_under_the_probe(node: str, options: tuple[str, ...], mode: Mode, folder: Path) -> None:
    """Exceptions, generators, promises, garbage and workers that come and go."""
    command = [node, *options, str(PROGRAMS / "stress.js")]
    alone = subprocess.run(command, capture_output=True, text=True, check=True)
    done, (process,) = probed(command, folder / "processes", mode)
    assert (done.returncode, process.refused) == (0, ""), done.stderr
    assert (done.stdout, done.stderr) == (alone.stdout, alone.stderr)
