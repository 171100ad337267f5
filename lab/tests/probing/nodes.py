"""The Nodes of this machine, and a program with known loops run in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, executions, probed
from probing.jvms import first_quickly
from runfair.catalogue.runtime import variants
from runfair.formats.probe import Mode, ProbedProcess
from runfair.formats.variant import at_least

INTERPRETED = ("--no-opt", "--no-sparkplug", "--no-maglev")
OPERATIONS = 1_000  # of each kind, for one of `times`, in each of the program's three threads


def nodes() -> list[str]:
    """One executable of each supported version, the default first."""
    found = [
        variant
        for variant in variants()
        if variant.family == "node"
        and variant.state == "ready"
        and variant.executable
        and at_least(variant.version, "20")
    ]
    found.sort(key=lambda variant: not variant.default)
    return list(dict.fromkeys(str(variant.executable) for variant in found))


every_node = pytest.mark.parametrize("node", first_quickly(nodes()))


def known(
    node: str, options: Sequence[str], mode: Mode, times: tuple[int, int], folder: Path
) -> ProbedProcess:
    """The process of the program, whose counts are asserted: those that more `times` add."""
    counts = []
    for number in times:
        command = [node, *options, str(PROGRAMS / "known.js"), str(number)]
        done, (process,) = probed(command, folder / str(number), mode)
        assert (done.returncode, process.refused) == (0, ""), done.stderr
        assert done.stdout.endswith("no options\n")
        counts.append(Counter(executions(process)))
    few, many = counts
    added = 3 * (times[1] - times[0])
    assert many["BitwiseXor"] - few["BitwiseXor"] == added * OPERATIONS
    # V8's own JavaScript reads elements too, a few times more or less from run to run.
    assert abs(many["GetKeyedProperty"] - few["GetKeyedProperty"] - added * OPERATIONS) < 100
    assert abs(many["JumpLoop"] - few["JumpLoop"] - added * (OPERATIONS + 1)) < 100
    assert not process.compiles
    return process
