"""`./runfair decide RUN`: would a rewrite meet the objective, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from runfair.cli.terminal import output
from runfair.decision.answer import Answer, answer
from runfair.decision.question import HEAD_ROOM, LEAST_GAIN, Price, Saving
from runfair.errors import UserMistake
from runfair.fairness.verdict import judge
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder
from runfair.report.assessment import evidence_of
from runfair.report.loads import records_of


def decide(
    run: Annotated[str, typer.Argument(help="The run's folder, its name, or `latest`.")] = "latest",
    load: Annotated[
        float | None, typer.Option(help="Requests a second to be served, for instances and cost.")
    ] = None,
    instance_price: Annotated[
        float | None, typer.Option(help="What an instance costs a month, in any currency.")
    ] = None,
    gib_price: Annotated[float, typer.Option(help="What a GiB of memory costs a month.")] = 0.0,
    effort: Annotated[
        float | None, typer.Option(help="What the rewrite costs, in the same currency.")
    ] = None,
    payback: Annotated[
        float, typer.Option(help="Months within which it must have paid for itself.")
    ] = 12.0,
    head_room: Annotated[
        float, typer.Option(help="Share of each instance's capacity that is kept free.")
    ] = HEAD_ROOM,
    least_gain: Annotated[
        float, typer.Option(help="The least gain worth a rewrite: 1.1 is 10%.")
    ] = LEAST_GAIN,
    results: Annotated[
        Path | None, typer.Option(help="Folder of the runs (or RUNFAIR_RESULTS).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Say whether a rewrite is justified at a run's operating point.

    The first service of the experiment is the baseline, the others are candidates. Cost counts
    where --load, --instance-price and --effort are stated and the capacity was measured.
    """
    folder = RunFolder.find(run, results or results_folder())
    evidence = evidence_of(folder)
    answers = answer(
        evidence,
        judge(evidence),
        lambda execution: records_of(folder, execution),
        _saving(load, instance_price, gib_price, effort, payback, head_room),
        least_gain,
    )
    if json:
        print(f"[{','.join(each.model_dump_json(indent=1) for each in answers)}]")
        return
    for each in answers:
        _show(each)


def _saving(
    load: float | None,
    instance_price: float | None,
    gib_price: float,
    effort: float | None,
    payback: float,
    head_room: float,
) -> Saving | None:
    stated = (load, instance_price, effort)
    if all(one is None for one in stated):
        return None
    if load is None or instance_price is None or effort is None:
        raise UserMistake("cost needs --load, --instance-price and --effort together")
    return Saving(load, Price(instance_price, gib_price), effort, payback, head_room)


def _show(one: Answer) -> None:
    output.print(Text(one.title), soft_wrap=True)
    width = max(len(line.service) for line in one.services)
    for line in one.services:
        role = " (baseline)" if line.baseline else ""
        output.print(Text(f"  {line.service + role:<{width + 11}}  {line.text}"), soft_wrap=True)
    for text in one.account:
        output.print(Text(f"  {text}"), soft_wrap=True)
    for candidate in one.candidates:
        output.print(Text(f"{candidate.service}: {candidate.sentence}"), soft_wrap=True)
        for doubt in candidate.doubts:
            output.print(Text(f"  doubt  {doubt}", style="dim"), soft_wrap=True)
    output.print()
