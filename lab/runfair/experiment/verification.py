"""Every program gives the canonical answer and does the same work: once plain, once counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from runfair.building.artefact import build
from runfair.building.failure import InputBroken, Unsupported
from runfair.building.input_checksum import remembered_sha256_of
from runfair.building.input_file import input_file
from runfair.catalogue.benchmark import Benchmark
from runfair.experiment.conversation import converse
from runfair.experiment.driven_verification import converse_driven, driven_cell
from runfair.experiment.program_planning import training
from runfair.formats.answer import Answer
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant
from runfair.machine.launching import Launcher

SEED = 1


@dataclass(frozen=True)
class Subject:
    """One program under one variant, on one workload and size."""

    benchmark: Benchmark
    variant: Variant
    tier: str
    workload: str
    size: str
    threads: int = 1

    @property
    def name(self) -> str:
        tier = "" if self.tier == "standard" else f" ({self.tier})"
        return (
            f"{self.benchmark.name} {self.workload} {self.size} {self.variant.language}{tier} "
            f"{self.variant.name}" + (f" {self.threads} threads" if self.threads > 1 else "")
        )


@dataclass(frozen=True)
class Verified:
    """What a subject answered; `skipped` or `failure` say why it did not, or not rightly."""

    subject: Subject
    digest: str | None = None
    operations: dict[str, int] | None = None
    input_sha256: str | None = None
    failure: str = ""
    skipped: str = ""


def subjects(
    benchmarks: Iterable[Benchmark], variants: Sequence[Variant], size: str, threads: int = 1
) -> list[Subject]:
    """Every program of the benchmarks, every workload, under each of the variants."""
    return [
        Subject(benchmark, variant, program.tier, workload, size, threads)
        for benchmark in benchmarks
        for workload in benchmark.text.workloads
        for program in benchmark.programs
        for variant in variants
        if variant.language == program.language
    ]


def verify(
    chosen: Sequence[Subject],
    launcher: Launcher,
    processors: Sequence[int],
    on_done: Callable[[Verified], None],
) -> list[Verified]:
    """Run every subject; nothing is timed, so several run at once. The outcome of each is in the
    order given, with disagreement and departures from the canonical answers as failures."""
    with ThreadPoolExecutor(len(processors)) as pool:

        def one(place: int) -> Verified:
            alone = [processors[place % len(processors)]]
            several = chosen[place].threads > 1
            return _run(chosen[place], launcher, processors if several else alone)

        ran = []
        for verified in pool.map(one, range(len(chosen))):
            judged = _against_canonical(verified)
            on_done(judged)
            ran.append(judged)
    return disagreements(ran)


def disagreements(ran: Sequence[Verified]) -> list[Verified]:
    """Where there is no canonical answer, all programs of the same work must agree; the forms of a
    benchmark on the answer alone, which they come to in different ways."""
    first: dict[tuple[str, str, str], Verified] = {}
    any_form: dict[tuple[str, str, str], Verified] = {}
    checked = []
    for one in ran:
        subject = one.subject
        if one.failure or one.skipped:
            checked.append(one)
            continue
        same = (subject.workload, subject.size)
        other = first.setdefault((subject.benchmark.name, *same), one)
        if (other.digest, other.operations) == (one.digest, one.operations):
            other = any_form.setdefault((subject.benchmark.text.name, *same), one)
        if other.digest == one.digest and (
            other.operations == one.operations or other.subject.benchmark != subject.benchmark
        ):
            checked.append(one)
            continue
        checked.append(
            Verified(
                subject,
                one.digest,
                one.operations,
                one.input_sha256,
                failure=f"{_said(one)}, but {other.subject.name} {_said(other)}",
            )
        )
    return checked


def answers(verified: Sequence[Verified]) -> dict[str, list[Answer]]:
    """Canonical answers by benchmark, from what at least two languages agree on.

    Raises ContractBroken where anything failed, or where only one language spoke.
    """
    by_work: dict[tuple[str, str, str], list[Verified]] = {}
    for one in verified:
        if one.failure:
            raise ContractBroken(f"{one.subject.name}: {one.failure}")
        if not one.skipped:
            subject = one.subject
            key = (subject.benchmark.name, subject.workload, subject.size)
            by_work.setdefault(key, []).append(one)
    found: dict[str, list[Answer]] = {}
    for (benchmark, workload, size), members in by_work.items():
        if len({one.subject.variant.language for one in members}) < 2:
            raise ContractBroken(
                f"{benchmark} {workload} {size}: only {members[0].subject.variant.language} gave "
                "an answer, and a canonical one needs two languages that agree"
            )
        found.setdefault(benchmark, []).append(
            Answer.model_validate(
                {
                    "form": members[0].subject.benchmark.form,
                    "workload": workload,
                    "size": size,
                    "seed": SEED,
                    "digest": members[0].digest,
                    "operations": members[0].operations,
                    "input_sha256": members[0].input_sha256,
                }
            )
        )
    return found


def _run(subject: Subject, launcher: Launcher, processors: Sequence[int]) -> Verified:
    program = subject.benchmark.program(subject.variant.language, subject.tier)
    assert program is not None
    if subject.variant.state != "ready":
        return Verified(subject, skipped=subject.variant.reason or subject.variant.state)
    try:
        path = input_file(subject.benchmark, subject.workload, subject.size, SEED)
        artefact = build(subject.variant, program, training=training(subject.benchmark))
    except InputBroken as error:
        return Verified(subject, failure=str(error))
    except Unsupported as error:
        return Verified(subject, skipped=str(error))
    if subject.benchmark.text.drive is not None:
        return _run_driven(subject, artefact, path, launcher, processors)
    options = [
        *("--workload", subject.workload, "--size", subject.size, "--seed", str(SEED)),
        *("--threads", str(subject.threads)),
        *(["--input", str(path)] if path else []),
        *(
            part
            for key, value in subject.benchmark.parameters(subject.size).items()
            for part in ("--param", f"{key}={value}")
        ),
    ]
    try:
        plain = converse(artefact, [*options, "--iterations", "1"], launcher, processors)
        counted = converse(artefact, [*options, "--count"], launcher, processors)
    except ContractBroken as error:
        return Verified(subject, failure=str(error))
    failure = ""
    if counted.operations is None:
        failure = "no `operations` under --count"
    elif plain.operations is not None:
        failure = "counts operations without --count"
    return _verified(subject, plain.digest, counted.digest, counted.operations, path, failure)


def _run_driven(
    subject: Subject,
    artefact: Artefact,
    path: Path | None,
    launcher: Launcher,
    processors: Sequence[int],
) -> Verified:
    try:
        cell = driven_cell(
            subject.benchmark,
            artefact,
            subject.variant,
            subject.tier,
            subject.workload,
            subject.size,
            SEED,
            [str(path)] if path else [],
            subject.threads,
        )
        digest, counted, operations = converse_driven(cell, launcher, processors)
    except ContractBroken as error:
        return Verified(subject, failure=str(error))
    return _verified(subject, digest, counted, operations, path)


def _verified(
    subject: Subject,
    digest: str | None,
    counted: str | None,
    operations: dict[str, int] | None,
    path: Path | None,
    failure: str = "",
) -> Verified:
    expected = set(subject.benchmark.text.counters)
    if counted != digest:
        failure = f"digest {digest} plain, {counted} under --count"
    elif operations is not None and set(operations) != expected:
        failure = f"counts {sorted(operations)}, the benchmark names {sorted(expected)}"
    checksum = remembered_sha256_of(path) if path else None
    return Verified(subject, digest, operations, checksum, failure=failure)


def _against_canonical(verified: Verified) -> Verified:
    subject = verified.subject
    answer = subject.benchmark.answer(subject.workload, subject.size, SEED)
    if answer is None or verified.failure or verified.skipped:
        return verified
    if (verified.digest, verified.operations) == (answer.digest, answer.operations):
        return verified
    return Verified(
        subject,
        verified.digest,
        verified.operations,
        verified.input_sha256,
        failure=f"{_said(verified)}; canonical: digest {answer.digest}, {answer.operations}",
    )


def _said(verified: Verified) -> str:
    return f"digest {verified.digest}, {verified.operations}"
