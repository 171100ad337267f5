"""The verification of programs. The timed and the counted build of a program must give the
canonical answer and do the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from runfair.building.artefact import build
from runfair.building.checksum import remembered_sha256_of
from runfair.building.failure import BuildFailed, InputBroken, TickRefused, Unsupported
from runfair.catalogue.benchmark import Benchmark, DriveText
from runfair.catalogue.program import Edit
from runfair.errors import UserMistake
from runfair.experiment.program_planning import training
from runfair.experiment.untimed_run import UntimedAnswer, run_untimed
from runfair.experiment.work import Crossing, Prepared, Work
from runfair.formats.answer import Answer
from runfair.formats.plan import Cell, Factors
from runfair.formats.record import Scalar
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Variant
from runfair.machine.launching import Launcher

SEED = 1

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Subject:
    """A subject of verification: a program under a variant, on a workload and size.
    `own_parameters` replace parameters of the size."""

    benchmark: Benchmark
    variant: Variant
    tier: str
    workload: str
    size: str
    threads: int = 1
    own_parameters: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def name(self) -> str:
        own = "".join(f" {name}={value}" for name, value in self.own_parameters.items())
        tier = "" if self.tier == "standard" else f" ({self.tier})"
        return (
            f"{self.benchmark.name} {self.workload} {self.size}{own} {self.variant.language}{tier} "
            f"{self.variant.name}" + (f" {self.threads} threads" if self.threads > 1 else "")
        )


@dataclass(frozen=True)
class Verified:
    """The verification of a subject. `skipped` says why the subject was not verified, `failure`
    what was wrong. `ran`: the program was built and started. `lying_tick`: the program was not
    built because of an invalid tick, or its timed build counts."""

    subject: Subject
    digest: str | None = None
    operations: dict[str, int] | None = None
    input_sha256: str | None = None
    failure: str = ""
    skipped: str = ""
    ran: bool = False
    lying_tick: bool = False

    @property
    def name(self) -> str:
        return self.subject.name


def subjects(
    benchmarks: Sequence[Benchmark],
    variants: Sequence[Variant],
    size: str,
    threads: int = 1,
    workloads: Sequence[str] = ("all",),
    tiers: Sequence[str] = ("all",),
    own: Mapping[str, str] | None = None,
) -> list[Subject]:
    """The subjects: every program of the benchmarks in these tiers on the workloads, under each of
    the variants. `own` has parameters in place of the size's, as texts. UserMistake for an unknown
    workload, size, tier or parameter."""
    for benchmark in benchmarks:
        benchmark.parameters(size, benchmark.read_parameters(own or {}))
    known = {program.tier for benchmark in benchmarks for program in benchmark.programs}
    wanted = known if "all" in tiers else set(tiers)
    if unknown := sorted(wanted - known):
        have = ", ".join(sorted(known))
        raise UserMistake(f"no program has the tier {unknown[0]!r}; the tiers are {have}")
    return [
        Subject(
            *(benchmark, variant, program.tier, workload, size, threads),
            own_parameters=benchmark.read_parameters(own or {}),
        )
        for benchmark in benchmarks
        for workload in benchmark.resolve_workloads(workloads)
        for program in benchmark.programs
        for variant in variants
        if variant.language == program.language and program.tier in wanted and program.has(workload)
    ]


def verify(
    chosen: Sequence[Subject],
    launcher: Launcher,
    processors: Sequence[int],
    on_done: Callable[[Verified], None],
) -> list[Verified]:
    """Verify every subject. Several run at the same time, because nothing is timed. The results are
    in the order of the subjects. Disagreements between subjects and deviations from canonical
    answers are failures."""

    def one(subject: Subject, alone: Sequence[int]) -> Verified:
        return run_subject(subject, launcher, processors if subject.threads > 1 else alone)

    ran = []
    for verified in side_by_side(one, chosen, processors):
        judged = against_canonical(verified)
        on_done(judged)
        ran.append(judged)
    return disagreements(ran)


def side_by_side(
    run: Callable[[T, Sequence[int]], R], chosen: Sequence[T], processors: Sequence[int]
) -> Iterator[R]:
    """Run the tasks in parallel, each on its own processor. The results are in the order of the
    tasks."""
    free: SimpleQueue[int] = SimpleQueue()
    for processor in processors:
        free.put(processor)

    def one(item: T) -> R:
        processor = free.get()
        try:
            return run(item, [processor])
        finally:
            free.put(processor)

    with ThreadPoolExecutor(len(processors)) as pool:
        yield from pool.map(one, chosen)


def disagreements(ran: Sequence[Verified]) -> list[Verified]:
    """The subjects that disagree without a canonical answer. All programs of the same workload must
    agree. Forms of a benchmark with the same input must agree only on the answer, because they work
    in different ways. Forms that are different tasks need not agree."""
    first: dict[tuple[str, ...], Verified] = {}
    first_of_any_form: dict[tuple[str, ...], Verified] = {}
    checked = []
    for one in ran:
        if one.failure or one.skipped:
            checked.append(one)
            continue
        subject, other = one.subject, None
        work = (subject.workload, subject.size)
        same = first.setdefault((subject.benchmark.name, *work), one)
        given = subject.benchmark.size(subject.size).model_dump_json()
        text = subject.benchmark.text
        task = subject.benchmark.name if text.forms_differ else text.name
        form = first_of_any_form.setdefault((task, *work, given), one)
        if (same.digest, same.operations) != (one.digest, one.operations):
            other = same
        elif form.digest != one.digest:
            other = form
        checked.append(
            replace(one, failure=f"{_said(one)}, but {other.subject.name} {_said(other)}")
            if other is not None
            else one
        )
    return checked


def answers(verified: Sequence[Verified]) -> dict[str, list[Answer]]:
    """The canonical answers by benchmark. Programs in at least two languages must agree.

    Raises ContractBroken if a verification failed, or if only one language gave an answer.
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
                "an answer is recorded only if programs in two languages agree, but for "
                f"{benchmark} {workload} {size} only programs in "
                f"{members[0].subject.variant.language} gave an answer"
            )
        found.setdefault(benchmark, []).append(
            Answer.model_validate(
                {
                    "form": members[0].subject.benchmark.form,
                    "workload": workload,
                    "size": size,
                    "params": dict(members[0].subject.own_parameters),
                    "seed": SEED,
                    "digest": members[0].digest,
                    "operations": members[0].operations,
                    "input_sha256": members[0].input_sha256,
                }
            )
        )
    return found


def _answer_of_silent(
    timed: Cell, launcher: Launcher, processors: Sequence[int], drive: DriveText | None
) -> UntimedAnswer:
    """The answer of a timed build with empty counting lines. It is started with the option count=1,
    so that one run gives its answer and shows that it counts nothing. (Timed executions are started
    without this option; they check the answer, too.) A server that counts has only one connection,
    so it is also run with all its connections. Raises TickRefused if the build counts."""
    answer = run_untimed(timed, launcher, processors, count=True)
    reported = drive.reported if drive is not None else []
    told = (answer.operations or {}).items()
    if counted := {name: value for name, value in told if value and name not in reported}:
        raise TickRefused(
            f"the timed build must not count operations, but it counted {counted}, so "
            "the program adds to a counter outside a counting line (`tick`)"
        )
    if drive is not None:
        return run_untimed(timed, launcher, processors)
    return replace(answer, operations=None)


def run_subject(
    subject: Subject,
    launcher: Launcher,
    processors: Sequence[int],
    edits: Sequence[Edit] = (),
    *,
    counted_only: bool = False,
) -> Verified:
    """Run both builds of a program, whose source has these edits. If `counted_only` is set, only
    the build that counts operations runs, and nothing is known of the timed build."""
    program = subject.benchmark.program(subject.variant.language, subject.tier)
    assert program is not None
    if subject.variant.state != "ready":
        return Verified(subject, skipped=subject.variant.hindrance)
    work = Work(
        *(subject.benchmark, subject.workload, subject.size, SEED, subject.variant, program),
        own_parameters=subject.own_parameters,
    )
    try:
        inputs = work.inputs()
        learning = training(subject.benchmark)
        counting = build(subject.variant, program, learning, counted=True, edits=edits)
        timed = (
            counting
            if counted_only
            else build(subject.variant, program, learning, counted=False, edits=edits)
        )
    except TickRefused as error:
        return Verified(subject, failure=str(error), lying_tick=True)
    except (InputBroken, BuildFailed) as error:
        return Verified(subject, failure=str(error))
    except Unsupported as error:
        return Verified(subject, skipped=str(error))
    crossing = Crossing("cold", subject.threads, Factors())
    with_ticks, without = (
        work.cell(crossing, Prepared(artefact, inputs)) for artefact in (counting, timed)
    )
    by_client = program.counted_by == "client"
    try:
        counted = run_untimed(with_ticks, launcher, processors, count=True, client_counts=by_client)
        if counted_only:
            plain = replace(counted, operations=None)
        elif timed.sha256 != counting.sha256 and not by_client:
            drive = subject.benchmark.text.drive
            plain = _answer_of_silent(without, launcher, processors, drive)
        else:
            plain = run_untimed(without, launcher, processors)
    except (TickRefused, ContractBroken) as error:
        lying_tick = isinstance(error, TickRefused)
        return Verified(subject, failure=str(error), ran=True, lying_tick=lying_tick)
    return Verified(
        subject,
        plain.digest,
        counted.operations,
        remembered_sha256_of(Path(inputs[0])) if inputs else None,
        failure=_departure(subject.benchmark, plain, counted),
        ran=True,
    )


def _departure(benchmark: Benchmark, plain: UntimedAnswer, counted: UntimedAnswer) -> str:
    """The problem of a program, independent of other programs' answers; empty if there is none."""
    expected = sorted(benchmark.text.counters)
    if counted.operations is None:
        return "the program was started with the option count=1, but printed no `operations` line"
    if plain.operations is not None:
        return (
            "the program was started without the option count=1, but printed an `operations` line"
        )
    if counted.digest != plain.digest:
        return (
            f"the timed build gave the digest {plain.digest}, but the build that counts "
            f"operations gave the digest {counted.digest}"
        )
    if sorted(counted.operations) != expected:
        return (
            f"the program counted the operations {sorted(counted.operations)}, but the benchmark "
            f"declares {expected}"
        )
    return ""


def against_canonical(verified: Verified) -> Verified:
    """The same program, with a failure if its answer or counts differ from the canonical answer."""
    subject = verified.subject
    answer = subject.benchmark.answer(
        *(subject.workload, subject.size, SEED, subject.own_parameters)
    )
    if answer is None or verified.failure or verified.skipped:
        return verified
    if (verified.digest, verified.operations) == (answer.digest, answer.operations):
        return verified
    canonical = f"canonical: digest {answer.digest}, {answer.operations}"
    return replace(verified, failure=f"{_said(verified)}; {canonical}")


def _said(verified: Verified) -> str:
    return f"digest {verified.digest}, {verified.operations}"
