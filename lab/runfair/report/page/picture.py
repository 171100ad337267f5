"""A picture: what is drawn, the table of the same numbers, and how far they may be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runfair.report.page.judgement import Judgement
from runfair.wording.table import Table

Value = str | int | float | bool | None
Columns = Mapping[str, Sequence[Value]]
Spec = Mapping[str, object]


@dataclass(frozen=True)
class Picture:
    """`spec` is Vega-Lite without its data: `{"name": …}` stands for one of `data`, whose columns
    are of one length. No text of a run stands in `spec` but as a literal (a scale's domain), never
    in an expression. `caption` says how to read it."""

    name: str
    title: str
    caption: str
    spec: Spec
    data: Mapping[str, Columns]
    table: Table
    judgement: Judgement


def rows(columns: Columns) -> list[dict[str, Value]]:
    """A row a record, as Vega wants them; on the page it is `page.js` that does this."""
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def complete(spec: Spec, data: Mapping[str, Columns]) -> dict[str, object]:
    """The specification with its data in it."""
    return {**spec, "datasets": {name: rows(columns) for name, columns in data.items()}}
