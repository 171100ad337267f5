"""`./runfair probe` of a native program."""

from __future__ import annotations

import json
import shutil

import jsonschema
import pytest
from typer.testing import CliRunner

from runfair.catalogue.runtime import variants
from runfair.cli.app import app
from runfair.errors import UserMistake
from runfair.formats.instructions import InstructionResult
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
    # Every try reads the row of a cell. The program makes 90,000 tries or so.
    assert 1e6 < functions[0].instructions < 1e7
    assert result.outside > 0


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
    assert "because valgrind's tool callgrind ends with an internal error" in str(error)
