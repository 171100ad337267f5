"""One side built with more care than the other."""

from __future__ import annotations

import pytest

from fairness.runs import GCC, GO, JAVA, PYTHON, cell_id, honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.unequal_builds import check

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
        lambda run: run.with_flags(GCC, "-O3 -flto"),
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
        lambda run: run.with_flags(GCC, "-O0").with_effective(SMALL, {"optimisation": "none"}),
        "warning",
        also=frozenset({"effective_flags"}),
    ),
    Story("flags not told", lambda run: run.with_effective(GOPHER, {}), "limitation", GOPHER),
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
        for finding in check(honest_run().with_flags(GCC, flags).evidence())
        if finding.cell == GOPHER
    ]
    assert [(finding.severity, f"with {tag}" in finding.text) for finding in found] == [
        ("warning", True)
    ]


@pytest.mark.parametrize("flags", ["-O3 -fno-lto", "-O3 -march=x86-64-v2", "-O3 -pgo=off"])
def test_flags_that_are_no_tags(flags: str) -> None:
    assert list(check(honest_run().with_flags(GCC, flags).evidence())) == []


def test_native_on_both_sides_is_equal() -> None:
    native = honest_run().with_flags(GCC, "-O3 -march=znver3")
    both = native.with_effective(GOPHER, {**GO.effective, "native": True})
    assert GOPHER in {finding.cell for finding in check(native.evidence())}
    assert GOPHER not in {finding.cell for finding in check(both.evidence())}
