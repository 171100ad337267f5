"""The questions about crossovers: at which value of a parameter do two workloads take the same
time?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.formats.result import CellResult, Crossover, RunResult
from runfair.report.conclusion.question import (
    Question,
    condition_of,
    listed,
    marks,
    short_names,
)
from runfair.report.crossover_tables import NONE, UNKNOWN, crossover_text, own_rest, span
from runfair.report.sweep import common_connections
from runfair.wording.naming import label
from runfair.wording.text import short

HEADING = ("", "crossover", "less time below", "less time above")


def crossover_questions(result: RunResult) -> Iterator[Question]:
    """A question for each benchmark and condition, about all programs."""
    cells = {cell.id: cell for cell in result.cells}
    asked: dict[tuple[object, ...], list[Crossover]] = {}
    for one in result.crossovers:
        first = cells[one.cells[0]]
        condition = condition_of(first)._replace(tier="")
        own = own_rest(first, one.parameter)
        connections = first.drive and first.drive.connections
        key = (first.benchmark, one.parameter, own, first.seed, condition, connections)
        asked.setdefault(key, []).append(one)
    for found in asked.values():
        yield _question(found, cells)


def _question(found: Sequence[Crossover], cells: dict[str, CellResult]) -> Question:
    first, parameter = cells[found[0].cells[0]], short(found[0].parameter)
    own = own_rest(first, found[0].parameter)
    parts = [short(first.benchmark), *([short(own)] if own else []), *common_connections([first])]
    named = " · ".join(parts)
    programs = {label(cells[one.cells[0]]): one for one in found}
    void = all(one.verdict == "void" for one in found)
    return Question(
        title=f"{named}: crossover by {parameter}, {condition_of(first).mode}",
        sentences=(_answer(programs, parameter),),
        rows=tuple(
            (
                name,
                crossover_text(one),
                *((one.below or UNKNOWN, one.above or UNKNOWN) if one.verdict != "void" else ()),
                *marks([cells[name] for name in one.cells], [one.figure]),
            )
            for name, one in programs.items()
        ),
        state="open" if void else "answered",
        concerns=tuple((cell, one.figure) for one in found for cell in one.cells),
        heading=HEADING,
    )


def _answer(programs: dict[str, Crossover], parameter: str) -> str:
    """The sentence that gives the crossovers, and names the programs without one."""
    shorts = short_names(programs)
    limits: list[str] = []
    without: dict[str, list[str]] = {}
    for name, one in programs.items():
        text = crossover_text(one)
        if one.bounds != (None, None):
            limits.append(f"{text} ({shorts[name]})")
        else:
            said = f"none from {span(one)}" if text == NONE else text
            without.setdefault(said, []).append(shorts[name])
    parts = [f"{said} ({listed(names)})" for said, names in without.items()]
    return (
        f"Crossover by {parameter}: {'; '.join([*([listed(limits)] if limits else []), *parts])}."
    )
