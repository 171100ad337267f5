"""`./runfair decide RUN`: would a rewrite meet the objective, and why."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from runfair.cli.option import Results, RunName
from runfair.cli.terminal import output
from runfair.decision.answer import Requirements, answer
from runfair.decision.rules import LEAST_GAIN
from runfair.decision.sizing import HEAD_ROOM, PAYBACK_MONTHS, Demand, Price
from runfair.decision.tail import tail_words
from runfair.errors import UserMistake
from runfair.evidence.reading import evidence_of, traces_of
from runfair.fairness.verdict import judge
from runfair.formats.decision import ANSWERS, Answer
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder


def decide(
    run: RunName = "latest",
    baseline: Annotated[
        str | None,
        typer.Option(
            help="The service that would be rewritten. The default is the run's first service."
        ),
    ] = None,
    load: Annotated[
        float | None,
        typer.Option(
            help=(
                "The production load in requests per second, for which runfair computes the "
                "number of instances."
            )
        ),
    ] = None,
    instance_price: Annotated[
        float | None,
        typer.Option(help="The cost of an instance per month, in any currency. (Needs --load.)"),
    ] = None,
    gib_price: Annotated[
        float | None,
        typer.Option(
            help="The cost of a GiB of memory per month, in the same currency. (Needs --load.)"
        ),
    ] = None,
    effort: Annotated[
        float | None,
        typer.Option(
            help=(
                "The cost of the rewrite, in the currency of the prices. (Needs --instance-price "
                "or --gib-price.)"
            )
        ),
    ] = None,
    payback: Annotated[
        float | None,
        typer.Option(
            help=(
                "A rewrite is justified only if its savings cover its cost (--effort) within this "
                f"number of months. The default is {PAYBACK_MONTHS:g}."
            )
        ),
    ] = None,
    head_room: Annotated[
        float | None,
        typer.Option(
            help=(
                "Share of each instance's capacity that stays unused, as a reserve. The default "
                f"is {HEAD_ROOM:g}."
            )
        ),
    ] = None,
    least_gain: Annotated[
        float,
        typer.Option(
            help=(
                "The smallest gain that matters, as a ratio: 1.1 is a gain of 10%. A rewrite is "
                "not justified if its gain in latency and its gain in CPU time are both smaller "
                "than this ratio. A larger gain alone does not justify a rewrite."
            )
        ),
    ] = LEAST_GAIN,
    results: Results = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Say whether the rewrite of a service is justified at a run's operating point (its request
    rate, traffic and latency objective).

    The first service of the experiment is the baseline, the others are candidates. If the
    capacity was measured, --load computes how many instances a load needs. --instance-price and
    --gib-price compute what these instances cost, and --effort computes whether the saving pays
    for the rewrite.
    """
    demand = _demand(load, instance_price, gib_price, effort, payback, head_room)
    folder = RunFolder.find(run, results or results_folder())
    evidence = evidence_of(folder)
    answers = answer(
        evidence,
        judge(evidence),
        lambda execution: traces_of(folder, execution),
        Requirements(baseline, least_gain, demand),
    )
    if json:
        print(ANSWERS.dump_json(answers, indent=1).decode())
        return
    for each in answers:
        show(each)


def _demand(
    load: float | None,
    instance_price: float | None,
    gib_price: float | None,
    effort: float | None,
    payback: float | None,
    head_room: float | None,
) -> Demand | None:
    prices = (instance_price, gib_price)
    if load is None:
        if any(one is not None for one in (*prices, effort, payback, head_room)):
            raise UserMistake(
                "the number of instances, the cost and the payback depend on the load, so state "
                "--load too"
            )
        return None
    if effort is None and payback is not None:
        raise UserMistake("--payback needs the cost of the rewrite, so state --effort too")
    if effort is not None and prices == (None, None):
        raise UserMistake(
            "--effort compares the cost of the rewrite with the saving, which depends on a price; "
            "state --instance-price or --gib-price too"
        )
    return Demand(
        load,
        None if prices == (None, None) else Price(instance_price or 0.0, gib_price or 0.0),
        effort,
        PAYBACK_MONTHS if payback is None else payback,
        HEAD_ROOM if head_room is None else head_room,
    )


def show(one: Answer) -> None:
    """Prints an answer for people."""
    output.print(Text(one.title), soft_wrap=True)
    if one.note:
        output.print(Text(f"note  {one.note}"), soft_wrap=True)
    width = max(len(line.service) for line in one.services)
    for line in one.services:
        role = " (baseline)" if line.baseline else ""
        output.print(Text(f"  {line.service + role:<{width + 11}}  {line.text}"), soft_wrap=True)
    for text in one.account:
        output.print(Text(f"  {text}"), soft_wrap=True)
    for text in tail_words(one.tail) if one.tail is not None else []:
        output.print(Text(f"  {text}"), soft_wrap=True)
    for candidate in one.candidates:
        output.print(Text(f"{candidate.service}: {candidate.sentence}"), soft_wrap=True)
        if candidate.payback is not None:
            output.print(Text(f"  {candidate.service} {candidate.payback.text}"), soft_wrap=True)
    for doubt in one.all_doubts:  # each names its service
        output.print(Text(f"  doubt  {doubt}", style="dim"), soft_wrap=True)
    output.print()
