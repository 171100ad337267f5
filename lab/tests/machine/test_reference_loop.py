"""Readings of the real reference loop, and of one that fails."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from runfair.errors import InvalidResult
from runfair.formats.host import KINDS, ReferenceKind
from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.machine.calibration import Reference, ReferenceLoop
from runfair.machine.interference import ProcessTimes
from runfair.machine.launching import Launcher
from runfair.machine.native import REFERENCE, build_native

LENGTH_NS = 5_000_000
SEED = 88172645463325252
WORD = 2**64 - 1
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("kind", KINDS)
def test_a_reading_says_what_was_done_and_when(
    launcher: Launcher, tmp_path: Path, kind: ReferenceKind
) -> None:
    processor = max(os.sched_getaffinity(0))
    loop = ReferenceLoop(Reference(launcher, build_native(REFERENCE), tmp_path))
    first, second = (loop.read(kind, processor, LENGTH_NS, "00001.1") for _ in range(2))
    assert (first.kind, first.processor, first.after) == (kind, processor, "00001.1")
    assert LENGTH_NS <= first.wall_ns <= first.process_ns <= first.took_ns
    assert first.cpu_ns > 0
    assert first.steps > 1000
    assert first.ended_monotonic_ns < second.started_monotonic_ns


def test_the_loop_computes_four_chains(launcher: Launcher, tmp_path: Path) -> None:
    """The result of one piece, the shortest reading, is that of the chains in Python."""
    reference = Reference(launcher, build_native(REFERENCE), tmp_path)
    text, _ = reference.run(["computing", "1"], [max(os.sched_getaffinity(0))])
    _, steps, _, _, result = map(int, text.split())
    chains = [(13, 7, 17), (12, 25, 27), (17, 7, 13), (23, 17, 26)]
    ends = [chain(SEED + number, steps, *shifts) for number, shifts in enumerate(chains)]
    assert steps > 10_000
    assert result == ends[0] ^ ends[1] ^ ends[2] ^ ends[3]


def chain(state: int, steps: int, left: int, right: int, last: int) -> int:
    for _ in range(steps):
        state ^= state << left & WORD
        state ^= state >> right
        state ^= state << last & WORD
    return state


def test_a_loop_that_fails_gives_no_reading(launcher: Launcher, tmp_path: Path) -> None:
    loop = ReferenceLoop(Reference(launcher, Path("/bin/false"), tmp_path))
    with pytest.raises(InvalidResult, match=r"reference loop, .* failed \("):
        loop.read("computing", max(os.sched_getaffinity(0)), LENGTH_NS, "00001.1")


class Printing(Reference):
    """Stands for a loop that prints something, on a machine that tells this of it."""

    text = ""

    def run(self, arguments: Sequence[str], processors: Sequence[int]) -> tuple[str, LaunchReport]:
        assert arguments == ["memory", str(LENGTH_NS)] or arguments[0] == "computing"
        ended = LaunchOutcome(state="exited", exit_status=0)
        return self.text, LaunchReport.placeholder(ended, processors)


def printing(text: str, tmp_path: Path) -> Printing:
    found = Printing(Launcher(tmp_path), tmp_path, tmp_path)
    object.__setattr__(found, "text", text)
    return found


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4 x", "1 0 3 4 5", "1 2 -3 4 5"])
def test_what_no_loop_prints_is_no_reading(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidResult, match=r"reference loop, .* printed"):
        ReferenceLoop(printing(text, tmp_path)).read("memory", 1, LENGTH_NS, "00001.1")


def test_who_was_busy_since_the_reading_before_is_named(tmp_path: Path) -> None:
    """A program that came later too; neither the lab nor one that hardly ran."""
    own = os.getpid()
    seen = iter(
        [
            {own: ProcessTimes("lab", 1, 0), 7: ProcessTimes("idle", 1, 0)},
            {
                own: ProcessTimes("lab", 1, 10**9),
                7: ProcessTimes("idle", 1, 0),
                8: ProcessTimes("burner", 1, 10**6 * TICKS_PER_S),
                9: ProcessTimes("program", own, 10**6 * TICKS_PER_S),
            },
            {own: ProcessTimes("lab", 1, 10**9), 8: ProcessTimes("burner", 1, 10**6 * TICKS_PER_S)},
        ]
    )
    loop = ReferenceLoop(printing("1 2 3 4 5", tmp_path), lambda: next(seen))
    first = loop.read("computing", 1, LENGTH_NS, "00001.1")
    assert [one.name for one in first.busy] == ["burner"]
    assert loop.read("computing", 1, LENGTH_NS, "00002.1").busy == []
