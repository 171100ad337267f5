"""Figures for lines of source: means of what executions told, and none from other work.

The verdict of an execution under the probe, and the instructions of a native program.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from evidence.checks import CHECKS
from evidence.honest_run import GO, PYTHON, cell_id, honest_run
from evidence.records import DIGEST, Records
from report.sources import COUNTS, told
from result.test_run import damaged
from runfair.evidence.cell import CellEvidence
from runfair.evidence.probed import SlowRequests
from runfair.fairness.verdict import judge
from runfair.formats.callgrind import Place
from runfair.formats.instructions import CountedPlace, InstructionCounts
from runfair.formats.probe import (
    Call,
    CountedBytecode,
    MeasuredBytecode,
    Mode,
    ProbedExecution,
    ProbedProcess,
    SampledPlace,
    Sampling,
)
from runfair.formats.result import CellResult
from runfair.result.run import assemble
from runfair.result.source_lines import probed_results

CELL = cell_id(PYTHON)


def python(records: Records) -> CellResult:
    evidence = records.evidence()
    result = assemble("run", evidence, judge(evidence))
    return next(cell for cell in result.cells if cell.id == CELL)


def test_what_was_told_is_shown_and_is_nobodys_time() -> None:
    before = python(honest_run())
    after = python(honest_run().telling(CELL, told()))
    assert after.figures == before.figures
    assert after.executions == before.executions
    [series] = after.lines
    assert (series.verdict, series.executions, series.path) == ("fair", 1, "sudoku.py")
    assert {number: one.value for number, one in series.lines.items()} == COUNTS
    assert python(honest_run()).lines == []


def test_the_mean_of_executions_with_their_range() -> None:
    records = honest_run().telling(CELL, told({1: 2.0, 2: 5.0})).telling(CELL, told({1: 4.0}))
    [series] = python(records).lines
    assert series.executions == 2
    first, second = series.lines[1], series.lines[2]
    assert (first.value, first.least, first.greatest) == (3.0, 2.0, 4.0)
    assert (second.value, second.least, second.greatest) == (2.5, 0.0, 5.0)


def test_each_file_text_and_name_stands_alone_the_hottest_first() -> None:
    records = honest_run().telling(
        CELL,
        told({1: 1.0}, path="a.py"),
        told({1: 9.0}, path="b.py"),
        told({1: 5.0}, path="b.py", name="allocated", unit="bytes"),
    )
    records = records.telling(CELL, told({1: 7.0}, path="a.py", text="changed\n"))
    found = python(records).lines
    assert [(one.path, one.name, one.lines[1].value) for one in found] == [
        ("b.py", "executions", 9.0),
        ("a.py", "executions", 7.0),
        ("b.py", "allocated", 5.0),
        ("a.py", "executions", 1.0),
    ]
    assert found[1].source_sha256 != found[3].source_sha256


def test_lines_of_another_answer_are_void() -> None:
    """The liar: an execution that tells lines and did other work than those that were timed."""
    [series] = python(honest_run().telling(CELL, told(), digest="f" * 16)).lines
    assert series.verdict == "void"
    assert series.lines == {}
    assert series.reason == (
        f"the execution that counted lines gave the answer {'f' * 16}, but the timed "
        f"executions gave {DIGEST}"
    )


def test_lines_told_while_timing_are_as_good_as_the_times() -> None:
    spent = told(name="spent", unit="ns")
    cut = damaged(honest_run().telling(CELL, spent, role="block"), CELL)
    [series] = python(cut).lines
    assert (series.verdict, series.lines) == ("void", {})
    assert "the wall time of the timed executions is void" in series.reason
    busy = (
        honest_run().telling(CELL, spent, role="block").with_launch_share(CELL, "foreign_ns", 0.2)
    )
    [series] = python(busy).lines
    assert (series.verdict, series.reason) == ("flagged", "")
    assert {number: one.value for number, one in series.lines.items()} == COUNTS
    for run in (damaged(honest_run(), CELL), busy):
        counted = python(run.telling(CELL, told())).lines[-1]
        assert (counted.name, counted.verdict) == ("executions", "fair")  # nothing disturbs them


@pytest.mark.parametrize("cell", [CELL, cell_id(GO)])
def test_why_nothing_was_told(cell: str) -> None:
    records = honest_run().telling(cell, told(), reason="exit status 2: leave --lines out")
    found = python(records)
    assert found.lines == []
    said = "exit status 2: leave --lines out" if cell == CELL else ""
    assert found.lines_untold == said
    assert found.failed == 0


def evidence(
    probed: str | None,
    *timed: str | None,
    processes: list[ProbedProcess] | None = None,
    slow: SlowRequests | None = None,
) -> CellEvidence:
    """A cell whose probed execution and timed executions gave these digests."""
    watched = SimpleNamespace(
        record=SimpleNamespace(id="e1", digest=probed),
        probed=ProbedExecution(processes=processes or []),
        slow=slow,
    )
    completed = [SimpleNamespace(record=SimpleNamespace(digest=digest)) for digest in timed]
    return cast(CellEvidence, SimpleNamespace(probed=(watched,), completed=completed))


@pytest.mark.parametrize(
    ("probed", "timed", "verdict"),
    [
        ("a", ["a", "a"], "fair"),
        ("b", ["a", "a"], "void"),
        (None, [None, None], "flagged"),
        ("a", [], "flagged"),
    ],
)
def test_the_same_answer_alone_is_fair(
    probed: str | None, timed: list[str | None], verdict: str
) -> None:
    (found,) = probed_results(evidence(probed, *timed))
    assert found.verdict == verdict
    assert bool(found.reason) == (verdict != "fair")


def in_mode(mode: Mode, measured: list[MeasuredBytecode]) -> SimpleNamespace:
    """An execution under the probe in this mode."""
    process = ProbedProcess(
        runtime="cpython",
        version="3.13.0",
        executable="python",
        pid=1,
        mode=mode,
        bytecodes=[CountedBytecode(name="ADD", family="ADD", executions=7)],
        measured=measured,
    )
    return SimpleNamespace(
        record=SimpleNamespace(id=mode, digest="a"),
        probed=ProbedExecution(processes=[process], unfinished=1),
        slow=None,
    )


def test_executions_in_several_modes_are_one_result() -> None:
    steps = MeasuredBytecode(
        bytecode="ADD", count=20, sum=600, sum_of_squares=18_000, nested=0, interrupted=0
    )
    both = in_mode("profile", []), in_mode("instructions", [steps])
    (found,) = probed_results(program(*both))
    assert (found.execution, found.unfinished) == ("profile", 2)
    (table,) = found.tables
    (cost,) = table.bytecodes
    assert cost.executions == 7
    assert cost.instructions is not None and cost.instructions.value == 30


def counted(iterations: int, work: int, digest: str = "a") -> SimpleNamespace:
    """An execution of a native program under valgrind. Its start has 100 instructions."""
    places = [
        CountedPlace(place=Place("/ld.so", "start", "", None), instructions=100),
        CountedPlace(place=Place("/sort", "work", "", None), instructions=work),
    ]
    return SimpleNamespace(
        record=SimpleNamespace(id=f"e{iterations}", digest=digest, iterations=iterations),
        probed=ProbedExecution(
            processes=[], instructions=InstructionCounts(valgrind="3.19.0", places=places)
        ),
        slow=None,
    )


def program(*probed: SimpleNamespace) -> CellEvidence:
    completed = [SimpleNamespace(record=SimpleNamespace(digest="a"))]
    return cast(CellEvidence, SimpleNamespace(probed=probed, completed=completed))


def test_the_instructions_of_an_iteration_are_those_that_another_iteration_adds() -> None:
    (found,) = probed_results(program(counted(2, 90), counted(1, 50)))
    assert (found.execution, found.verdict) == ("e1", "fair")
    assert found.instructions is not None
    (work,) = found.instructions.iteration.functions
    assert (work.function, work.instructions, found.instructions.outside) == ("work", 40, 110)


def test_without_a_second_execution_there_are_no_instructions_of_an_iteration() -> None:
    assert probed_results(program(counted(1, 50))) == []


def test_instructions_of_another_answer_are_void() -> None:
    (found,) = probed_results(program(counted(1, 50, "b"), counted(2, 90)))
    assert (found.verdict, found.instructions) == ("void", None)
    assert "gave the answer b, but the timed executions gave a" in found.reason


def sample(function: str, caller: int, instants_ns: list[int]) -> SampledPlace:
    return SampledPlace(
        bytecode="ADD",
        part="interpreter",
        path="/a.js",
        function=function,
        line=len(function),
        column=None,
        end_column=None,
        caller=caller,
        samples=len(instants_ns),
        instants_ns=instants_ns,
    )


def test_the_slowest_requests_have_lines_and_call_paths() -> None:
    """One sample of `quick`, three of `slow` and none of `idle` lie in the span."""
    bottom = Call(path="", function="", caller=0)
    sampling = Sampling(
        source="task clock",
        period_ns=1,
        lost=0,
        calls=[bottom, bottom, Call(path="/a.js", function="answer", caller=0)],
        places=[
            sample("quick", 0, [1, 10, 30]),
            sample("slow", 2, [11, 12, 19, 20]),
            sample("idle", 0, [2, 40]),
        ],
    )
    process = ProbedProcess(
        runtime="node", version="20", executable="node", pid=1, mode="profile", sampling=sampling
    )
    slow = SlowRequests(1, 100, np.array([[10, 20]], dtype=np.int64))
    (found,) = probed_results(evidence("a", "a", processes=[process], slow=slow))
    assert found.slow is not None
    assert [(one.function, one.share) for one in found.slow.lines] == [
        ("slow", 0.75),
        ("quick", 0.25),
    ]
    boxes = [(one.name, one.share) for one in found.slow.frames if one.kind == "function"]
    assert boxes == [("answer", 0.75), ("slow", 0.75), ("quick", 0.25)]


def without_checks(digest: str = "a") -> SimpleNamespace:
    return SimpleNamespace(
        record=SimpleNamespace(id="e2", digest=digest, iterations=9),
        probed=ProbedExecution(processes=[], checks=CHECKS),
        slow=None,
    )


def test_the_cost_of_checks_is_a_result_of_its_own() -> None:
    bytecodes, checks = probed_results(program(in_mode("profile", []), without_checks()))
    assert (bytecodes.checks, checks.checks) == (None, CHECKS)
    assert (checks.execution, checks.verdict, checks.tables) == ("e2", "fair", [])
    (alone,) = probed_results(program(without_checks()))
    assert alone == checks


def test_the_cost_of_checks_in_other_work_is_void() -> None:
    (found,) = probed_results(program(without_checks("b")))
    assert (found.verdict, found.checks) == ("void", None)
