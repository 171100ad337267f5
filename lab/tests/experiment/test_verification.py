"""Agreement of programs, and what becomes canonical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from experiment.plans import artefact, variant
from runfair.building.failure import BuildFailed, Unsupported
from runfair.catalogue.benchmark import (
    Benchmark,
    BenchmarkText,
    DriveText,
    ParameterText,
    ProgramText,
)
from runfair.catalogue.program import Edit, ProgramSource
from runfair.catalogue.size import SizeText
from runfair.errors import UserMistake
from runfair.experiment import verification
from runfair.experiment.untimed_run import UntimedAnswer
from runfair.experiment.verification import (
    Subject,
    Verified,
    answers,
    disagreements,
    subjects,
    verify,
)
from runfair.formats.answer import Answer, Answers
from runfair.formats.plan import Cell
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant
from runfair.machine.launching import Launcher

BENCHMARK = Benchmark(
    Path("/nowhere"),
    BenchmarkText.model_validate(
        {
            "name": "walk",
            "suite": "test",
            "about": "walks",
            "counters": ["steps"],
            "default_workload": "far",
            "workloads": {"far": ""},
            "sizes": {"tiny": {}},
            "programs": {},
        }
    ),
    Answers(),
)


def verified(language: str, digest: str = "0" * 16, steps: int = 3) -> Verified:
    subject = Subject(BENCHMARK, variant(language, language), "standard", "far", "tiny")
    return Verified(subject, digest, {"steps": steps})


def test_the_workloads_that_are_named_or_all() -> None:
    text = BENCHMARK.text.model_copy(
        update={
            "workloads": {"far": "", "near": ""},
            "programs": {"go": ProgramText(folder="go")},
        }
    )
    walk, go = replace(BENCHMARK, text=text), [variant("go", "go"), variant("rust", "rust")]

    def chosen(*workloads: str) -> list[str]:
        return [one.workload for one in subjects([walk], go, "tiny", 1, workloads)]

    assert [one.workload for one in subjects([walk], go, "tiny")] == ["far", "near"]
    assert chosen("near") == ["near"]
    with pytest.raises(UserMistake, match="no workload of walk is named 'nearer'"):
        chosen("nearer")
    with pytest.raises(UserMistake, match="no size of walk is named 'huge'"):
        subjects([walk], go, "huge")


def test_a_workload_that_a_program_lacks_is_not_asked_of_it() -> None:
    text = BENCHMARK.text.model_copy(
        update={
            "workloads": {"far": "", "near": ""},
            "programs": {
                "go": ProgramText(folder="go"),
                "rust": ProgramText(folder="rust", absent={"far": "Rust is too slow"}),
            },
        }
    )
    found = subjects(
        [replace(BENCHMARK, text=text)], [variant("go", "go"), variant("rust", "rust")], "tiny"
    )
    assert [(one.workload, one.variant.language) for one in found] == [
        ("far", "go"),
        ("near", "go"),
        ("near", "rust"),
    ]


def test_tiers_are_selected_by_name() -> None:
    programs = {"go": [ProgramText(folder="go"), ProgramText(folder="plain/go", tier="plain")]}
    text = BENCHMARK.text.model_copy(update={"programs": programs})
    walk, go = replace(BENCHMARK, text=text), [variant("go", "go")]

    def chosen(*tiers: str) -> set[str]:
        return {one.tier for one in subjects([walk], go, "tiny", tiers=tiers)}

    assert chosen("all") == {"standard", "plain"}
    assert chosen("plain") == {"plain"}
    with pytest.raises(UserMistake, match="no program has the tier 'plan'; the tiers are plain, s"):
        chosen("plan")


def test_those_that_agree_pass() -> None:
    ran = [verified("go"), verified("rust")]
    assert disagreements(ran) == ran


@pytest.mark.parametrize("other", [verified("rust", digest="1" * 16), verified("rust", steps=4)])
def test_another_digest_or_count_is_named(other: Verified) -> None:
    _, failed = disagreements([verified("go"), other])
    assert "but walk far tiny go go digest" in failed.failure


def test_forms_give_one_answer_unless_they_are_different_tasks() -> None:
    def of_form(form: str, differ: bool) -> Verified:
        changes = {"forms": {"fast": "", "slow": ""}, "forms_differ": differ}
        walk = replace(BENCHMARK, text=BENCHMARK.text.model_copy(update=changes), form=form)
        one = verified("go", digest=("0" if form == "fast" else "1") * 16)
        return replace(one, subject=replace(one.subject, benchmark=walk))

    for differ in (False, True):
        fast, slow = disagreements([of_form("fast", differ), of_form("slow", differ)])
        assert not fast.failure
        assert bool(slow.failure) != differ


def test_what_failed_or_was_skipped_is_nobodys_measure() -> None:
    ran = [
        replace(verified("java"), digest=None, operations=None, failure="no"),
        replace(verified("c++"), digest=None, operations=None, skipped="missing"),
        verified("go"),
        verified("rust"),
    ]
    assert disagreements(ran) == ran


def test_two_languages_that_agree_make_an_answer() -> None:
    (answer,) = answers([verified("go"), verified("rust")])["walk"]
    assert (answer.digest, answer.operations) == ("0" * 16, {"steps": 3})


def test_an_answer_is_recorded_with_the_users_parameters() -> None:
    own = {"steps": "5"}
    text = BENCHMARK.text.model_copy(
        update={
            "parameters": {"steps": ParameterText(about="how many", least=1, most=9)},
            "sizes": {"tiny": SizeText(params={"steps": 3})},
            "programs": {"go": ProgramText(folder="go"), "rust": ProgramText(folder="rust")},
        }
    )
    walk = replace(BENCHMARK, text=text)
    both = [variant("go", "go"), variant("rust", "rust")]
    chosen = subjects([walk], both, "tiny", own=own)
    ran = [Verified(subject, "5" * 16, {"steps": 5}) for subject in chosen]
    assert ran[0].name == "walk far tiny steps=5 go go"
    (answer,) = answers(ran)["walk"]
    assert answer.params == {"steps": 5}
    recorded = replace(walk, answers=Answers(answers=[answer]))
    assert recorded.answer("far", "tiny", 1, {"steps": 5}) == answer
    assert recorded.answer("far", "tiny", 1) is None
    with pytest.raises(UserMistake, match="an integer from 1 to 9"):
        subjects([walk], both, "tiny", own={"steps": "10"})
    with pytest.raises(UserMistake, match="stride"):
        subjects([walk], both, "tiny", own={"stride": "10"})


def test_one_language_alone_or_a_failure_makes_none() -> None:
    with pytest.raises(ContractBroken, match="only if programs in two languages agree"):
        answers([verified("go"), replace(verified("go"))])
    with pytest.raises(ContractBroken, match="walk far tiny rust rust: broken"):
        answers([verified("go"), replace(verified("rust"), failure="broken")])


CANONICAL = replace(
    BENCHMARK,
    answers=Answers(
        answers=[
            Answer(workload="far", size="tiny", seed=1, digest="0" * 16, operations={"steps": 3})
        ]
    ),
)


@pytest.mark.parametrize(
    ("digest", "steps", "agrees"),
    [("0" * 16, 3, True), ("1" * 16, 3, False), ("0" * 16, 4, False)],
)
def test_the_canonical_answer_is_stronger_than_agreement(
    digest: str, steps: int, agrees: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both programs say the same, and both are held against what was recorded."""

    def ran(subject: Subject, _launcher: Launcher, processors: Sequence[int]) -> Verified:
        assert list(processors) in ([0], [1])
        return Verified(subject, digest, {"steps": steps})

    monkeypatch.setattr(verification, "run_subject", ran)
    chosen = [
        Subject(CANONICAL, variant(name, name), "standard", "far", "tiny") for name in ("go", "c++")
    ]
    done: list[Verified] = []
    found = verify(chosen, Launcher(Path("/nowhere")), [0, 1], done.append)
    assert done == found
    assert [one.subject for one in found] == chosen
    for one in found:
        assert (one.failure == "") is agrees
        assert agrees or "canonical: digest 0000000000000000, {'steps': 3}" in one.failure


def test_a_program_that_cannot_be_built_fails_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unlike one that its runtime cannot run, which is passed over."""

    def build(
        asked: Variant,
        _source: ProgramSource,
        training: Sequence[str],
        *,
        counted: bool,
        edits: Sequence[Edit],
    ) -> Artefact:
        assert "workload=far" in training
        assert counted
        assert not edits
        if asked.language == "go":
            raise BuildFailed("go could not build it; see failed.log")
        raise Unsupported("it needs another compiler")

    monkeypatch.setattr(verification, "build", build)
    programs = {language: ProgramText(folder=language) for language in ("go", "c++")}
    sizes = {"tiny": SizeText(), "small": SizeText()}
    text = BENCHMARK.text.model_copy(update={"programs": programs, "sizes": sizes})
    walk = replace(BENCHMARK, text=text)
    chosen = subjects([walk], [variant(name, name) for name in programs], "tiny")
    failed, skipped = verify(chosen, Launcher(Path("/nowhere")), [0], lambda _: None)
    assert failed.failure == "go could not build it; see failed.log"
    assert (skipped.failure, skipped.skipped) == ("", "it needs another compiler")


@pytest.mark.parametrize(
    ("plain", "counted", "said"),
    [
        (UntimedAnswer("0" * 16, None), UntimedAnswer("0" * 16, {"steps": 3}), ""),
        (
            UntimedAnswer("0" * 16, None),
            UntimedAnswer("0" * 16, None),
            "the program was started with the option count=1, but printed no `operations` line",
        ),
        (
            UntimedAnswer("0" * 16, {"steps": 3}),
            UntimedAnswer("0" * 16, {"steps": 3}),
            "the program was started without the option count=1, but printed an `operations` line",
        ),
        (
            UntimedAnswer("0" * 16, None),
            UntimedAnswer("1" * 16, {"steps": 3}),
            f"the timed build gave the digest {'0' * 16}, but the build that counts "
            f"operations gave the digest {'1' * 16}",
        ),
        (
            UntimedAnswer("0" * 16, None),
            UntimedAnswer("0" * 16, {"jumps": 3}),
            "the program counted the operations ['jumps'], but the benchmark declares ['steps']",
        ),
    ],
)
def test_what_is_wrong_with_a_program_by_itself(
    plain: UntimedAnswer, counted: UntimedAnswer, said: str
) -> None:
    assert verification._departure(BENCHMARK, plain, counted) == said


ZERO = "0" * 16
TIMED, COUNTED = replace(artefact(), sha256="a" * 64), replace(artefact(), sha256="b" * 64)


def of_two_languages(folder: Path, form: str = "") -> Benchmark:
    """The benchmark with programs below this folder."""
    changes = {
        "workloads": {"far": "", "near": ""},
        "programs": {"go": ProgramText(folder="go"), "c++": ProgramText(folder="cpp")},
        "forms": {"fast": "", "slow": ""} if form else {},
        "sizes": {"tiny": SizeText(), "small": SizeText()},
    }
    text = BENCHMARK.text.model_copy(update=changes)
    return replace(CANONICAL, folder=folder, text=text, form=form)


@pytest.mark.parametrize(
    ("drive", "steps", "lies"),
    [
        (None, 0, False),
        (None, 3, True),
        (DriveText(protocol="resp"), 0, False),
        (DriveText(protocol="resp"), 3, True),
        (DriveText(protocol="resp", reported=["steps"]), 3, False),
    ],
)
def test_a_timed_build_that_counts_is_a_lie(
    drive: DriveText | None, steps: int, lies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the benchmark's servers report the counter to their clients."""
    asked = []

    def build(*_: object, counted: bool = False, **__: object) -> Artefact:
        return COUNTED if counted else TIMED

    def run_untimed(cell: Cell, *_: object, count: bool = False, **__: object) -> UntimedAnswer:
        asked.append((cell.artefact == COUNTED, count))
        counted = {"steps": 3 if cell.artefact == COUNTED else steps}
        return UntimedAnswer(ZERO, counted if count else None)

    monkeypatch.setattr(verification, "build", build)
    monkeypatch.setattr(verification, "run_untimed", run_untimed)
    walk = of_two_languages(tmp_path)
    walk = replace(walk, text=walk.text.model_copy(update={"drive": drive}))
    subject = Subject(walk, variant("go", "go"), "standard", "far", "tiny")
    (verified,) = verify([subject], Launcher(Path("/nowhere")), [0], lambda _: None)
    assert verified.lying_tick is lies
    assert ("adds to a counter outside a counting line" in verified.failure) is lies
    # A server that counts has a single connection, so it also runs as it is measured.
    measured = [(False, False)] if drive is not None and not lies else []
    assert asked == [(True, True), (False, True), *measured]
