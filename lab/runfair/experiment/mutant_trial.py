"""Trials of mutants: verification must refuse every program with a deliberate error."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from runfair.catalogue.benchmark import Benchmark
from runfair.catalogue.program import Mutant, mutants_of
from runfair.experiment.verification import (
    Subject,
    Verified,
    against_canonical,
    run_subject,
    side_by_side,
)
from runfair.formats.variant import Variant
from runfair.machine.launching import Launcher


@dataclass(frozen=True)
class Trial:
    """The trial of a mutant. `caught` says how the mutant was caught; `failure` says why it was
    not."""

    subject: Subject
    mutant: Mutant
    caught: str = ""
    failure: str = ""
    skipped: str = ""

    @property
    def name(self) -> str:
        return f"{self.subject.name}: {self.mutant.text.name}"


def trials(
    benchmarks: Sequence[Benchmark], variants: Sequence[Variant], *, quick: bool = False
) -> list[Trial]:
    """The mutants of these benchmarks' programs, each on the workload that the mutant names. If
    `quick` is set, only quick mutants are returned. The forms of a benchmark share their programs,
    so each mutant is tried on one form."""
    found = []
    for benchmark in benchmarks:
        first_form = next(iter(benchmark.text.forms), "")
        for program, variant in itertools.product(benchmark.programs, variants):
            if variant.language != program.language:
                continue
            for mutant in mutants_of(program.folder):
                form = mutant.text.form or first_form
                if form == benchmark.form and (mutant.text.quick or not quick):
                    workload = mutant.text.workload or benchmark.text.default_workload
                    benchmark.resolve_workloads([workload])
                    subject = Subject(benchmark, variant, program.tier, workload, "tiny")
                    found.append(Trial(subject, mutant))
    return found


def try_mutants(
    chosen: Sequence[Trial],
    launcher: Launcher,
    processors: Sequence[int],
    on_done: Callable[[Trial], None],
) -> list[Trial]:
    """Run every mutant, and compare its answer with the canonical answer. The results are in the
    order of the mutants."""

    def one(trial: Trial, alone: Sequence[int]) -> Trial:
        ran = _run_mutant(trial, launcher, alone)
        if ran.skipped:
            return replace(trial, skipped=ran.skipped)
        if not ran.failure:
            return replace(
                trial,
                failure=(
                    "this program has a deliberate error, but it passed the checks like a "
                    "correct program"
                ),
            )
        # Only a mutant with an invalid tick is caught before it runs.
        if ran.lying_tick if trial.mutant.text.kind == "tick" else ran.ran:
            return replace(trial, caught=ran.failure)
        return replace(
            trial,
            failure=(
                "the program with a deliberate error failed in another way than expected "
                f"({ran.failure})"
            ),
        )

    done = []
    for tried in side_by_side(one, chosen, processors):
        on_done(tried)
        done.append(tried)
    return done


def _run_mutant(trial: Trial, launcher: Launcher, processors: Sequence[int]) -> Verified:
    """Verify a mutant. If the counted build alone is wrong, the timed build is not needed. An
    invalid tick may show only in the timed build."""
    edits = trial.mutant.text.edits
    if trial.mutant.text.kind != "tick":
        counted = run_subject(trial.subject, launcher, processors, edits, counted_only=True)
        ran = against_canonical(counted)
        if ran.failure or ran.skipped:
            return ran
    return against_canonical(run_subject(trial.subject, launcher, processors, edits))
