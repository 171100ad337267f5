"""A program by hand: its command, and what becomes of what it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from experiment.plans import artefact, cell
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.by_hand import ProgramOptions, carried_out, cell_by_hand, command_of
from runfair.formats.variant import Variant
from runfair.probing.probed_command import runs

START = {"event": "start", "contract": 2, "benchmark": "sort", "language": "python"} | {
    "tier": "standard",
    "runtime": "odd",
    "threads": 1,
    "processors": 1,
    "monotonic_ns": 1,
    "realtime_ns": 1,
    "cpu_clock_resolution_ns": 1,
}
ITERATION = {"event": "iteration", "index": 0, "started_monotonic_ns": 1} | {
    "wall_ns": 7,
    "cpu_ns": 5,
    "digest": "0" * 16,
}
END = {"event": "end", "iterations": 1}


def saying(*events: object, status: int = 0) -> list[str]:
    lines = "".join(f"{json.dumps(event)}\n" for event in events)
    return [sys.executable, "-c", f"import sys; print({lines!r}, end=''); sys.exit({status})"]


def a_variant() -> Variant:
    chosen = [one for one in variants() if one.language == "python" and one.default]
    if not chosen:
        pytest.skip("no runtime of python here; to install one: apt-get install python3")
    return chosen[0]


def test_a_command_holds_what_was_asked(tmp_path: Path) -> None:
    asked = ProgramOptions(size="tiny", iterations=3, seconds=2.5, own={"letters": "5"})
    command = command_of(cell_by_hand(benchmarks()["sort"], a_variant(), asked), asked, tmp_path)
    for word in ("workload=shuffled", "letters=5", "length=6", "iterations=3", "seconds=2.5"):
        assert word in command
    assert "count=1" not in command


def test_a_counting_command_is_of_the_build_with_ticks(tmp_path: Path) -> None:
    sort, counting = benchmarks()["sort"], ProgramOptions(size="tiny", count=True)
    counted = cell_by_hand(sort, a_variant(), counting)
    timed = cell_by_hand(sort, a_variant(), ProgramOptions(size="tiny"))
    assert "count=1" in command_of(counted, counting, tmp_path)
    assert "tick" in Path(counted.artefact.sources, "sort.py").read_text()
    assert "tick" not in Path(timed.artefact.sources, "sort.py").read_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ProgramOptions(own={"letters": "99"}),
            "letters of sort must be an integer from 2 to 26, not 99",
        ),
        (
            ProgramOptions(own={"letters": "x"}),
            "letters of sort must be an integer from 2 to 26, not 'x'",
        ),
        (ProgramOptions(own={"lettres": "5"}), "no parameter of sort is named 'lettres'"),
        (ProgramOptions(tier="abseil"), "no tier of sort in python is named 'abseil'"),
        (ProgramOptions(size="huge"), "no size of sort is named 'huge'"),
        (ProgramOptions(workload="odd"), "no workload of sort is named 'odd'"),
    ],
)
def test_a_mistake_is_told_before_anything_is_built(asked: ProgramOptions, said: str) -> None:
    with pytest.raises(UserMistake, match=said):
        cell_by_hand(benchmarks()["sort"], a_variant(), asked)


def test_a_workload_that_the_program_lacks_is_refused_with_the_reason() -> None:
    asked = ProgramOptions(workload="rendezvous")
    with pytest.raises(UserMistake, match="rendezvous: a queue holds at least one value"):
        cell_by_hand(benchmarks()["pipeline"], a_variant(), asked)


def test_iterations_come_as_they_are_said() -> None:
    one = cell(artefact=artefact([sys.executable]).model_copy(update={"directory": "/"}))
    *_, last = carried_out(one, saying(START, ITERATION, END))
    assert (list(last.wall_ns), last.digest) == ([7], "0" * 16)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (saying(START, ITERATION), InvalidResult),
        (saying(START, {"event": "iteration"}, END), InvalidResult),
        (saying(START, status=7), InvalidResult),
        (saying(status=2), UserMistake),
    ],
    ids=["no end", "no contract", "status 7", "refused"],
)
def test_what_it_must_not_do(command: list[str], error: type[Exception]) -> None:
    one = cell(artefact=artefact([sys.executable]).model_copy(update={"directory": "/"}))
    with pytest.raises(error):
        list(carried_out(one, command))


def test_an_interruption_ends_the_program(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    code = (
        "import os, pathlib, time; "
        f"pathlib.Path({str(number)!r}).write_text(str(os.getpid())); "
        f"print({json.dumps(START)!r}, flush=True); time.sleep(60)"
    )
    output = carried_out(cell(), [sys.executable, "-c", code])
    next(output)
    with pytest.raises(KeyboardInterrupt):
        output.throw(KeyboardInterrupt())  # type: ignore[attr-defined]
    assert not runs(int(number.read_text()))
