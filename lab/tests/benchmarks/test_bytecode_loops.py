"""Loops with more copies of a bytecode: what they add, and the prediction, with known truth."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.bytecode_loops.added import CountedLoop, added, best
from benchmarks.bytecode_loops.java import JAVA
from benchmarks.bytecode_loops.javascript import JAVASCRIPT
from benchmarks.bytecode_loops.loop import Language, Loop
from benchmarks.bytecode_loops.prediction import (
    LoopCosts,
    Prediction,
    median_distance,
    predicted_ns,
    prediction,
    worst_distance,
)
from benchmarks.bytecode_loops.python import PYTHON
from benchmarks.interpreters import Interpreter, interpreters
from benchmarks.paired_rounds import outcome
from benchmarks.probe_prediction import MORE_COPIES, TOP, Loops, commonest, conclusion, main
from probing.cpythons import on_x86_64
from runfair.formats.probe import CountedBytecode, ProbedProcess, SampledPlace, Sampling

TIMES = 1_000


def counted(copies: int, **more: int) -> CountedLoop:
    """A loop of 1,000 iterations whose start executes 77 LOADs, and with `more` bytecodes."""
    each = {"LOAD": copies + 2, "POP": copies, "JUMP": 1}
    short = {"LOAD": 77 + 10 * each["LOAD"], "POP": 10 * copies, "JUMP": 10}
    long = {name: short[name] + TIMES * number for name, number in each.items()}
    long.update({name: long.get(name, 0) + number for name, number in more.items()})
    return CountedLoop(short, long, TIMES)


def test_what_the_copies_add_is_found_whatever_else_the_program_executes() -> None:
    assert added(counted(20), counted(40)) == {"LOAD": 20, "POP": 20}


def test_executions_of_the_runtimes_own_threads_do_not_count() -> None:
    assert added(counted(20), counted(40, JUMP=9, OTHER=3)) == {"LOAD": 20, "POP": 20}


def test_copies_that_execute_a_bytecode_only_sometimes_are_refused() -> None:
    assert added(counted(20), counted(40, SLOW=300)) is None


def test_the_statement_with_the_fewest_other_bytecodes_is_taken() -> None:
    candidates = [{"LOAD": 40}, {"LOAD": 20, "POP": 20, "ADD": 20}, {"LOAD": 20, "POP": 20}]
    assert best("LOAD", 20, candidates) == 2
    assert best("ADD", 20, candidates) == 1
    assert best("CALL", 20, candidates) is None


def process(samples: dict[str, int]) -> ProbedProcess:
    """A process that executed each bytecode 10 million times."""
    places = [
        SampledPlace(
            bytecode=name, path="", function="", line=None, column=None, end_column=None, samples=n
        )
        for name, n in samples.items()
    ]
    return ProbedProcess(
        runtime="cpython",
        version="3.13.0",
        executable="",
        pid=1,
        mode="mark",
        bytecodes=[CountedBytecode(name=n, family=n, executions=10_000_000) for n in samples],
        sampling=Sampling(source="task clock", period_ns=1_000_000, lost=0, places=places),
    )


def test_the_prediction_sums_the_in_flow_costs() -> None:
    """LOAD takes 3 ns, POP 1 ns. NEVER was not sampled."""
    probed = [process({"LOAD": 30, "POP": 10})]
    assert predicted_ns({"LOAD": 20, "POP": 20, "NEVER": 1}, probed) == pytest.approx(80)


def simulated(error: float, noise: float = 0.03, rounds: int = 15) -> list[LoopCosts]:
    """Copies of 4 ns each, predicted with a known error, on a machine of changing speed."""
    found = []
    for at in range(rounds):
        speed, wobble = 1 + 0.5 * (at % 3), noise * ((at * 5) % 7 - 3) / 3
        actual_ns = 80 * speed
        found.append(LoopCosts(actual_ns * (1 + error + wobble), actual_ns))
    return found


def predicted(error: float, noise: float = 0.03) -> Prediction:
    found = prediction("LOAD", {"LOAD": 20, "POP": 20}, simulated(error, noise))
    assert found is not None
    return found


@pytest.mark.parametrize("error", [-0.3, -0.05, 0.0, 0.2])
def test_the_error_of_a_prediction_is_found(error: float) -> None:
    found = predicted(error)
    assert found.partners == {"POP": 1}
    assert found.error.value == pytest.approx(error, abs=0.02)
    assert found.error.low <= error <= found.error.high
    assert found.distance.value == pytest.approx(abs(error), abs=0.02)


def test_copies_without_a_cost_have_no_prediction() -> None:
    assert prediction("LOAD", {"LOAD": 20}, [LoopCosts(80, -1)] * 15) is None
    assert prediction("LOAD", {"LOAD": 20}, [LoopCosts(80, 80)] * 2) is None


def test_the_median_and_the_largest_error_are_judged() -> None:
    found = [predicted(error, noise=0.001) for error in (0.01, -0.02, 0.03, -0.4)]
    assert outcome(median_distance(found), 0.10) == "met"
    assert outcome(worst_distance(found), 0.25) == "missed"
    assert worst_distance(found).value == pytest.approx(0.4, abs=0.02)
    assert conclusion(found, []).endswith("goal 25%: missed")


def test_a_bytecode_without_a_prediction_misses_the_goals() -> None:
    found = conclusion([predicted(0.01, noise=0.001)], ["CALL (no statement)"])
    assert "goal 10%: missed" in found
    assert found.endswith("no prediction: CALL (no statement)")


@pytest.mark.parametrize("language", [PYTHON, JAVA, JAVASCRIPT])
def test_every_statement_is_different(language: Language) -> None:
    assert len(set(language.statements)) == len(language.statements)


def test_loops_in_python_are_valid(tmp_path: Path) -> None:
    loops = [Loop(f"Few{at}", statement, 3) for at, statement in enumerate(PYTHON.statements)]
    PYTHON.write(tmp_path, loops)
    for loop in loops:
        (file,) = PYTHON.arguments(tmp_path, loop)
        ast.parse(Path(file).read_text())


@on_x86_64
@pytest.mark.long
@pytest.mark.parametrize("interpreter", interpreters([]), ids=lambda one: one.runtime)
def test_every_common_bytecode_has_a_loop(interpreter: Interpreter, tmp_path: Path) -> None:
    """By the probe's own counts, each iteration executes the bytecode exactly 20 times more."""
    wanted = commonest(interpreter, "steady", TOP)
    pairs = Loops(interpreter, tmp_path).pairs()
    found = [best(bytecode, MORE_COPIES, [pair.added for pair in pairs]) for bytecode in wanted]
    assert None not in found, dict(zip(wanted, found, strict=True))


@on_x86_64
@pytest.mark.long
def test_the_command_predicts(capsys: pytest.CaptureFixture[str]) -> None:
    main(["python", "--rounds", "6", "--top", "1", "--seconds", "0.2", "--size", "tiny"])
    *_, row, _, median, largest = capsys.readouterr().out.splitlines()
    assert row.count("|") == 7
    assert (median.split()[0], largest.split()[0]) == ("median", "largest")
