"""A run as Markdown: `tables.md`, for a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.formats.result import RunResult
from runfair.report.conclusion.conclusion import Conclusion
from runfair.report.conclusion.question import Question
from runfair.report.table import LEGEND, tables
from runfair.report.terminal import findings, level_line
from runfair.wording.table import Table
from runfair.wording.text import plain, shortened


def markdown(result: RunResult, conclusion: Conclusion | None = None) -> str:
    """The conclusion and the tables of a run. The texts are the same as on the terminal."""
    result = shortened(result)
    complete = "" if result.complete else " · **incomplete**"
    title, experiment = escape(plain(result.run)), escape(plain(result.experiment))
    parts = [f"# {title}", "", f"{experiment} · {result.profile}{complete}", ""]
    if conclusion is not None:
        parts += [*_concluding(conclusion), ""]
    if result.machine_level is not None:
        parts += [f"- reference {escape(level_line(result.machine_level))}"]
    parts += [f"- {line}" for line in map(escape, findings(result.findings))]
    parts += ["", escape(LEGEND)]
    for table in tables(result):
        parts += ["", section(table)]
    return "\n".join(parts) + "\n"


def _concluding(conclusion: Conclusion) -> Iterator[str]:
    yield from (f"- {name}: {escape(text)}" for name, text in conclusion.facts)
    for question in conclusion.questions:
        yield from ("", f"**{escape(question.title)}**", "")
        yield from _listed(question)
        yield from ("", escape(" ".join(question.sentences)))
    if conclusion.doubts:
        yield from ("", "**Doubts**", "", *(f"- {escape(one)}" for one in conclusion.doubts))


def _listed(question: Question) -> Iterator[str]:
    """The rows of a question. The columns' names are the first line of the list."""
    for row in (question.heading, *question.rows):
        if text := " · ".join(filter(None, row)):
            yield f"- {escape(text)}"


def section(table: Table) -> str:
    """A table under its title, followed by its notes."""
    parts = [f"## {escape(table.title)}", "", *_grid(table)]
    if table.notes:
        parts += ["", *(f"- {escape(note)}" for note in table.notes)]
    return "\n".join(parts)


def escape(text: str) -> str:
    """The text, with all characters escaped that have a meaning in Markdown."""
    for character in "\\`*_[]<>|":
        text = text.replace(character, f"\\{character}")
    return text


def _grid(table: Table) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    last = len(table.columns) - 1
    rule = ["---" if place in (0, last) else "---:" for place in range(len(table.columns))]
    return [
        line([escape(column) for column in table.columns]),
        line(rule),
        *(line([escape(cell) for cell in row.cells]) for row in table.rows),
    ]
