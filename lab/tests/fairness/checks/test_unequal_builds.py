"""One side built with more care than the other."""

from __future__ import annotations

import pytest

from evidence.honest_run import GCC, GO, JAVA, PYTHON, cell_id, honest_run
from evidence.honest_services import VERTX, on_services, service_cell
from evidence.records import EXECUTIONS
from fairness.stories import SMALL, Story
from runfair.fairness.checks.unequal_builds import check
from runfair.formats.record import Scalar

GOPHER = cell_id(GO)
SNAKE = cell_id(PYTHON)

STORIES = (
    Story(
        "PGO on one side",
        lambda run: run.with_effective(GOPHER, {**GO.effective, "pgo": True}),
        "warning",
        GOPHER,
    ),
    Story(
        "the baseline alone is built with LTO",
        lambda run: run.with_flags(GCC.name, "-O3 -flto"),
        "warning",
        GOPHER,
    ),
    Story(
        "two variants of one runtime, where the tag is what is compared",
        lambda run: run.with_variant(GO.name, runtime="gcc-12.2.0").with_effective(
            GOPHER, {**GO.effective, "pgo": True}
        ),
        "limitation",
        GOPHER,
    ),
    Story(
        "a CPython without PGO",
        lambda run: run.with_effective(SNAKE, {"pgo": False, "lto": True}),
        "warning",
        SNAKE,
    ),
    Story(
        "a CPython of the user's own family",
        lambda run: run.with_variant(PYTHON.name, family="mine", kin="cpython").with_effective(
            SNAKE, {"pgo": False, "lto": False}
        ),
        "warning",
        SNAKE,
    ),
    Story(
        "a CPython without LTO",
        lambda run: run.with_effective(SNAKE, {"pgo": True, "lto": False}),
        "warning",
        SNAKE,
    ),
    Story(
        "a CPython that does not tell",
        lambda run: run.with_effective(SNAKE, {}),
        "limitation",
        SNAKE,
    ),
    Story(
        "a CPython whose options the distribution took out",
        lambda run: run.with_effective(SNAKE, {"build_flags": "--enable-shared"}),
        "limitation",
        SNAKE,
    ),
    Story(
        "a CPython whose options say it all",
        lambda run: run.with_effective(
            SNAKE, {"build_flags": "'--enable-optimizations' '--with-lto'"}
        ),
        None,
    ),
    Story(
        "assertions on",
        lambda run: run.with_effective(SMALL, {**GCC.effective, "assertions": True}),
        "warning",
    ),
    Story(
        "no optimisation",
        lambda run: run.with_flags(GCC.name, "-O0").with_effective(SMALL, {"optimisation": "none"}),
        "warning",
        also=frozenset({"effective_flags"}),
    ),
    Story("flags not told", lambda run: run.with_effective(GOPHER, {}), "limitation", GOPHER),
    Story(
        "one that never ran has no flags to tell",
        lambda run: run.with_effective(GOPHER, {}).failing(GOPHER, EXECUTIONS),
        None,
        also=frozenset({"failures", "executions"}),
    ),
    Story(
        "a service of the user's own",
        on_services(lambda run: run.hosted(VERTX, "command")),
        "limitation",
        service_cell(VERTX),
    ),
    Story(
        "one that ran already, in a language that is compiled",
        on_services(
            lambda run: run.hosted(VERTX, "url").with_cell(service_cell(VERTX), language="c++")
        ),
        "limitation",
        service_cell(VERTX),
        also=frozenset({"equal_conditions", "foreign_time"}),
    ),
    Story("services of ours", on_services(lambda run: run), None),
    Story(
        "a JVM, which compiles for the very processor by nature",
        lambda run: run.with_effective(cell_id(JAVA), {**JAVA.effective, "native": True}),
        None,
    ),
)


@pytest.mark.parametrize(
    ("flags", "tag"),
    [
        ("-O3 -fprofile-use=/tmp/p", "pgo"),
        ("-O3 -fprofile-instr-use=p", "pgo"),
        ("-O3 -flto=auto", "lto"),
        ("-O3 -march=native", "native"),
        ("-O3 -march=znver3", "native"),
    ],
)
def test_tags_are_read_from_the_compilers_record(flags: str, tag: str) -> None:
    found = [
        finding
        for finding in check(honest_run().with_flags(GCC.name, flags).evidence())
        if finding.cell == GOPHER
    ]
    assert [(finding.severity, f"with {tag}" in finding.text) for finding in found] == [
        ("warning", True)
    ]


@pytest.mark.parametrize("flags", ["-O3 -fno-lto", "-O3 -march=x86-64-v2", "-O3 -pgo=off"])
def test_flags_that_are_no_tags(flags: str) -> None:
    assert list(check(honest_run().with_flags(GCC.name, flags).evidence())) == []


def test_native_on_both_sides_is_equal() -> None:
    native = honest_run().with_flags(GCC.name, "-O3 -march=znver3")
    both = native.with_effective(GOPHER, {**GO.effective, "native": True})
    assert GOPHER in {finding.cell for finding in check(native.evidence())}
    assert GOPHER not in {finding.cell for finding in check(both.evidence())}


def test_it_is_told_who_has_it_and_who_lacks_it() -> None:
    gopher = honest_run().with_effective(GOPHER, {**GO.effective, "pgo": True})
    (finding,) = check(gopher.evidence())
    assert finding.text == "go-1.26.8 was built with pgo, but gcc-12.2.0+o3 was built without it"
    assert finding.advice == "build both programs with pgo, or build neither program with it"
    baseline = honest_run().with_flags(GCC.name, "-O3 -flto").evidence()
    assert {one.text for one in check(baseline)} == {
        "gcc-12.2.0+o3 was built with lto, but go-1.26.8 was built without it"
    }
    (finding,) = check(gopher.with_variant(GO.name, runtime="gcc-12.2.0").evidence())
    assert finding.text.endswith("without it, which is the difference that the run compares")
    assert finding.advice == ""


def test_an_interpreter_lacks_what_its_makers_call_it() -> None:
    run = honest_run().with_effective(SNAKE, {"pgo": False, "lto": False})
    (finding,) = check(run.evidence())
    assert finding.text == (
        "the interpreter was built without --enable-optimizations and --with-lto, so programs take "
        "longer on it"
    )


def test_what_is_compiled_while_it_runs_is_no_measure_of_a_build() -> None:
    """A tag that a baseline of another kind cannot have."""
    run = honest_run().with_effective(GOPHER, {**GO.effective, "pgo": True})
    assert list(check(run.with_plan(baseline=PYTHON.name).evidence())) == []


def test_flags_of_the_baseline_that_are_not_told() -> None:
    untold = honest_run().with_flags(GCC.name, "").with_effective(SMALL, {})
    run = untold.with_variant(GCC.name, settings={}).evidence()
    assert {(one.severity, one.text) for one in check(run) if one.cell == SMALL} == {
        ("limitation", "it is unknown whether the program was built with optimisation")
    }
    assert [(one.severity, one.text) for one in check(run) if one.cell == GOPHER] == [
        (
            "limitation",
            "it is unknown whether these properties of the build are the same as those of "
            "gcc-12.2.0+o3: pgo, lto, native",
        )
    ]


def test_a_variant_that_asks_for_it_is_believed_where_nothing_else_tells() -> None:
    settings: dict[str, Scalar] = {"optimisation": True, "pgo": True, "lto": False, "native": False}
    run = honest_run().with_effective(GOPHER, {}).with_variant(GO.name, settings=settings)
    assert [one.text for one in check(run.evidence()) if one.cell == GOPHER] == [
        "go-1.26.8 was built with pgo, but gcc-12.2.0+o3 was built without it"
    ]
