"""A picture of the page: the drawing, the table of the same numbers, and the verdict on these
numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import vl_convert

from runfair.errors import UserMistake
from runfair.formats.kept_file import write_whole
from runfair.report.page.judgement import Judgement
from runfair.report.page.palette import LIGHT, written_in
from runfair.wording.table import Table

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
