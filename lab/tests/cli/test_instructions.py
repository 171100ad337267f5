"""`./runfair probe` of a native program."""

from __future__ import annotations

import json
import shutil

import jsonschema
import pytest
from typer.testing import CliRunner

from runfair.catalogue.runtime import variants
from runfair.cli.app import app
from runfair.cli.instructions import print_instructions
from runfair.errors import UserMistake
from runfair.formats.instructions import (
    FunctionInstructions,
    InstructionResult,
    InstructionTable,
    LineInstructions,
)
from runfair.paths import SCHEMAS

SUDOKU = ["probe", "sudoku", "--runtime", "gcc", "--size", "tiny"]


@pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="valgrind is missing: apt-get install valgrind"
)
def test_the_search_executes_nearly_all_instructions_of_an_iteration() -> None:
    done = CliRunner().invoke(app, [*SUDOKU, "--iterations", "2", "--json"])
    assert done.exit_code == 0, done.output
    jsonschema.validate(
        json.loads(done.output), json.loads((SCHEMAS / "instructions.schema.json").read_text())
    )
    result = InstructionResult.model_validate_json(done.output)
    functions = result.iteration.functions
    assert "solve" in functions[0].function
    assert functions[0].share > 0.9
    assert sum(one.instructions for one in functions) == pytest.approx(
        result.iteration.instructions
    )
    # The program reads 831,460 cells.
    assert 831_460 < functions[0].instructions < 10 * 831_460
    assert result.outside > 0


def test_lines_are_shown_if_the_program_has_line_information(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = LineInstructions(path="/src/sort.cpp", line=7, share=0.5)
    library = FunctionInstructions(
        function="free", object="/libc.so", instructions=10, share=0.1, lines=[line]
    )
    own = FunctionInstructions(function="sort", object="/program", instructions=90, share=0.9)
    print_instructions(result_of([own, library]), 20)
    printed = capsys.readouterr().out
    assert "built without line information" in printed
    assert "sort.cpp:7" not in printed

    print_instructions(result_of([own.model_copy(update={"lines": [line]}), library]), 1)
    printed = capsys.readouterr().out
    assert "built without line information" not in printed
    assert "sort.cpp:7 50.0%" in printed
    assert "functions not shown: 1; to show all functions, add --top 2" in printed


def result_of(functions: list[FunctionInstructions]) -> InstructionResult:
    table = InstructionTable(valgrind="3.19.0", instructions=100, functions=functions)
    return InstructionResult(
        command=["/program"], variant="gcc", iterations=1, outside=5, iteration=table
    )


@pytest.mark.parametrize(
    "words",
    [["--bytecodes", "CALL"], ["--mode", "latency"], ["--pid", "1"]],
)
def test_options_for_bytecodes_are_refused(words: list[str]) -> None:
    error = CliRunner().invoke(app, [*SUDOKU, *words]).exception
    assert isinstance(error, UserMistake)
    assert "executes no bytecodes" in str(error)


@pytest.mark.skipif(not any(one.family == "go" for one in variants()), reason="Go is missing")
def test_go_is_refused_with_the_reason() -> None:
    error = CliRunner().invoke(app, ["probe", "sudoku", "--runtime", "go"]).exception
    assert isinstance(error, UserMistake)
    assert "because valgrind's tool callgrind, which would count the instructions" in str(error)
