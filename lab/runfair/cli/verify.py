"""`./runfair verify [BENCHMARK…]`: checks that every program gives the canonical answer with equal
work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Literal

import typer
from rich.markup import escape

from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.catalogue.runtime import select, variants
from runfair.catalogue.service import (
    ServiceBenchmark,
    select_benchmarks_and_services,
    service_benchmarks,
)
from runfair.cli.option import Parameters, Wait, parameters_named
from runfair.cli.terminal import errors, lock_machine, output
from runfair.errors import InvalidResult, UserMistake
from runfair.experiment.mutant_trial import Trial, trials, try_mutants
from runfair.experiment.service_verification import (
    VerifiedService,
    verify_services,
    wanted_services,
)
from runfair.experiment.verification import Verified, answers, subjects
from runfair.experiment.verification import verify as verify_all
from runfair.formats.answer import read_answers, write_answers
from runfair.formats.transcript import ContractBroken
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.processors import read_topology

Which = Literal["quick", "all"]


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Verify only these benchmarks. The default is all benchmarks."),
    ] = None,
    size: Annotated[str, typer.Option(help="The size of the inputs.")] = "tiny",
    workloads: Annotated[
        list[str] | None,
        typer.Option(help="Verify only these workloads. The default is all workloads."),
    ] = None,
    param: Parameters = None,
    runtimes: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Verify only these variants (runtimes with their flags), given as names, patterns "
                "or languages. The default is one variant of each language."
            )
        ),
    ] = None,
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Verify only programs of these tiers, for example 'virtual' (Java's virtual "
                "threads). If a benchmark has several programs in one language, each of these "
                "programs has its own tier. The default is all tiers."
            )
        ),
    ] = None,
    services: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Verify only these services (web frameworks) of the service benchmarks. The "
                "default is all services."
            )
        ),
    ] = None,
    threads: Annotated[
        int,
        typer.Option(help="Number of threads that each program or service may use.", min=1),
    ] = 1,
    wait: Wait = 0.0,
    lock: Annotated[
        bool,
        typer.Option(
            help=(
                "Before starting, wait until no run is measuring on this machine. With --no-lock, "
                "the programs start immediately, and disturb a run that is measuring."
            )
        ),
    ] = True,
    mutants: Annotated[
        Which | None,
        typer.Option(
            help=(
                "Run mutants, which are programs with a deliberate error. Verification must find "
                "each error. `quick` runs a few mutants, and `all` runs all mutants."
            )
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option(
            help=(
                "If the programs in all languages give the same answers, record these answers as "
                "the right answers."
            )
        ),
    ] = False,
) -> None:
    """Check that programs and services give the right answers. Run every program in its timed
    build and in the build that counts operations, and send every service the test requests of its
    benchmark. Fail if a digest (checksum of an answer), an operation count or a service's answer
    is wrong."""
    chosen, served = _named(names or [])
    if services and not names:
        chosen = []
    if tiers and not chosen:
        raise UserMistake(
            "--tiers selects programs, but this command verifies only services; leave --tiers out, "
            "and select services with --services"
        )
    if mutants and not chosen:
        raise UserMistake(
            "--mutants changes programs, but this command verifies only services; leave --mutants "
            "out, or name a benchmark with programs"
        )
    if services and not served:
        raise UserMistake(
            "--services needs a service benchmark; add the name of one to the command: "
            f"{', '.join(service_benchmarks())}"
        )
    if param and (mutants or not chosen):
        raise UserMistake(
            "--param changes the work of programs, but this command verifies "
            f"{'mutants, whose work is fixed' if mutants else 'only services'}; leave --param out"
        )
    used = select(runtimes or ["default"], variants())
    if mutants:
        _refuse_without_effect(
            {
                "--size": size != "tiny",
                "--workloads": workloads,
                "--tiers": tiers,
                "--services": services,
                "--threads": threads != 1,
                "--record": record,
            }
        )
        with _lock(lock, wait):
            _try_mutants(trials(chosen, used, quick=mutants == "quick"))
        return
    wanted = wanted_services(served, services or [], workloads or ["all"])
    every = subjects(
        *(chosen, used, size, threads, workloads or ["all"], tiers or ["all"]),
        own=parameters_named(param or []),
    )
    launcher = Launcher(build_native(LAUNCHER))
    processors = sorted(read_topology().allowed)
    with _lock(lock, wait):
        done = verify_all(every, launcher, processors, _print)
        asked = verify_services(
            *(wanted, variants(), runtimes or [], size, threads, launcher, processors, _print)
        )
    outcomes: list[Verified | VerifiedService] = [*done, *asked]
    for one in outcomes:
        if one.failure:
            errors.print(escape(f"failed  {one.name}: {one.failure}"), soft_wrap=True)
    if record:
        _record(done, {benchmark.name: benchmark for benchmark in chosen})
    _conclude(outcomes)


def _refuse_without_effect(given: Mapping[str, object]) -> None:
    """Raises UserMistake if one of these options is given with --mutants."""
    for option, is_given in given.items():
        if is_given:
            raise UserMistake(
                "--mutants runs each mutant on its own workload, at size tiny and with one "
                f"thread, so {option} has no effect; leave {option} out"
            )


def _lock(held: bool, wait: float) -> AbstractContextManager[object]:
    """The measurement lock. Nothing is timed here, but verification would disturb a run in
    progress.
    """
    return lock_machine("verify", wait) if held else nullcontext()


def _try_mutants(chosen: Sequence[Trial]) -> None:
    launcher = Launcher(build_native(LAUNCHER))
    processors = sorted(read_topology().allowed)
    done = try_mutants(chosen, launcher, processors, _print_trial)
    survived = sum(bool(one.failure) for one in done)
    skipped = sum(bool(one.skipped) for one in done)
    output.print(f"{len(done) - survived - skipped} caught, {survived} survived, {skipped} skipped")
    if survived:
        raise InvalidResult(
            f"{survived} programs with a deliberate error (mutants) were not caught, because they "
            "gave the right digests and the right operation counts; extend the digest or the "
            "counting lines of their benchmarks"
        )
    if len(done) == skipped:
        raise InvalidResult(
            "no mutant could run, because no runtime for it is ready on this machine; ./runfair "
            "list runtimes shows what is missing"
        )


def _print_trial(one: Trial) -> None:
    if one.skipped:
        output.print(escape(f"skipped {one.name}: {one.skipped}"), soft_wrap=True)
    elif one.failure:
        errors.print(escape(f"SURVIVED {one.name}: {one.failure}"), soft_wrap=True)
    else:
        output.print(escape(f"caught  {one.name}: {one.caught}"), soft_wrap=True)


def _named(names: Sequence[str]) -> tuple[list[Benchmark], list[ServiceBenchmark]]:
    """The benchmarks and services with these names. If no name is given, all benchmarks and
    services."""
    known, services = benchmarks(), service_benchmarks()
    if not names:
        return [*known.values()], [*services.values()]
    return select_benchmarks_and_services(names, known, services)


def _print(one: Verified | VerifiedService) -> None:
    """Prints one outcome. Failures are not printed here but at the end, when the answers of all
    programs are known.
    """
    if one.skipped:
        output.print(escape(f"skipped {one.name}: {one.skipped}"), soft_wrap=True)
    elif not one.failure:
        output.print(escape(f"ok      {one.name}  {_answered(one)}"), soft_wrap=True)


def _answered(one: Verified | VerifiedService) -> str:
    if isinstance(one, VerifiedService):
        return f"{one.answers} answers{f', {one.rules} conformance rules met' if one.rules else ''}"
    counters, done = one.subject.benchmark.text.counters, one.operations or {}
    work = ", ".join(f"{done[name]:,} {name}" for name in counters if done.get(name))
    return f"{one.digest}  {work}"


def _record(done: Sequence[Verified], among: dict[str, Benchmark]) -> None:
    try:
        for name, found in answers(done).items():
            folder = among[name].folder  # the folder may already contain another form's answers
            write_answers(folder, read_answers(folder).replacing(found))
    except ContractBroken as error:
        raise InvalidResult(f"no answers were recorded, because {error}") from None


def _conclude(outcomes: Sequence[Verified | VerifiedService]) -> None:
    """Prints the closing line. Raises InvalidResult if a program is wrong, or if none
    could be run.
    """
    wrong = sum(bool(one.failure) for one in outcomes)
    missing = sum(bool(one.skipped) for one in outcomes)
    passed = len(outcomes) - wrong - missing
    output.print(f"{passed} verified, {wrong} failed, {missing} skipped")
    if wrong:
        raise InvalidResult(f"{wrong} programs give wrong answers")
    if not passed:
        raise InvalidResult(
            "no program could run, because no runtime for it is ready on this machine; ./runfair "
            "list runtimes shows what is missing"
        )
