"""An experiment's file becomes cells: every combination once, with what cannot run and why."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from experiment.plans import artefact, variant
from runfair.building.failure import BuildFailed, BuildHindered, InputBroken, Unsupported
from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.experiment import Experiment
from runfair.catalogue.profile import PROFILES
from runfair.catalogue.program import ProgramSource
from runfair.errors import UserMistake
from runfair.experiment import plan_draft, planning, program_planning, work
from runfair.experiment.plan_draft import Request
from runfair.experiment.planning import resolve
from runfair.formats.plan import Cell, Plan
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant
from runfair.machine.processors import Assignment, assign

GCC = variant("gcc-12+o3", "c++").model_copy(update={"default": True})
CLANG = variant("clang-14+o3", "c++")
GO = variant("go-1.26", "go").model_copy(update={"default": True})
BUN = variant("bun", "javascript").model_copy(
    update={
        "default": True,
        "state": "missing",
        "reason": "not installed",
        "install": "./runfair install bun",
    }
)
QUICK = Request("quick")
VARIANTS = [GCC, CLANG, GO, BUN]


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with three variants, where everything is built already and Go has no heap limit."""

    def build(asked: Variant, _: ProgramSource, training: Any) -> Artefact:
        assert training
        return artefact().model_copy(update={"variant": asked.name})

    def launch_options(
        asked: Variant, heap_bytes: int | None, processors: int | None
    ) -> tuple[list[str], dict[str, str]]:
        if asked is GO and heap_bytes:
            raise Unsupported("Go has no heap limit")
        return ([f"-heap={heap_bytes}"] if heap_bytes else []), {"CPUS": str(processors)}

    monkeypatch.setattr(planning, "variants", lambda: VARIANTS)
    monkeypatch.setattr(plan_draft, "build", build)
    for reader in (work, program_planning):
        monkeypatch.setattr(reader, "input_file", lambda *_: None)
    monkeypatch.setattr(plan_draft, "launch_options", launch_options)
    monkeypatch.setattr(
        planning, "assign", lambda wanted, _: Assignment(tuple(range(wanted)), (7,), "crowded")
    )


def plan_of(measure: dict[str, Any], request: Request = QUICK, **experiment: Any) -> Plan:
    text = Experiment.model_validate(
        {"name": "test", "measure": [{"benchmarks": ["sort"], **measure}], **experiment}
    )
    return resolve(text, request, lambda _: None)


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
