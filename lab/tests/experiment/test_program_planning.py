"""What a cell of a program needs before it can run: its build, its input, its parameters and heap,
and what it counts besides."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from experiment.plans import artefact, variant
from experiment.program_plans import BUN, CLANG, GCC, GO, QUICK, plan_of
from runfair.building.failure import BuildFailed, BuildHindered, InputBroken
from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.experiment import Experiment
from runfair.catalogue.profile import PROFILES
from runfair.errors import UserMistake
from runfair.experiment import plan_draft, planning, program_planning
from runfair.experiment.planning import resolve
from runfair.formats.plan import Cell
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant

pytestmark = pytest.mark.usefixtures("program_machine")


def test_the_smallest_heap_is_looked_for_and_climbed_from(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def run_untimed(cell: Cell, *_: Any, **__: Any) -> None:
        if len(cell.artefact.command) == 1:
            return  # in a heap of the runtime's own choice
        tried.append(cell.artefact.command[1])
        if int(cell.artefact.command[1].removeprefix("-heap=")) < 20 << 20:
            raise ContractBroken("out of memory")

    monkeypatch.setattr(program_planning, "run_untimed", run_untimed)
    whole = plan_of({"variants": ["gcc-12+o3", "go-1.26"], "heap_search": True})
    heaps = {
        name: [cell.factors.heap_bytes for cell in whole.cells if cell.variant == name]
        for name in ("gcc-12+o3", "go-1.26")
    }
    assert heaps["go-1.26"] == [None]  # it has none to limit, and is measured as it is
    smallest, *higher, own = heaps["gcc-12+o3"]
    assert smallest is not None
    assert 20 << 20 <= smallest <= 22 << 20
    assert own is None
    assert [heap is not None and heap > smallest for heap in higher] == [True] * 7
    assert tried


def test_heaps_are_named_or_looked_for() -> None:
    with pytest.raises(ValidationError, match="state only one of the two"):
        plan_of({"heap": ["8 MiB"], "heap_search": True})


def test_the_users_own_input_has_no_canonical_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzles = tmp_path / "mine.txt"
    puzzles.touch()
    monkeypatch.chdir(tmp_path)
    own = {"benchmarks": ["sudoku"], "variants": ["gcc-12+o3"], "input": "mine.txt"}
    (cell,) = plan_of(own).cells
    assert cell.inputs == [str(puzzles)]
    assert (cell.digest, cell.operations, cell.own) == (None, None, f"input={puzzles}")
    assert cell.id.endswith(f"input={puzzles}")
    with pytest.raises(UserMistake, match=r"yours\.txt: the input file of sudoku does not exist"):
        plan_of({**own, "input": "yours.txt"})
    with pytest.raises(UserMistake, match="sort reads no input"):
        plan_of({**own, "benchmarks": ["sort"]})


def test_what_only_observes_leaves_the_canonical_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_planning, "no_generator", lambda _: "")
    monkeypatch.setattr(plan_draft, "build", lambda *_, **__: artefact())
    own = {"benchmarks": ["key-value"], "workloads": ["classic"], "variants": ["gcc-12+o3"]}
    (plain,) = plan_of(own).cells
    (observed,) = plan_of({**own, "params": {"addresses": 1}}).cells
    assert (observed.digest, observed.operations) == (plain.digest, plain.operations)
    assert observed.digest is not None
    assert observed.own == "addresses=1"
    for changed in ({"rows": 7}, {"addresses": 1, "rows": 7}):
        (other,) = plan_of({**own, "params": changed}).cells
        assert (other.digest, other.operations) == (None, None)


def test_the_users_own_file_is_looked_for_where_the_command_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs run elsewhere."""
    monkeypatch.chdir(tmp_path)
    own = {"benchmarks": ["log-regex"], "variants": ["gcc-12+o3"]}
    (cell,) = plan_of({**own, "params": {"queries": "mine.txt"}}).cells
    assert cell.parameters == {"form": "regex", "queries": str(tmp_path / "mine.txt")}
    (cell,) = plan_of({**own, "params": {"queries": str(tmp_path / "q")}}).cells
    assert cell.parameters["queries"] == str(tmp_path / "q")


def test_a_broken_input_keeps_nobody_elses_cells_from_being_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def input_file(benchmark: Benchmark, *_: object) -> None:
        if benchmark.name == "sudoku":
            raise InputBroken("puzzles.txt: the checksum is not the canonical one")

    monkeypatch.setattr(program_planning, "input_file", input_file)
    mixed = plan_of({"benchmarks": ["sudoku", "sort"], "variants": ["gcc-12+o3", "bun"]})
    reasons = {(cell.benchmark, cell.variant): cell.broken_input for cell in mixed.cells}
    assert reasons == {
        ("sudoku", "gcc-12+o3"): "puzzles.txt: the checksum is not the canonical one",
        ("sudoku", "bun"): "",  # which is missing, whatever the input
        ("sort", "gcc-12+o3"): "",
        ("sort", "bun"): "",
    }
    planned = {execution.cell for execution in mixed.executions}
    assert planned == {cell.id for cell in mixed.cells if not cell.unsupported}
    with pytest.raises(
        UserMistake,
        match=r"machine: bun: not installed: \./runfair install bun; puzzles\.txt: the",
    ):
        plan_of({"benchmarks": ["sudoku"], "variants": ["gcc-12+o3", "bun"]})
    usual = {"benchmarks": ["sort"], "variants": ["gcc-12+o3"]}
    nothing = str(tmp_path / "nothing")
    own = {**usual, "benchmarks": ["log-regex"], "input": nothing}
    text = Experiment.model_validate({"name": "test", "measure": [usual, own]})
    first, second = resolve(text, QUICK, lambda _: None).cells
    assert (first.broken_input, second.inputs) == ("", [])
    assert second.broken_input == (
        f"{nothing}: the input file of log-regex does not exist; name an existing file"
    )


def test_a_program_that_cannot_be_built_keeps_no_other_from_being_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def build(asked: Variant, *_: object, **__: object) -> Artefact:
        if asked is CLANG:
            raise BuildFailed("clang failed with status 1; its output is in build.log")
        return artefact().model_copy(update={"variant": asked.name})

    monkeypatch.setattr(plan_draft, "build", build)
    plan = plan_of({"variants": [GCC.name, CLANG.name]})
    reasons = {cell.variant: cell.unsupported for cell in plan.cells}
    assert reasons == {
        GCC.name: "",
        CLANG.name: "clang failed with status 1; its output is in build.log",
    }
    assert {one.cell for one in plan.executions} == {plan.cells[0].id}
    with pytest.raises(UserMistake, match=r"build\.log"):
        plan_of({"variants": [CLANG.name]})


def test_a_build_that_failed_for_a_passing_reason_is_not_unsupported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def build(asked: Variant, *_: object, **__: object) -> Artefact:
        if asked is CLANG:
            raise BuildHindered("clang could not build it", "no such host")
        return artefact().model_copy(update={"variant": asked.name})

    monkeypatch.setattr(plan_draft, "build", build)
    plan = plan_of({"variants": [GCC.name, CLANG.name]})
    assert [(cell.unsupported, cell.failed_to_build, cell.absent) for cell in plan.cells] == [
        ("", "", ""),
        ("", "no such host", "failed to build: no such host"),
    ]
    assert {one.cell for one in plan.executions} == {plan.cells[0].id}
    with pytest.raises(UserMistake, match="no such host"):
        plan_of({"variants": [CLANG.name]})


def test_no_heap_is_looked_for_without_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def input_file(*_: object) -> None:
        raise InputBroken("gone")

    monkeypatch.setattr(program_planning, "input_file", input_file)
    monkeypatch.setattr(program_planning, "smallest_heap_bytes", None)  # never called
    with pytest.raises(UserMistake, match="can run on this machine: gone"):
        plan_of({"variants": ["gcc-12+o3"], "heap_search": True})


def test_own_parameters_are_laid_over_the_sizes() -> None:
    usual = plan_of({"variants": ["gcc-12+o3"]})
    own = plan_of({"variants": ["gcc-12+o3"], "params": {"letters": 3}})
    (first,), (second,) = usual.cells, own.cells
    assert second.parameters == first.parameters | {"letters": 3}
    assert first.digest is not None
    assert (second.digest, second.own) == (None, "letters=3")
    assert first.group != second.group


def test_lines_are_asked_of_whom_can_tell_and_of_others_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    families = {"gcc-12+o3": True, "go-1.26": False}
    monkeypatch.setattr(
        program_planning,
        "recipe_of",
        lambda asked: (SimpleNamespace(lines=families[asked.name]), None),
    )
    measure = {"variants": list(families), "lines": True}
    whole = plan_of(measure)
    assert {cell.variant: cell.lines for cell in whole.cells} == families
    told = [one for one in whole.executions if one.role == "lines"]
    assert [one.cell for one in told] == [whole.cells[0].id]
    assert whole.limitations == [
        "crowded",
        "go-1.26 cannot report how often each line of source was executed, so the report shows no "
        "such counts",
    ]
    assert not any(cell.lines for cell in plan_of({**measure, "lines": False}).cells)


def test_a_cell_of_several_measures_gets_what_each_of_them_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node = variant("node-20", "javascript").model_copy(update={"family": "node", "version": "20"})
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(planning, "variants", lambda: [node])
    monkeypatch.setattr(
        program_planning, "recipe_of", lambda _: (SimpleNamespace(lines=True), None)
    )
    asked: list[dict[str, Any]] = [
        {},
        {"limit_seconds": 60, "checks": ["sort"], "probe": True},
        {"limit_seconds": 5, "checks": ["swap", "sort"], "lines": True},
        {"limit_seconds": 60, "probe": "all"},
        {"probe": True},
    ]
    measures = [{"benchmarks": ["sort"], "variants": [node.name], **one} for one in asked]
    text = Experiment.model_validate({"baseline": node.name, "measure": measures})
    (cell,) = resolve(text, QUICK, lambda _: None).cells
    assert (cell.lines, cell.probe, cell.checks) == (True, "all", ["sort", "swap"])
    assert cell.limit_seconds == 5


def test_connections_are_a_servers_and_its_requests_are_made() -> None:
    with pytest.raises(UserMistake, match="sort is not a server; leave `connections` out"):
        plan_of({"variants": ["gcc-12+o3"], "connections": [4]})
    with pytest.raises(
        UserMistake, match="file-server is a server, and runfair itself generates its requests"
    ):
        plan_of({"benchmarks": ["file-server"], "variants": ["gcc-12+o3"], "input": "/"})


@pytest.mark.parametrize(
    ("share", "seconds"),
    [(0.5, 3), (1, 6), (10, 60), (20, 90)],
    ids=["native", "jit", "slow", "cut"],
)
def test_a_slow_compiler_gets_more_time_as_far_as_the_timeout_allows(
    share: float, seconds: float
) -> None:
    effort = PROFILES["quick"].effort
    assert (effort.max_seconds, effort.timeout_seconds) == (6, 120)
    slow = variant("temurin-25").model_copy(update={"steady_share": share})
    assert program_planning.steady_seconds(slow, effort) == seconds


def test_checks_are_removed_in_node_alone_and_the_plan_says_where_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node, jitless, old = (
        variant(name, "javascript").model_copy(update={"family": "node", "version": version})
        for name, version in (("node-20", "20"), ("node-20+jitless", "20"), ("node-18", "18"))
    )
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(planning, "variants", lambda: [GO, BUN, node, jitless, old])
    asked = {"variants": ["go", "javascript"], "checks": ["sort"]}
    plan = plan_of(asked, baseline="go")
    assert {cell.variant: cell.checks for cell in plan.cells if cell.checks} == {
        node.name: ["sort"]
    }
    assert plan.limitations[-1].startswith(
        "the cost of checks is not measured in go-1.26, node-18, node-20+jitless, because"
    )
    (probed,) = [one for one in plan.executions if one.role == "probe"]
    assert probed.cell.endswith(node.name)
    only = plan_of(asked | {"variants": [node.name]}, baseline=node.name)
    assert only.limitations == ["crowded"]
