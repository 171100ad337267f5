"""Conclusions of runs whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evidence.honest_run import GO, JAVA, Runtime, honest_run
from evidence.honest_services import ServiceRun, honest_services
from evidence.records import Records
from fairness.large_run import large_run
from runfair.decision.answer import Requirements, answer
from runfair.errors import UserMistake
from runfair.fairness.verdict import judge
from runfair.formats.decision import Answer
from runfair.report.conclusion.conclusion import Conclusion, conclude
from runfair.report.conclusion.question import Question
from runfair.report.conclusion.short_form import short_form
from runfair.result.run import assemble

LOOK = "results/2027-01-15T08-00-00Z-default/report.html, tables.md"


def concluded(run: Records) -> Conclusion:
    evidence = run.evidence()
    judged = judge(evidence)
    answers: list[Answer] = []
    if isinstance(run, ServiceRun):
        try:
            answers = answer(evidence, judged, run.traces, Requirements())
        except UserMistake:
            answers = []
    return conclude(evidence, assemble("run", evidence, judged), answers)


def question(run: Records) -> Question:
    """The only one of a run."""
    (found,) = concluded(run).questions
    return found


def lines(run: Records) -> list[str]:
    return short_form(concluded(run), LOOK)


def one_kind(run: Records, size: str = "small", mode: str = "steady") -> Records:
    """The cells of one size and mode alone."""
    cells = [cell for cell in run.plan.cells if (cell.size, cell.mode) == (size, mode)]
    return of_cells(run, {cell.id for cell in cells})


def of_cells(run: Records, names: set[str]) -> Records:
    return replace(
        run.with_plan(
            cells=[cell for cell in run.plan.cells if cell.id in names],
            executions=[one for one in run.plan.executions if one.cell in names],
        ),
        executions=tuple(one for one in run.executions if one.cell in names),
    )


def with_twin(run: Records, runtime: Runtime, name: str, language: str) -> Records:
    """With another variant whose executions are those of a runtime."""

    def twin(text: str) -> str:
        return f"{text}-{language}"

    cells = [
        cell.model_copy(update={"id": twin(cell.id), "variant": name, "language": language})
        for cell in run.plan.cells
        if cell.variant == runtime.name
    ]
    mine = {cell.id for cell in run.plan.cells if cell.variant == runtime.name}
    planned = [
        one.model_copy(update={"id": twin(one.id), "cell": twin(one.cell)})
        for one in run.plan.executions
        if one.cell in mine
    ]
    executions = [
        one.model_copy(
            update={
                "id": twin(one.id),
                "planned": twin(one.planned),
                "cell": twin(one.cell),
                "start": one.start and one.start.model_copy(update={"runtime": name}),
            }
        )
        for one in run.executions
        if one.cell in mine
    ]
    variants = [
        one.model_copy(update={"name": name, "language": language, "runtime": name})
        for one in run.plan.variants
        if one.name == runtime.name
    ]
    plan = run.plan
    return replace(
        run.with_plan(
            cells=[*plan.cells, *cells],
            executions=[*plan.executions, *planned],
            variants=[*plan.variants, *variants],
        ),
        executions=(*run.executions, *executions),
        series={
            **run.series,
            **{one.id: run.series[one.id.rsplit("-", 1)[0]] for one in executions},
        },
    )


def in_six_languages(benchmarks: int) -> Records:
    run = with_twin(large_run(benchmarks), GO, "rust-1.95.0", "rust")
    return with_twin(run, JAVA, "node-20.20.2", "javascript")


def default_experiment() -> ServiceRun:
    """Two benchmarks in six languages, steady and cold, and services."""
    programs, services = in_six_languages(2), honest_services()
    cells = [cell for cell in programs.plan.cells if cell.size == "small"]
    small = of_cells(programs, {cell.id for cell in cells})
    plan = small.plan
    return replace(
        services,
        plan=plan.model_copy(
            update={
                "cells": [*plan.cells, *services.plan.cells],
                "variants": [*plan.variants, *services.plan.variants],
                "executions": [*plan.executions, *services.plan.executions],
            }
        ),
        executions=(*small.executions, *services.executions),
        series=small.series,
    )


def swept() -> Records:
    """Three points of a parameter, in steady state."""
    run = one_kind(large_run(3))
    for number, burners in enumerate((8, 16, 100)):
        for cell in run.plan.cells:
            if cell.id.startswith(f"{number:04d}-"):
                point: dict[str, Any] = {"own": f"burners={burners}", "benchmark": "ticker"}
                run = run.with_cell(cell.id, parameters={"burners": burners}, **point)
                run = run.with_starts(cell.id, benchmark="ticker")
    return run


def suite(benchmarks: int) -> Records:
    return one_kind(in_six_languages(benchmarks))


def one_group() -> Records:
    """Four variants of one benchmark in steady state."""
    return one_kind(honest_run())
