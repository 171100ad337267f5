"""What is left of an interrupted run: whole blocks, and nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiment.plans import artefact, cell, execution, plan
from runfair.building.fingerprint import fingerprint
from runfair.errors import UserMistake
from runfair.experiment.engine import remaining, require_artefact
from runfair.experiment.order import planned_executions
from runfair.formats.plan import Plan


def two_groups() -> Plan:
    cells = [
        cell(variant=name, benchmark=benchmark)
        for benchmark in ("sort", "sudoku")
        for name in ("a", "b")
    ]
    return plan(cells, planned_executions(cells, executions=4, pilots=1, seed=7))


def test_all_of_it_where_nothing_is_done() -> None:
    whole = two_groups()
    assert remaining(whole, []) == whole.executions


def test_nothing_where_all_is_done() -> None:
    whole = two_groups()
    assert remaining(whole, [execution(one) for one in whole.executions]) == []


def test_an_interrupted_block_is_repeated_whole_and_the_rest_follows() -> None:
    whole = two_groups()
    pilots = [one for one in whole.executions if one.role == "pilot"]
    blocks = [one for one in whole.executions if one.role == "block"]
    done = [execution(one) for one in (*pilots, *blocks[:6])]  # one block, and half the next
    assert remaining(whole, done) == blocks[4:]


def test_a_pilot_is_a_block_of_its_own() -> None:
    whole = two_groups()
    assert remaining(whole, [execution(whole.executions[0])]) == whole.executions[1:]


def test_a_vanished_program_is_told_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.touch()
    one = cell(artefact=artefact([str(program)]))
    require_artefact(one)
    program.unlink()
    with pytest.raises(UserMistake, match=r"program of a has vanished"):
        require_artefact(one)


def test_a_changed_program_is_not_measured_under_the_old_name(tmp_path: Path) -> None:
    program, given = tmp_path / "program", tmp_path / "input"
    program.write_text("one")
    given.write_text("1")
    built = artefact([str(program)]).model_copy(update={"files": [str(program)]})
    seen = fingerprint(built, [str(given)])
    one = cell(artefact=built.model_copy(update={"fingerprint": seen}), inputs=[str(given)])
    require_artefact(one)
    for path in (given, program):
        require_artefact(one)
        content = path.read_text()
        path.write_text("two")
        with pytest.raises(UserMistake, match="has changed since the plan was made"):
            require_artefact(one)
        path.write_text(content)
