"""Checks are removed and restored in real Nodes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from probing.cpythons import on_x86_64
from probing.nodes import every_node, nodes
from runfair.cli.checks import command_checks
from runfair.errors import UserMistake
from runfair.probing.checks.check import Patch, inverse
from runfair.probing.checks.cost import Effort
from runfair.probing.checks.known_check import EXPECTED, PROGRAM, negative_control
from runfair.probing.checks.patched_process import CodeChanged, PatchedProcess, Start
from runfair.probing.checks.selection import holds, select

pytestmark = [on_x86_64, pytest.mark.skipif(not nodes(), reason="Node is not installed")]

SUMS = Path(__file__).with_name("recorded") / "sums.cjs"
QUICK = Effort(rounds=2, each_ns=1e6, calm_ns=20e6)


@every_node
def test_the_negative_control(node: str, tmp_path: Path) -> None:
    assert negative_control(node, tmp_path / "control") == EXPECTED


def test_a_node_whose_code_is_not_understood_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes nothing, so what lies behind the array is not read."""
    write = PatchedProcess.write
    monkeypatch.setattr(PatchedProcess, "write", lambda self, patches: write(self, [*patches][:0]))
    with pytest.raises(UserMistake) as caught:
        negative_control(nodes()[0], tmp_path / "control")
    assert str(caught.value).endswith(
        "(a read past the end of an array gave undefined without the bounds check, and undefined "
        "with the check (out of bounds); expected: 12345 without the check, and undefined "
        "with the check (out of bounds)); use "
        "another version of Node"
    )


@contextmanager
def known_check(tmp_path: Path) -> Iterator[PatchedProcess]:
    command = [nodes()[0], str(PROGRAM), str(tmp_path / "beyond")]
    with (
        (tmp_path / "output").open("wb") as output,
        PatchedProcess(Start(command, os.environ, tmp_path / "process", output)) as process,
    ):
        yield process


def test_code_is_restored_byte_for_byte(tmp_path: Path) -> None:
    with known_check(tmp_path) as process:
        selection = select(process, ["known"])
        (code,) = selection.codes
        begin, end = code.instructions[0].address, code.instructions[-1].end
        before = process.read([(begin, end - begin)])
        (patches,) = selection.removal(selection.kinds)
        process.write(patches)
        assert process.read([(begin, end - begin)]) != before
        assert not holds(process, code)
        assert process.iteration() is not None
        process.write(inverse(patches))
        assert process.read([(begin, end - begin)]) == before
        assert holds(process, code)


def test_nothing_is_written_if_any_byte_is_another(tmp_path: Path) -> None:
    with known_check(tmp_path) as process:
        selection = select(process, ["known"])
        (code,) = selection.codes
        (patches,) = selection.removal(selection.kinds)
        last = patches[-1]
        liar = [*patches[:-1], replace(last, old=bytes([last.old[0] ^ 1]) + last.old[1:])]
        with pytest.raises(
            CodeChanged, match=f"at address {last.address:#x} is not the code that V8 printed"
        ):
            process.write(liar)
        assert holds(process, code)
        listed = code.instructions[3]
        other = replace(listed, code=bytes([listed.code[0] ^ 1]) + listed.code[1:])
        instructions = [other if one is listed else one for one in code.instructions]
        assert not holds(process, replace(code, instructions=instructions))


def test_memory_that_is_not_there_is_no_traceback(tmp_path: Path) -> None:
    with known_check(tmp_path) as process:
        with pytest.raises(CodeChanged, match="cannot be read or written"):
            process.read([(64, 8)])
        with pytest.raises(CodeChanged, match="cannot be read or written"):
            process.write([Patch(64, b"\x00", b"\x90")])


@every_node
def test_the_checks_of_a_program_from_start_to_end(node: str, tmp_path: Path) -> None:
    """Its output is that of a run without the probe, and its child process runs as usual. V8's
    options cannot name the folder."""
    printed, scratch = tmp_path / "printed", tmp_path / f"with blanks {'and long' * 15}"
    scratch.mkdir()
    with printed.open("wb") as output:
        result = command_checks(
            [node, str(SUMS), "400"], os.environ, ["element", "sum"], QUICK, scratch, output
        )
    assert printed.read_text() == "child 585000\n" + 400 * "585000\n"
    assert (result.rounds, result.control) == (2, EXPECTED)
    assert result.restored_bytes > 300
    assert {code.function for code in result.codes} >= {"sum"}
    assert {cost.removed for cost in result.costs} >= {"bounds", "hole", "all", "nothing"}
    lines = {(place.function, place.kind, place.line) for place in result.places}
    source = SUMS.read_text().splitlines()
    read = next(number for number, line in enumerate(source, 1) if line.endswith("// read"))
    assert {("element", "bounds", read), ("element", "hole", read)} <= lines


def test_a_program_without_iterations(tmp_path: Path) -> None:
    start = Start([nodes()[0], "-e", "0"], os.environ, tmp_path / "process", None)
    with pytest.raises(
        UserMistake, match=r"node ended with status 0 before it measured an iteration"
    ):
        PatchedProcess(start)
