"""`./runfair verify [BENCHMARK…]`: every program gives the canonical answer, and equal work."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.catalogue.benchmark import benchmarks, select_benchmarks
from runfair.catalogue.runtime import select, variants
from runfair.catalogue.service import service_benchmarks
from runfair.cli.terminal import errors, output
from runfair.errors import InvalidResult
from runfair.experiment.service_verification import VerifiedService, verify_services
from runfair.experiment.verification import Verified, answers, subjects
from runfair.experiment.verification import verify as verify_all
from runfair.formats.answer import read_answers, write_answers
from runfair.formats.transcript import ContractBroken
from runfair.machine.launching import Launcher
from runfair.machine.measurement_lock import acquire
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.processors import read_topology


def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Benchmarks; all where none is named.")
    ] = None,
    size: Annotated[str, typer.Option(help="The size to run at.")] = "tiny",
    workloads: Annotated[
        list[str] | None, typer.Option(help="Workloads; all where none is named.")
    ] = None,
    runtimes: Annotated[
        list[str] | None,
        typer.Option(help="Variants, patterns or languages; one a language otherwise."),
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads that each program may use.", min=1)] = 1,
    wait: Annotated[
        float,
        typer.Option(help="Seconds to wait for a run on this machine.", envvar="RUNFAIR_WAIT"),
    ] = 0.0,
    record: Annotated[
        bool, typer.Option(help="Record the answers as canonical, if the languages agree.")
    ] = False,
) -> None:
    """Run every program once plain and once counted, and ask every service every canonical request;
    fail on a digest, a count or an answer that differs."""
    known, services = benchmarks(), service_benchmarks()
    served = [services[name] for name in names if name in services] if names else services.values()
    programs = [name for name in names if name not in services] if names else [*known]
    chosen = select_benchmarks(programs, known)
    used = select(runtimes or ["default"], variants())
    every = subjects(chosen, used, size, threads, workloads or ["all"])
    launcher = Launcher(build_native(LAUNCHER))
    processors = sorted(read_topology().allowed)
    # Nothing is timed here, but it would disturb a run that is.
    with acquire("verify", wait_s=wait, on_wait=lambda holder: errors.print(escape(str(holder)))):
        done = verify_all(every, launcher, processors, _print)
        asked = [
            one
            for benchmark in served
            for one in verify_services(
                benchmark, variants(), runtimes or [], size, launcher, processors, _print_service
            )
        ]
    failed = [one for one in done if one.failure]
    skipped = [one for one in done if one.skipped]
    for one in failed:
        errors.print(f"failed  {escape(one.subject.name)}: {escape(one.failure)}", soft_wrap=True)
    for service in asked:
        if service.failure:
            text = f"failed  {service.name}: {service.failure}"
            errors.print(escape(text), soft_wrap=True)
    if record:
        try:
            for name, found in answers(done).items():
                folder = known[name].folder  # which another form's answers may be in already
                write_answers(folder, read_answers(folder).replacing(found))
        except ContractBroken as error:
            raise InvalidResult(f"nothing was recorded: {error}") from None
    wrong = len(failed) + sum(bool(one.failure) for one in asked)
    missing = len(skipped) + sum(bool(one.skipped) for one in asked)
    passed = len(done) + len(asked) - wrong - missing
    output.print(f"{passed} verified, {wrong} failed, {missing} skipped")
    if wrong:
        raise InvalidResult(f"{wrong} programs do not answer as they must")
    if not passed:
        raise InvalidResult("no program could be run here; look at ./runfair list runtimes")


def _print(one: Verified) -> None:
    if one.skipped:
        output.print(f"skipped {escape(one.subject.name)}: {escape(one.skipped)}", soft_wrap=True)
    elif not one.failure:
        counters, done = one.subject.benchmark.text.counters, one.operations or {}
        work = ", ".join(f"{done[name]:,} {name}" for name in counters if done.get(name))
        output.print(f"ok      {escape(one.subject.name)}  {one.digest}  {work}", soft_wrap=True)


def _print_service(one: VerifiedService) -> None:
    if one.skipped:
        output.print(f"skipped {escape(one.name)}: {escape(one.skipped)}", soft_wrap=True)
    elif not one.failure:
        output.print(f"ok      {escape(one.name)}  {one.answers} answers", soft_wrap=True)
