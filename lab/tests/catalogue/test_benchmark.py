"""Benchmarks as their folders describe them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.benchmark import CONTRACT_OPTIONS, benchmarks, select_benchmarks
from runfair.catalogue.experiment import read_experiment
from runfair.errors import UserMistake
from runfair.formats.answer import Answer, Answers, read_answers, write_answers
from runfair.formats.record import Scalar

LANGUAGES = {"c++", "go", "java", "javascript", "python", "rust"}
# Languages that serve one suite alone.
OF_SUITE = {
    "actors": {"erlang", "newspeak"},
    "concurrency": {"erlang"},
    "newspeak": {"erlang", "newspeak"},
}
# Languages that have nothing for a question; the contract says why.
ABSENT = {
    "awfy": {"go", "rust"},
    "blocking": {"erlang"},
    "contended-lock": {"erlang"},
    "savina": {"c++", "javascript", "python"},
    "select": {"erlang"},
    "sends": LANGUAGES | {"erlang"},
}
SIZES = {"tiny", "small", "large", "paper"}

TEXT = """
name = "walk"
suite = "test"
about = "walks"
counters = ["steps"]
default_workload = "far"

[workloads]
far = "a long way"
near = "not"

[parameters]
steps = { least = 1, most = 9, about = "how many" }
pace = { default = "", path = true, about = "a file of paces" }

[sizes.tiny]
params = { steps = 3 }

[programs]
go = [{ folder = "go" }, { folder = "go-arena", tier = "arena" }]
python = { folder = "python" }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "test" / "walk"
    folder.mkdir(parents=True)
    (folder / "benchmark.toml").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize("name", benchmarks())
def test_the_committed_ones_are_whole(name: str) -> None:
    benchmark = benchmarks()[name]
    asked = LANGUAGES | OF_SUITE.get(benchmark.text.suite, set())
    absent = asked - {*benchmark.text.programs}
    assert absent == ABSENT.get(benchmark.text.name, set())
    contract = (benchmark.folder / "contract.md").read_text("utf-8").lower()
    assert all(language in contract for language in absent)
    # `paper` is the size of the study that a suite repeats; not every suite does.
    assert {*benchmark.text.sizes} - {"steady", "paper"} == SIZES - {"paper"}
    for program in benchmark.programs:
        assert program.folder.is_dir()
    for workload in benchmark.text.workloads:
        for size in set(benchmark.text.sizes) - {"paper"}:
            answer = benchmark.answer(workload, size, 1)
            assert answer is not None, f"no canonical answer of {workload} {size}"
            assert set(answer.operations) == set(benchmark.text.counters)


def test_tiers_are_programs_of_their_own(root: Path) -> None:
    walk = benchmarks(root)["walk"]
    assert {(one.language, one.tier) for one in walk.programs} == {
        ("go", "standard"),
        ("go", "arena"),
        ("python", "standard"),
    }
    assert walk.program("go", "arena") is not None
    assert walk.program("rust", "standard") is None


def test_forms_are_benchmarks_that_share_a_folder(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    path.write_text(TEXT + '[forms]\nfast = "running"\nslow = "strolling"\n')
    known = benchmarks(root)
    assert set(known) == {"walk-fast", "walk-slow"}
    fast = known["walk-fast"]
    assert fast.parameters("tiny") == {"form": "fast", "pace": "", "steps": 3}
    assert {one.benchmark for one in fast.programs} == {"walk"}  # built once
    told = Answer(
        form="fast", workload="far", size="tiny", seed=1, digest="0" * 16, operations={"steps": 3}
    )
    write_answers(path.parent, Answers(answers=[told]))
    known = benchmarks(root)
    assert known["walk-fast"].answer("far", "tiny", 1) == told
    assert known["walk-slow"].answer("far", "tiny", 1) is None


def test_a_form_may_have_an_amount_of_its_own(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    own = "[sizes.small]\nparams = { steps = 4 }\nforms.slow.params = { steps = 2 }\n"
    path.write_text(TEXT + own + '[forms]\nfast = "running"\nslow = "strolling"\n')
    known = benchmarks(root)
    assert known["walk-fast"].parameters("small")["steps"] == 4
    assert known["walk-slow"].parameters("small")["steps"] == 2
    assert known["walk-slow"].parameters("tiny")["steps"] == 3


def test_a_form_may_need_more_of_a_parameter(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    text = TEXT + '[forms]\nfast = "running"\nslow = "strolling"\n'
    path.write_text(text.replace("most = 9", "least_of = { fast = 2 }, most = 9"))
    known = benchmarks(root)
    assert known["walk-slow"].parameters("tiny", {"steps": 1})["steps"] == 1
    assert known["walk-fast"].parameters("tiny", {"steps": 2})["steps"] == 2
    said = "the parameter steps of walk-fast must be an integer from 2 to 9, not 1"
    with pytest.raises(UserMistake, match=said):
        known["walk-fast"].parameters("tiny", {"steps": 1})
    path.write_text(text.replace("most = 9", "least_of = { faster = 2 }, most = 9"))
    with pytest.raises(UserMistake, match="least_of: this benchmark has no form faster; correct"):
        benchmarks(root)


def test_steady_has_its_own_size_but_for_who_only_tries(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    assert benchmarks(root)["walk"].usual_size("small", "steady") == "small"
    path.write_text(TEXT + "[sizes.steady]\nparams = { steps = 2 }\n")
    walk = benchmarks(root)["walk"]
    assert walk.usual_size("large", "steady") == "steady"
    assert walk.usual_size("large", "cold") == "large"
    assert walk.usual_size("tiny", "steady") == "tiny"


def test_a_size_gives_all_parameters_and_the_user_may_change_them(root: Path) -> None:
    walk = benchmarks(root)["walk"]
    assert walk.parameters("tiny") == {"pace": "", "steps": 3}
    assert walk.parameters("tiny", {"steps": 9, "pace": "a"}) == {"pace": "a", "steps": 9}


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"stepps": 3}, "no parameter of walk is named 'stepps'; choose from steps"),
        ({"steps": 0}, "the parameter steps of walk must be an integer from 1 to 9, not 0"),
        ({"steps": 10}, "the parameter steps of walk must be an integer from 1 to 9, not 10"),
        ({"steps": "3"}, "the parameter steps of walk must be an integer from 1 to 9, not '3'"),
        ({"steps": 3.0}, "the parameter steps of walk must be an integer from 1 to 9, not 3.0"),
        ({"steps": True}, "the parameter steps of walk must be an integer from 1 to 9, not True"),
        ({"pace": 3}, "the parameter pace of walk must be a text, not 3"),
        ({"form": "fast"}, "no parameter of walk is named 'form'"),
        ({"seed": 3}, "no parameter of walk is named 'seed'"),
    ],
)
def test_a_parameter_that_is_wrong(root: Path, own: dict[str, Scalar], said: str) -> None:
    walk = benchmarks(root)["walk"]
    with pytest.raises(UserMistake) as mistake:
        walk.parameters("tiny", own)
    assert said in str(mistake.value)


def test_a_size_that_lacks_a_parameter(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    path.write_text(TEXT + "[sizes.small]\n")
    with pytest.raises(
        UserMistake, match="the size small of walk has no value for the parameter steps"
    ):
        benchmarks(root)["walk"].parameters("small")
    assert benchmarks(root)["walk"].parameters("small", {"steps": 2})["steps"] == 2


@pytest.mark.parametrize("name", sorted(CONTRACT_OPTIONS))
def test_a_parameter_named_as_an_option_of_the_contract(root: Path, name: str) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    path.write_text(TEXT.replace("steps = { least", f"{name} = {{ least"))
    with pytest.raises(UserMistake, match=f"every program already has the option {name}"):
        benchmarks(root)


@pytest.mark.parametrize("name", benchmarks())
def test_the_committed_sizes_give_every_parameter(name: str) -> None:
    benchmark = benchmarks()[name]
    for size in benchmark.text.sizes:
        given = benchmark.parameters(size)
        assert set(given) == {*benchmark.text.parameters, *(["form"] if benchmark.form else [])}


def test_a_tier_may_have_a_recipe_of_its_own(root: Path) -> None:
    folder = root / "test" / "walk" / "go-arena"
    folder.mkdir()
    (folder / "program.toml").write_text(
        'minimum = "1.20"\n[build]\nsources = []\n[run]\ncommand = ["{folder}/walk"]\n'
    )
    walk = benchmarks(root)["walk"]
    arena, plain = walk.program("go", "arena"), walk.program("go", "standard")
    assert arena is not None
    assert plain is not None
    assert plain.recipe is None
    assert arena.recipe is not None
    assert arena.recipe.minimum == "1.20"


def test_a_server_is_driven_over_connections(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    assert benchmarks(root)["walk"].connections("far", "tiny") is None
    driven = '[drive]\nprotocol = "resp"\nsequential = ["near"]\n'
    path.write_text(TEXT + driven + "[sizes.small]\ndrive = { connections = 8 }\n")
    walk = benchmarks(root)["walk"]
    assert walk.connections("far", "small") == 8
    assert walk.connections("near", "small") == 1  # what comes of it depends on the order
    assert walk.connections("far", "tiny") == 1


def test_what_a_server_reports_is_a_counter(root: Path) -> None:
    driven = '[drive]\nprotocol = "resp"\nreported = ["hops"]\n'
    (root / "test" / "walk" / "benchmark.toml").write_text(TEXT + driven)
    with pytest.raises(UserMistake, match="'hops' is not one of the counters"):
        benchmarks(root)


def test_workloads_and_sizes_resolve(root: Path) -> None:
    walk = benchmarks(root)["walk"]
    assert walk.resolve_workloads(["default"]) == ["far"]
    assert walk.resolve_workloads(["all", "near"]) == ["far", "near"]
    with pytest.raises(UserMistake, match="no workload of walk is named 'fast'"):
        walk.resolve_workloads(["fast"])
    with pytest.raises(UserMistake, match="no size of walk is named 'small'; choose from tiny"):
        walk.size("small")


def test_selection_by_name_and_suite(root: Path) -> None:
    known = benchmarks(root)
    assert [one.name for one in select_benchmarks(["test/*", "walk"], known)] == ["walk"]
    with pytest.raises(UserMistake, match="no suite is named 'tset'; choose from test"):
        select_benchmarks(["tset/*"], known)
    with pytest.raises(UserMistake, match="no benchmark is named 'wlak'; choose from walk"):
        select_benchmarks(["wlak"], known)


def test_a_default_that_is_no_workload(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    path.write_text(TEXT.replace('default_workload = "far"', 'default_workload = "afar"'))
    told = "`default_workload` is 'afar', but this benchmark has no such workload; choose from far"
    with pytest.raises(UserMistake, match=told):
        benchmarks(root)


def test_a_program_has_the_workloads_that_it_does_not_name_as_absent(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    arena = 'folder = "go-arena", tier = "arena"'
    path.write_text(TEXT.replace(arena, f'{arena}, absent = {{ far = "arenas are small" }}'))
    plain, arena_program, _ = benchmarks(root)["walk"].programs
    assert [plain.has(one) for one in ("far", "near")] == [True, True]
    assert [arena_program.has(one) for one in ("far", "near")] == [False, True]
    assert arena_program.absent == {"far": "arenas are small"}
    path.write_text(TEXT.replace(arena, f'{arena}, absent = {{ nearer = "arenas are small" }}'))
    with pytest.raises(UserMistake, match="go-arena names the workload nearer"):
        benchmarks(root)


def test_a_program_has_the_forms_that_it_names(root: Path) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    text = TEXT + '[forms]\nfast = "running"\nslow = "strolling"\n'
    python = 'python = { folder = "python"'
    path.write_text(text.replace(python, f'{python}, forms = ["slow"]'))
    languages = {
        name: {one.language for one in walk.programs} for name, walk in benchmarks(root).items()
    }
    assert languages == {"walk-fast": {"go"}, "walk-slow": {"go", "python"}}
    path.write_text(text.replace(python, f'{python}, forms = ["slower"]'))
    with pytest.raises(UserMistake, match="python names the form slower"):
        benchmarks(root)


def test_two_of_one_name(root: Path) -> None:
    other = root / "test" / "walk2"
    other.mkdir()
    (other / "benchmark.toml").write_text(TEXT)
    with pytest.raises(UserMistake, match="another benchmark already has the name 'walk'"):
        benchmarks(root)


def test_answers_are_replaced_by_work_and_survive_the_disk(tmp_path: Path) -> None:
    def answer(digest: str, workload: str = "far") -> Answer:
        return Answer(
            workload=workload, size="tiny", seed=1, digest=digest * 16, operations={"steps": 3}
        )

    answers = Answers(answers=[answer("0"), answer("1", "near")]).replacing([answer("2")])
    write_answers(tmp_path, answers)
    assert read_answers(tmp_path) == answers
    assert [(one.workload, one.digest) for one in answers.answers] == [
        ("far", "2" * 16),
        ("near", "1" * 16),
    ]
    (tmp_path / "answers.json").write_text("{")
    with pytest.raises(UserMistake, match="not a file of answers"):
        read_answers(tmp_path)


def test_an_answer_belongs_to_its_parameters(root: Path) -> None:
    """Whether a size states them or the user; the pace only observes."""
    folder = root / "test" / "walk"
    text = TEXT.replace("path = true", "observing = true")
    (folder / "benchmark.toml").write_text(text + "\n[sizes.small]\nparams = { steps = 5 }\n")
    recorded = [
        Answer(workload="far", size=size, params=params, seed=1, digest=digest, operations={})
        for size, params, digest in (
            ("tiny", {}, "3" * 16),
            ("tiny", {"steps": 5}, "5" * 16),
            ("tiny", {"steps": 7}, "7" * 16),
            ("gone", {"steps": 9}, "9" * 16),
        )
    ]
    write_answers(folder, Answers(answers=recorded))
    walk = benchmarks(root)["walk"]

    def digest(size: str, own: dict[str, Scalar], workload: str = "far", seed: int = 1) -> str:
        answer = walk.answer(workload, size, seed, own)
        return "none" if answer is None else answer.digest[0]

    assert digest("tiny", {}) == digest("small", {"steps": 3}) == "3"
    assert digest("small", {}) == digest("tiny", {"steps": 5, "pace": "slow"}) == "5"
    assert digest("small", {"steps": 7}) == "7"
    assert digest("small", {"steps": 9}) == digest("tiny", {"steps": 4}) == "none"
    assert digest("tiny", {"steps": 5}, seed=2) == digest("tiny", {}, "near") == "none"


def test_an_answer_belongs_to_its_input(root: Path) -> None:
    """An input is generated for a size, so an answer of another size is not used."""
    folder = root / "test" / "walk"
    sizes = '\n[sizes.small]\nparams = { steps = 3 }\n[input]\ngenerator = "generate.py"\n'
    (folder / "benchmark.toml").write_text(TEXT + sizes)
    answer = Answer(workload="far", size="tiny", seed=1, digest="3" * 16, operations={})
    write_answers(folder, Answers(answers=[answer]))
    walk = benchmarks(root)["walk"]
    assert walk.answer("far", "tiny", 1) == answer
    assert walk.answer("far", "small", 1) is None


@pytest.mark.parametrize("language", ["go", "java", "node", "python"])
def test_an_experiment_with_one_language_has_recorded_answers(language: str) -> None:
    """No program in a second language can confirm its answers."""
    known = benchmarks()
    for measure in read_experiment(f"{language}-versions").measure:
        for benchmark in [known[one] for one in measure.benchmarks if measure.params]:
            for workload in benchmark.resolve_workloads(measure.workloads):
                for size in ("tiny", "small"):
                    answer = benchmark.answer(workload, size, 1, measure.params)
                    assert answer is not None, (workload, size, measure.params)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            'per_thousand = "hops"\nsingle = true',
            "'hops' is not one of the counters",
        ),
        ('per_thousand = "steps"', "needs `single = true` and `unit = "),
        ('per_thousand = "steps"\nsingle = true\nunit = "count"', "needs `single = true`"),
    ],
)
def test_a_time_per_thousand_operations_needs_its_counter(
    root: Path, declared: str, said: str
) -> None:
    unit = "" if "unit" in declared else 'unit = "ns"\n'
    text = f'\n[distributions.hops]\nabout = "a hop"\n{unit}percentiles = ["p50"]\n{declared}\n'
    (root / "test" / "walk" / "benchmark.toml").write_text(TEXT + text)
    with pytest.raises(UserMistake, match=said):
        benchmarks(root)


CROSSOVER = """
[distributions.hops]
about = "a hop"
unit = "ns"
percentiles = ["p50"]

[distributions.bytes]
about = "of a step"
unit = "bytes"
percentiles = ["p50"]

[crossovers.steps]
workloads = ["far", "near"]
figure = "hops.p50"
"""


def test_a_crossover_is_declared_below_its_parameter(root: Path) -> None:
    (root / "test" / "walk" / "benchmark.toml").write_text(TEXT + CROSSOVER)
    (parameter,) = benchmarks(root)["walk"].text.crossovers
    found = benchmarks(root)["walk"].text.crossovers[parameter]
    assert (parameter, found.workloads, found.figure) == ("steps", ["far", "near"], "hops.p50")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "crossovers.steps",
            "crossovers.stpes",
            "33: crossovers.stpes: the benchmark has no numeric parameter 'stpes'; choose from "
            "steps",
        ),
        ("crossovers.steps", "crossovers.pace", "has no numeric parameter 'pace'"),
        (
            '"near"]',
            '"nigh"]',
            "34: crossovers.steps.workloads: the benchmark has no workload 'nigh'; choose from "
            "far, near",
        ),
        ('"near"]', '"far"]', "34: crossovers.steps.workloads: state the two workloads whose"),
        (', "near"]', "]", "34: crossovers.steps.workloads: state the two workloads whose"),
        (
            "hops.p50",
            "hops.p99",
            "35: crossovers.steps.figure: the benchmark has no time 'hops.p99'; choose from "
            "wall, cpu, hops.p50",
        ),
        ("hops.p50", "bytes.p50", "has no time 'bytes.p50'"),
        ("hops.p50", "memory", "has no time 'memory'"),
        ('figure = "hops.p50"\n', "", "33: crossovers.steps.figure: Field required"),
    ],
)
def test_a_wrong_crossover_is_one_line(root: Path, old: str, new: str, said: str) -> None:
    path = root / "test" / "walk" / "benchmark.toml"
    assert old in CROSSOVER
    path.write_text(TEXT + CROSSOVER.replace(old, new, 1))
    with pytest.raises(UserMistake) as refused:
        benchmarks(root)
    assert str(refused.value).startswith(f"{path}:")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
