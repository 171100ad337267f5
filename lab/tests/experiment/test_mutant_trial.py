"""Trials of mutants: which are tried, and what catches them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from experiment.plans import artefact, variant
from experiment.test_verification import COUNTED, ZERO, of_two_languages
from runfair.building.failure import BuildFailed, TickRefused, Unsupported
from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.program import Edit, Mutant, MutantText
from runfair.errors import UserMistake
from runfair.experiment import verification
from runfair.experiment.mutant_trial import Trial, trials, try_mutants
from runfair.experiment.untimed_run import UntimedAnswer
from runfair.experiment.verification import Subject
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact
from runfair.machine.launching import Launcher

MUTANTS = """
[[mutant]]
name = "the library's walk"
kind = "library"
quick = true
edits = [{ file = "walk.go", old = "walk()", new = "library.Walk()" }]

[[mutant]]
name = "half the way"
kind = "skipped"
workload = "near"
edits = [{ file = "walk.go", old = "walk()", new = "walk() / 2" }]

[[mutant]]
name = "of the second form"
kind = "cached"
form = "slow"
edits = [{ file = "walk.go", old = "walk()", new = "kept" }]

[[mutant]]
name = "a tick that lies"
kind = "tick"
edits = [{ file = "walk.go", old = "steps++ // tick", new = "steps += 3 // tick" }]
"""


def with_mutants(folder: Path, form: str = "") -> Benchmark:
    (folder / "go").mkdir(exist_ok=True)
    (folder / "go" / "mutants.toml").write_text(MUTANTS)
    return of_two_languages(folder, form)


def test_each_mutant_is_tried_on_the_work_that_it_names(tmp_path: Path) -> None:
    used = [variant("go", "go"), variant("gccgo", "go"), variant("c++", "c++")]

    def named(form: str = "", quick: bool = False) -> list[tuple[str, str, str]]:
        return [
            (one.subject.variant.name, one.mutant.text.name, one.subject.workload)
            for one in trials([with_mutants(tmp_path, form)], used, quick=quick)
        ]

    library, half = ("the library's walk", "far"), ("half the way", "near")
    other, lying = ("of the second form", "far"), ("a tick that lies", "far")
    assert named("fast") == [(go, *one) for go in ("go", "gccgo") for one in (library, half, lying)]
    assert named("slow") == [(go, *other) for go in ("go", "gccgo")]
    assert named("fast", quick=True) == [("go", *library), ("gccgo", *library)]
    assert named(quick=True) == named("fast", quick=True)


def test_a_mutant_of_an_unknown_workload(tmp_path: Path) -> None:
    walk = with_mutants(tmp_path)
    path = tmp_path / "go" / "mutants.toml"
    path.write_text(MUTANTS.replace('workload = "near"', 'workload = "nearer"'))
    with pytest.raises(UserMistake, match="no workload of walk is named 'nearer'"):
        trials([walk], [variant("go", "go")])


RIGHT = UntimedAnswer(ZERO, {"steps": 3})
CAUGHT, SURVIVED, SKIPPED = "caught", "failure", "skipped"
LIES = TickRefused("walk.go, line 3: a tick adds 1")
COMPILER = BuildFailed("go could not build it; see failed.log")


@pytest.mark.parametrize(
    ("kind", "built", "said", "becomes", "why"),
    [
        (
            "library",
            None,
            RIGHT,
            SURVIVED,
            "this program has a deliberate error, but it passed the checks like a correct program",
        ),
        ("library", None, UntimedAnswer(ZERO, {"steps": 2}), CAUGHT, "{'steps': 2}; canonical: "),
        (
            "library",
            None,
            UntimedAnswer("1" * 16, {"steps": 3}),
            CAUGHT,
            "digest 1111111111111111, {'steps': 3}; canonical: ",
        ),
        ("cached", None, ContractBroken("iteration 1 counted less"), CAUGHT, "counted less"),
        (
            "library",
            COMPILER,
            RIGHT,
            SURVIVED,
            "the program with a deliberate error failed in another way than expected (go could not "
            "build it; see failed.log)",
        ),
        (
            "library",
            LIES,
            RIGHT,
            SURVIVED,
            "failed in another way than expected (walk.go, line 3",
        ),
        ("library", Unsupported("too old"), RIGHT, SKIPPED, "too old"),
        ("tick", LIES, RIGHT, CAUGHT, "walk.go, line 3: a tick adds 1"),
        (
            "tick",
            None,
            RIGHT,
            SURVIVED,
            "this program has a deliberate error, but it passed the checks like a correct program",
        ),
        (
            "tick",
            None,
            UntimedAnswer(ZERO, {"steps": 2}),
            SURVIVED,
            "failed in another way than expected",
        ),
        # An edit that does not fit, or a compiler that fails, refutes no tick.
        (
            "tick",
            COMPILER,
            RIGHT,
            SURVIVED,
            "the program with a deliberate error failed in another way than expected (go could not "
            "build it; see failed.log)",
        ),
    ],
)
def test_a_mutant_is_caught_by_what_it_is(
    kind: Literal["library", "cached", "tick"],
    built: Exception | None,
    said: UntimedAnswer | ContractBroken,
    becomes: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edit = Edit(file="walk.go", old="a", new="b")

    def build(*_: object, edits: Sequence[Edit], **__: object) -> Artefact:
        assert edits == [edit]
        if built is not None:
            raise built
        return artefact()

    def run_untimed(*_: object, count: bool = False, **__: object) -> UntimedAnswer:
        if not count:
            return UntimedAnswer(ZERO, None)
        if isinstance(said, ContractBroken):
            raise said
        return said

    monkeypatch.setattr(verification, "build", build)
    monkeypatch.setattr(verification, "run_untimed", run_untimed)
    subject = Subject(with_mutants(tmp_path), variant("go", "go"), "standard", "far", "tiny")
    trial = Trial(subject, Mutant(tmp_path, MutantText(name="m", kind=kind, edits=[edit])))
    done: list[Trial] = []
    (tried,) = try_mutants([trial], Launcher(Path("/nowhere")), [0], done.append)
    assert done == [tried]
    outcomes = {CAUGHT: tried.caught, SURVIVED: tried.failure, SKIPPED: tried.skipped}
    assert why in outcomes[becomes]
    assert [name for name, text in outcomes.items() if text] == [becomes]


@pytest.mark.parametrize(
    ("steps", "builds"), [(2, ["counted"]), (3, ["counted", "counted", "timed"])]
)
def test_a_mutant_that_the_counted_build_refutes_has_no_timed_build(
    steps: int, builds: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def build(*_: object, counted: bool, **__: object) -> Artefact:
        made.append("counted" if counted else "timed")
        return COUNTED

    def run_untimed(*_: object, count: bool = False, **__: object) -> UntimedAnswer:
        return UntimedAnswer(ZERO, {"steps": steps} if count else None)

    monkeypatch.setattr(verification, "build", build)
    monkeypatch.setattr(verification, "run_untimed", run_untimed)
    subject = Subject(with_mutants(tmp_path), variant("go", "go"), "standard", "far", "tiny")
    edits = [Edit(file="walk.go", old="a", new="b")]
    trial = Trial(subject, Mutant(tmp_path, MutantText(name="m", kind="skipped", edits=edits)))
    (tried,) = try_mutants([trial], Launcher(Path("/nowhere")), [0], lambda _: None)
    assert bool(tried.caught) is (steps == 2)
    assert made == builds
