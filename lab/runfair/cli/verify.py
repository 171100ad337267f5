"""`./runfair verify [BENCHMARK…]`: every program gives the canonical answer, and equal work."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.catalogue.benchmark import benchmarks, select_benchmarks
from runfair.catalogue.runtime import select, variants
from runfair.cli.terminal import errors, output
from runfair.errors import InvalidResult
from runfair.experiment.verification import Verified, answers, subjects
from runfair.experiment.verification import verify as verify_all
from runfair.formats.answer import write_answers
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
    runtimes: Annotated[
        list[str] | None,
        typer.Option(help="Variants, patterns or languages; one a language otherwise."),
    ] = None,
    wait: Annotated[
        float,
        typer.Option(help="Seconds to wait for a run on this machine.", envvar="RUNFAIR_WAIT"),
    ] = 0.0,
    record: Annotated[
        bool, typer.Option(help="Record the answers as canonical, if the languages agree.")
    ] = False,
) -> None:
    """Run every program once plain and once counted; fail on a digest or a count that differs."""
    known = benchmarks()
    chosen = select_benchmarks(names, known) if names else list(known.values())
    used = select(runtimes or ["default"], variants())
    launcher = Launcher(build_native(LAUNCHER))
    processors = sorted(read_topology().allowed)
    # Nothing is timed here, but it would disturb a run that is.
    with acquire("verify", wait_s=wait, on_wait=lambda holder: errors.print(escape(str(holder)))):
        done = verify_all(subjects(chosen, used, size), launcher, processors, _print)
    failed = [one for one in done if one.failure]
    skipped = [one for one in done if one.skipped]
    for one in failed:
        errors.print(f"failed  {escape(one.subject.name)}: {escape(one.failure)}", soft_wrap=True)
    if record:
        try:
            for name, found in answers(done).items():
                benchmark = known[name]
                write_answers(benchmark.folder, benchmark.answers.replacing(found))
        except ContractBroken as error:
            raise InvalidResult(f"nothing was recorded: {error}") from None
    passed = len(done) - len(failed) - len(skipped)
    output.print(f"{passed} verified, {len(failed)} failed, {len(skipped)} skipped")
    if failed:
        raise InvalidResult(f"{len(failed)} programs do not answer as they must")
    if not passed:
        raise InvalidResult("no program could be run here; look at ./runfair list runtimes")


def _print(one: Verified) -> None:
    if one.skipped:
        output.print(f"skipped {escape(one.subject.name)}: {escape(one.skipped)}", soft_wrap=True)
    elif not one.failure:
        counters, done = one.subject.benchmark.text.counters, one.operations or {}
        work = ", ".join(f"{done[name]:,} {name}" for name in counters if name in done)
        output.print(f"ok      {escape(one.subject.name)}  {one.digest}  {work}", soft_wrap=True)
