"""Both sides of a comparison are built with the same care.

**Looks for** unequal builds of two compared programs that are both compiled ahead of time. The
builds are unequal if only one of them uses profile-guided optimisation (PGO), uses link-time
optimisation (LTO), or is compiled for the processor model of this machine (native). The check also
looks for careless builds: a CPython without `--enable-optimizations` or `--with-lto`, a program
with active assertions, and a program that was compiled without optimisation.

**Threshold** If a program's build is careless, or unequal to the build of the baseline (the program
with which it is compared), all measured values of the program are flagged (marked as doubtful). If
both compared programs use the same compiler in the same version, the user probably compares the two
builds on purpose, so the check only notes the difference. If runfair does not know how a program
(such as a user's own service) was built, the report notes this gap.

**Source** The section "Fairness" of docs/statistics.md describes unequal builds. For example, a
CPython that a version manager had built took 1.5 times as long as an optimised build of nearly the
same version.

**What to do** Build both programs in the same way, or choose a variant that is built like the
baseline.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.effective import COMPILED_AHEAD, enabled, in_force
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding, Severity

NAME = "unequal_builds"
DOUBT = "unlike builds"
VERSION = 3
TAGS = ("pgo", "lto", "native")
INTERPRETER_OPTIONS = {"pgo": "--enable-optimizations", "lto": "--with-lto"}


def check(run: RunEvidence) -> Iterator[Finding]:
    for group in run.groups(among=run.launched):
        baseline = run.baseline(group)
        for one in group:
            if not one.completed:
                continue
            if one.cell.language in COMPILED_AHEAD:
                yield from _unoptimised(one)
                if baseline.cell.language in COMPILED_AHEAD and one is not baseline:
                    yield from _one_sided(one, baseline)
            if one.variant.implementation == "cpython":
                yield from _interpreter(one)
            if _on(one, "assertions"):
                yield _finding(
                    one,
                    "warning",
                    "the program was built with assertions",
                    "build the program without assertions",
                )
    for one in run.cells:
        if one.completed and _is_users_own(one, run):
            yield _finding(
                one,
                "limitation",
                "it is unknown how the program was built, because runfair did not build it",
            )


def _is_users_own(one: CellEvidence, run: RunEvidence) -> bool:
    """Whether the user built the program. Services that are compiled ahead of time and that the lab
    started are excluded, because each of their flags already has a finding."""
    if one.cell.hosting.kind == "program":
        return False
    return one.cell.language not in COMPILED_AHEAD or one in run.external


def _one_sided(one: CellEvidence, baseline: CellEvidence) -> Iterator[Finding]:
    unknown = []
    for tag in TAGS:
        mine, its = _on(one, tag), _on(baseline, tag)
        if mine is None or its is None:
            unknown.append(tag)
        elif mine != its:
            compared = one.variant.runtime == baseline.variant.runtime
            has, lacks = (one, baseline) if mine else (baseline, one)
            yield _finding(
                one,
                "limitation" if compared else "warning",
                f"{has.cell.variant} was built with {tag}, but {lacks.cell.variant} was built "
                "without it"
                + (", which is the difference that the run compares" if compared else ""),
                ""
                if compared
                else (f"build both programs with {tag}, or build neither program with it"),
            )
    if unknown:
        yield _finding(
            one,
            "limitation",
            "it is unknown whether these properties of the build are the same as those of "
            f"{baseline.cell.variant}: " + ", ".join(unknown),
        )


def _unoptimised(one: CellEvidence) -> Iterator[Finding]:
    optimised = _on(one, "optimisation")
    if optimised is None:
        yield _finding(
            one, "limitation", "it is unknown whether the program was built with optimisation"
        )
    elif not optimised:
        yield _finding(
            one,
            "warning",
            "the program was built without optimisation",
            "build the program with optimisation",
        )


def _interpreter(one: CellEvidence) -> Iterator[Finding]:
    told = {tag: _on(one, tag) for tag in INTERPRETER_OPTIONS}
    lacking = [INTERPRETER_OPTIONS[tag] for tag, on in told.items() if on is False]
    unknown = [INTERPRETER_OPTIONS[tag] for tag, on in told.items() if on is None]
    if lacking:
        yield _finding(
            one,
            "warning",
            (
                f"the interpreter was built without {' and '.join(lacking)}, so programs take "
                "longer on it"
            ),
            (
                "use an optimised build of the interpreter, such as the build of the Linux "
                "distribution"
            ),
        )
    if unknown:
        yield _finding(
            one,
            "limitation",
            f"it is unknown whether the interpreter was built with {' and '.join(unknown)}",
        )


def _on(one: CellEvidence, tag: str) -> bool | None:
    value = in_force(one, tag)
    if value is None:
        value = one.variant.settings.get(tag)
    return None if value is None else enabled(value)


def _finding(one: CellEvidence, severity: Severity, text: str, advice: str = "") -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*FIGURES],
        text=text,
        advice=advice,
    )
