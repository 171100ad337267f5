"""An experiment's file becomes cells: every combination once, with what cannot run and why."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from experiment.program_plans import BUN, CLANG, GCC, GO, plan_of
from runfair.errors import UserMistake
from runfair.experiment import plan_draft, planning
from runfair.experiment.plan_draft import Request
from runfair.machine.processors import assign

pytestmark = pytest.mark.usefixtures("program_machine")


def test_one_cell_a_variant_with_answers_and_parameters() -> None:
    plan = plan_of({"variants": ["c++", "go"]})
    assert [cell.variant for cell in plan.cells] == [GCC.name, CLANG.name, GO.name]
    assert plan.baseline == GCC.name
    assert plan.limitations == ["crowded"]
    for cell in plan.cells:
        assert (cell.workload, cell.size, cell.mode) == ("shuffled", "steady", "steady")
        assert cell.parameters == {"letters": 5, "length": 6}
        assert cell.digest is not None
        assert cell.operations is not None
        assert cell.artefact.environment == {"CPUS": "1"}
    assert len(plan.executions) == 3 * 6


def test_the_plan_has_the_crossovers_of_its_benchmarks() -> None:
    plan = plan_of({"benchmarks": ["sort", "spawn-or-worker"], "variants": ["go"]})
    assert {name: [*mine] for name, mine in plan.crossovers.items()} == {
        "spawn-or-worker": ["rounds"]
    }
    # A part of the run that is complete early has none: they need both workloads.
    assert plan.of_group(plan.cells[-1]).crossovers == {}


def test_the_plan_names_the_commit_of_runfair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "own_version", lambda: "1 (commit b1f77bf959dc-dirty)")
    assert plan_of({}).runfair == "1 (commit b1f77bf959dc-dirty)"


def test_the_plan_keeps_where_its_experiment_is_written() -> None:
    request = Request("quick", source="/home/me/own.toml")
    assert plan_of({}, request).source == "/home/me/own.toml"


def test_lists_are_crossed_and_each_cell_stands_once() -> None:
    measure = {
        "workloads": ["all"],
        "modes": ["cold", "steady"],
        "page_cache": ["warm", "cold"],
        "variants": ["default", GCC.name],
    }
    plan = plan_of(measure)
    ready = [cell for cell in plan.cells if not cell.unsupported]
    assert len(ready) == 3 * 2 * 2
    without_input = [cell for cell in plan.cells if cell.factors.page_cache == "cold"]
    assert {cell.unsupported for cell in without_input if cell.variant == GO.name} == {
        "the benchmark reads no input file, so a cold page cache would change nothing; leave "
        "`page_cache` out"
    }
    assert len({cell.id for cell in plan.cells}) == len(plan.cells)
    assert any(cell.id.endswith("go-1.26/page-cache-cold") for cell in plan.cells)


def test_what_is_missing_is_a_cell_with_its_reason_and_no_executions() -> None:
    plan = plan_of({})
    (bun,) = [cell for cell in plan.cells if cell.variant == BUN.name]
    assert bun.unsupported == "not installed: ./runfair install bun"
    assert bun.id not in {one.cell for one in plan.executions}


def test_a_named_version_that_is_not_installed_is_a_cell_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go = GO.model_copy(update={"family": "go"})
    monkeypatch.setattr(planning, "variants", lambda: [go])
    plan = plan_of({"variants": ["go-1.13.15", go.name]}, baseline="go")
    assert {cell.variant: cell.unsupported for cell in plan.cells} == {
        "go-1.13.15": "not installed: ./runfair install go-1.13.15",
        go.name: "",
    }
    assert {one.cell for one in plan.executions} == {plan.cells[1].id}


def test_a_knob_that_a_runtime_lacks_makes_it_unsupported_alone() -> None:
    plan = plan_of({"heap": ["64 MiB"], "variants": [GCC.name, GO.name]})
    by_variant = {cell.variant: cell for cell in plan.cells}
    assert by_variant[GO.name].unsupported == "Go has no heap limit"
    assert "-heap=67108864" in by_variant[GCC.name].artefact.command
    assert by_variant[GCC.name].factors.heap_bytes == 64 * 2**20


def test_a_workload_that_a_program_lacks_is_a_cell_with_the_reason() -> None:
    measure = {"benchmarks": ["pipeline"], "workloads": ["all"], "variants": [GCC.name, GO.name]}
    plan = plan_of({**measure, "tiers": ["standard", "asio"]})
    lacking = {
        (cell.variant, cell.tier, cell.workload): cell.unsupported
        for cell in plan.cells
        if cell.unsupported
    }
    assert lacking == {
        (GCC.name, "asio", "unbounded"): "Boost.Asio has no unbounded channel",
        (GO.name, "standard", "unbounded"): "Go has no unbounded channel",
    }
    assert not set(lacking) & {
        (cell.variant, cell.tier, cell.workload)
        for cell in plan.cells
        if cell.id in {one.cell for one in plan.executions}
    }


def test_nothing_that_can_run_is_the_users_line() -> None:
    with pytest.raises(
        UserMistake,
        match=(r"nothing .* can run on this machine: bun: not installed: ./runfair install bun"),
    ):
        plan_of({"variants": [BUN.name]})
    with pytest.raises(
        UserMistake, match=("with the given options, nothing of this experiment is left to measure")
    ):
        plan_of({"profiles": ["publish"]})


def test_only_and_runtimes_narrow() -> None:
    request = Request("quick", only=["sort"], runtimes=[CLANG.name])
    plan = plan_of({"benchmarks": ["sort", "sudoku"]}, request)
    assert [(cell.benchmark, cell.variant) for cell in plan.cells] == [("sort", CLANG.name)]
    assert plan.baseline == CLANG.name


def test_a_profile_may_widen_the_variants() -> None:
    plan = plan_of({}, Request("full"), profiles={"full": {"variants": ["all"], "size": "tiny"}})
    assert CLANG.name in {cell.variant for cell in plan.cells}
    assert {cell.size for cell in plan.cells} == {"tiny"}
    assert [one.role for one in plan.executions[:2]] == ["pilot", "pilot"]


def test_the_baseline_is_a_variant_or_a_language_that_is_known() -> None:
    assert plan_of({}, baseline="go").baseline == GO.name
    assert plan_of({"variants": ["c++"]}, baseline=CLANG.name).baseline == CLANG.name
    with pytest.raises(UserMistake, match="the baseline 'cobol' is neither a language nor"):
        plan_of({}, baseline="cobol")


def test_the_seed_decides_the_order() -> None:
    first, again, other = (
        plan_of({"variants": ["c++", "go"]}, Request("quick", order_seed=seed)).executions
        for seed in (1, 1, 2)
    )
    assert first == again
    assert [one.cell for one in first] != [one.cell for one in other]


def test_a_size_that_the_experiment_states_holds_in_every_mode() -> None:
    plan = plan_of({"modes": ["cold", "steady"]}, profiles={"quick": {"size": "tiny"}})
    assert {cell.size for cell in plan.cells} == {"tiny"}
    usual = plan_of({"modes": ["cold", "steady"]})
    assert {(cell.mode, cell.size) for cell in usual.cells} == {
        ("cold", "small"),
        ("steady", "steady"),
    }


def test_an_unknown_size_of_the_profile() -> None:
    with pytest.raises(UserMistake, match="no size of sort is named 'huge'"):
        plan_of({}, profiles={"quick": {"size": "huge"}})


def test_an_experiment_may_name_runtimes_that_others_have() -> None:
    assert [cell.variant for cell in plan_of({"variants": ["go-1.26", "*+zero"]}).cells] == [
        "go-1.26"
    ]
    with pytest.raises(UserMistake, match=r"no runtime is named '\*\+zero'"):
        plan_of({"variants": ["*+zero"]})
    with pytest.raises(UserMistake, match="no runtime is named 'zero'"):
        plan_of({"variants": ["go-1.26", "zero"]})


def test_more_processors_than_there_are_make_a_cell_unsupported() -> None:
    few, many = plan_of({"variants": ["gcc-12+o3"], "threads": [1, 4096]}).cells
    assert few.unsupported == ""
    assert "the program needs 4096 processors, but this machine has only " in many.unsupported


def test_hosts_count_with_their_own_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = SimpleNamespace(allowed=frozenset(range(2)))
    monkeypatch.setattr(plan_draft, "read_topology", lambda: topology)
    monkeypatch.setattr(planning, "assign", assign)
    request = Request("quick", host_processors=8)
    plan = plan_of({"variants": [GO.name], "threads": "doubling"}, request)
    assert [(cell.threads, cell.unsupported) for cell in plan.cells] == [
        (threads, "") for threads in (1, 2, 4, 8)
    ]
    assert plan.measured_processors == [*range(8)]
    few, many = plan_of({"variants": [GO.name], "threads": [8, 9]}, request).cells
    assert few.unsupported == ""
    assert many.unsupported == "the program needs 9 processors, but the hosts have only 8"


@pytest.mark.parametrize(
    ("processors", "threads"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])]
)
def test_a_doubling_sweep_reaches_all_processors(
    monkeypatch: pytest.MonkeyPatch, processors: int, threads: list[int]
) -> None:
    topology = SimpleNamespace(allowed=frozenset(range(processors)))
    monkeypatch.setattr(plan_draft, "read_topology", lambda: topology)
    plan = plan_of({"variants": [GO.name], "threads": "doubling"})
    assert [cell.threads for cell in plan.cells] == threads
    assert [cell.factors.processors for cell in plan.cells] == threads


def test_programs_on_another_host_are_refused_and_the_way_is_named() -> None:
    places = {"box": {"host": "box", "launcher": ["ssh", "box"]}}
    with pytest.raises(UserMistake, match=r"\[places.box\] is on the host box.* --machines FILE"):
        plan_of({"place": "box"}, places=places)
