"""A picture of the page: the drawing, the table of the same numbers, and the verdict on these
numbers."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import vl_convert

from runfair.errors import UserMistake
from runfair.fairness.checks import CHECKS
from runfair.formats.finding import FigureName, Finding, Severity, VerdictState, worst
from runfair.formats.kept_file import write_whole
from runfair.formats.result import CellResult, Figure
from runfair.report.page.palette import LIGHT, written_in
from runfair.wording.naming import label, name_of, workload
from runfair.wording.table import Table
from runfair.wording.text import brief

TABLE_MARKS = (
    "In the table, a star means that a value is flagged (doubtful). The signs ≤ and ≥ mean that "
    "only a limit of the value is known."
)
CONSEQUENCES: dict[Severity, str] = {
    "fault": (
        "The number does not measure what its name says. At best, the number is an upper or a "
        "lower limit of the true value."
    ),
    "warning": "The number may mislead.",
    "limitation": "The finding is only a note, and the number is valid.",
}
SAID_AT_MOST = 4  # different wordings of the same finding
_ADVICE = re.compile(r"\*\*What to do\*\*\s+(.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Explanation:
    """The findings of one check with one severity. `found` has the sentences of the findings, each
    with the name of the cell.
    """

    severity: Severity
    check: str
    figures: str
    found: tuple[str, ...]
    matters: str
    advice: str


@dataclass(frozen=True)
class Judgement:
    """The verdict on a picture. `counts` says how many of the picture's numbers have each verdict;
    void numbers are included."""

    state: VerdictState
    counts: dict[VerdictState, int]
    explanations: tuple[Explanation, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def judgement(cells: Sequence[CellResult], figures: Sequence[FigureName]) -> Judgement:
    """The judgement about these figures of these cells. Cells that failed or cannot run are not
    counted.
    """
    seen = [
        (cell, cell.figures[name])
        for cell in cells
        for name in figures
        if name in cell.figures and cell.executions + cell.failed
    ]
    return judged([figure.verdict for _, figure in seen], seen)


def judged(states: Sequence[VerdictState], seen: Sequence[tuple[CellResult, Figure]]) -> Judgement:
    """The judgement that follows from these verdicts and from the findings about these figures."""
    several = len({workload(cell) for cell, _ in seen}) > 1
    named = [
        (f"{label(cell)} ({workload(cell)})" if several else label(cell), finding)
        for cell, figure in seen
        for finding in figure.findings
    ]
    names: tuple[VerdictState, ...] = ("fair", "flagged", "void")
    counts: dict[VerdictState, int] = {state: states.count(state) for state in names}
    return Judgement(worst(states), counts, tuple(_explained(named)))


def _explained(named: Iterable[tuple[str, Finding]]) -> list[Explanation]:
    groups: dict[tuple[Severity, str, str], dict[str, list[str]]] = {}
    advice: dict[tuple[Severity, str, str], str] = {}
    for who, finding in named:
        if finding.severity == "limitation" and finding.cell is None:
            continue  # these findings are shown once, at the top of the page
        figures = ", ".join(name_of(one) for one in finding.figures)
        key = (finding.severity, finding.check, figures)
        members = groups.setdefault(key, {}).setdefault(brief(finding.text), [])
        if finding.cell is not None and who not in members:
            members.append(who)
        advice.setdefault(key, brief(finding.advice))
    order: tuple[Severity, ...] = ("fault", "warning", "limitation")
    return [
        Explanation(
            severity=key[0],
            check=brief(key[1]),
            figures=key[2],
            found=_sentences(texts),
            matters=f"{_property(key[1])} {CONSEQUENCES[key[0]]}".strip(),
            advice=advice[key] or _advice(key[1]),
        )
        for key, texts in sorted(groups.items(), key=lambda item: order.index(item[0][0]))
    ]


def _sentences(texts: dict[str, list[str]]) -> tuple[str, ...]:
    said = [f"{', '.join(who)}: {text}" if who else text for text, who in texts.items()]
    if len(said) > SAID_AT_MOST:
        more = len(said) - SAID_AT_MOST
        said[SAID_AT_MOST:] = [f"verdict.json contains {more} more finding{'s' * (more > 1)}"]
    return tuple(said)


@cache
def _page_of(check: str) -> str:
    return next((inspect.cleandoc(one.__doc__ or "") for one in CHECKS if check == one.NAME), "")


def _property(check: str) -> str:
    """The property that a check requires: the first sentence of the check's description."""
    title = _page_of(check).partition("\n")[0].replace("`", "")
    return f"What the check expects: {title[:1].lower()}{title[1:]}" if title else ""


def _advice(check: str) -> str:
    found = _ADVICE.search(_page_of(check))
    return " ".join(found[1].replace("`", "").split()) if found else ""


Value = str | int | float | bool | None
Columns = Mapping[str, Sequence[Value]]
Spec = Mapping[str, object]


@dataclass(frozen=True)
class Picture:
    """A picture, the table of the same numbers, and the verdict on these numbers.

    `spec` is Vega-Lite without its data: `{"name": …}` refers to an entry of `data`, whose columns
    have equal length. Texts of a run occur in `spec` only as literals (in a scale's domain), never
    in an expression. `caption` says how to read the picture.
    """

    name: str
    title: str
    caption: str
    spec: Spec
    data: Mapping[str, Columns]
    table: Table
    judgement: Judgement


def rows(columns: Columns) -> list[dict[str, Value]]:
    """The data as Vega requires them: a record for each row. On the page, `page.js` makes these
    records."""
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def complete(spec: Spec, data: Mapping[str, Columns]) -> dict[str, object]:
    """The specification, with its data included."""
    return {**spec, "datasets": {name: rows(columns) for name, columns in data.items()}}


WIDTH = 900
SCALE = 2.0


def export(pictures: Iterable[Picture], folder: Path) -> list[Path]:
    """Writes each picture to a file, named after the picture's anchor on the page. Raises
    UserMistake if the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path for picture in pictures for path in _export(picture, folder)]
    except OSError as error:
        raise UserMistake(f"{folder}: cannot be written ({error.strerror})") from None


def _export(picture: Picture, folder: Path) -> tuple[Path, Path]:
    spec = standalone(picture)
    svg, png = folder / f"{picture.name}.svg", folder / f"{picture.name}.png"
    write_whole(svg, vl_convert.vegalite_to_svg(spec))
    png.write_bytes(vl_convert.vegalite_to_png(spec, scale=SCALE))
    return svg, png


def standalone(picture: Picture) -> str:
    """A specification that any reader of Vega-Lite can draw: it contains the data, title, width and
    colours.
    """
    whole = {
        **complete(picture.spec, picture.data),
        "width": WIDTH,
        "autosize": {"type": "pad"},
        "background": LIGHT["background"],
        "title": {
            "text": picture.title,
            "subtitle": f"{picture.judgement.state} · runfair" if picture.judgement.total else "",
            "subtitleColor": LIGHT["quiet"],
        },
    }
    return _with_colours(whole)


def _with_colours(spec: dict[str, object]) -> str:
    """The specification with the theme's colours written in. The data are not changed, because they
    are texts of a run.
    """
    datasets = spec.pop("datasets")
    drawn = json.loads(written_in(json.dumps(spec), LIGHT))
    return json.dumps({**drawn, "datasets": datasets})
