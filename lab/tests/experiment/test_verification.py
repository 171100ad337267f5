"""Agreement of programs, and what becomes canonical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from experiment.plans import variant
from runfair.building.failure import BuildFailed, Unsupported
from runfair.catalogue.benchmark import Benchmark, BenchmarkText, ProgramText, SizeText
from runfair.catalogue.program import ProgramSource
from runfair.errors import UserMistake
from runfair.experiment import verification
from runfair.experiment.conversation import Said
from runfair.experiment.verification import (
    Subject,
    Verified,
    answers,
    disagreements,
    subjects,
    verify,
)
from runfair.formats.answer import Answer, Answers
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


def test_those_that_agree_pass() -> None:
    ran = [verified("go"), verified("rust")]
    assert disagreements(ran) == ran


@pytest.mark.parametrize("other", [verified("rust", digest="1" * 16), verified("rust", steps=4)])
def test_another_digest_or_count_is_named(other: Verified) -> None:
    _, failed = disagreements([verified("go"), other])
    assert "but walk far tiny go go digest" in failed.failure


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


def test_one_language_alone_or_a_failure_makes_none() -> None:
    with pytest.raises(ContractBroken, match="needs two languages"):
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

    monkeypatch.setattr(verification, "_run", ran)
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

    def build(asked: Variant, _source: ProgramSource, training: Sequence[str]) -> Artefact:
        assert "small" in training
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
        (Said("0" * 16, None), Said("0" * 16, {"steps": 3}), ""),
        (Said("0" * 16, None), Said("0" * 16, None), "no `operations` under --count"),
        (
            Said("0" * 16, {"steps": 3}),
            Said("0" * 16, {"steps": 3}),
            "counts operations without --count",
        ),
        (
            Said("0" * 16, None),
            Said("1" * 16, {"steps": 3}),
            f"digest {'0' * 16} plain, {'1' * 16} under --count",
        ),
        (
            Said("0" * 16, None),
            Said("0" * 16, {"jumps": 3}),
            "counts ['jumps'], the benchmark names ['steps']",
        ),
    ],
)
def test_what_is_wrong_with_a_program_by_itself(plain: Said, counted: Said, said: str) -> None:
    assert verification._departure(BENCHMARK, plain, counted) == said
