"""Every picture of a page as a file: SVG, and PNG at twice the size for screens that show it."""

from __future__ import annotations

import json
from pathlib import Path

import vl_convert

from runfair.errors import UserMistake
from runfair.formats.run_folder import write_whole
from runfair.report.page.contents import Contents
from runfair.report.page.palette import LIGHT, written_in
from runfair.report.page.picture import Picture, complete

WIDTH = 900
SCALE = 2.0


def export(contents: Contents, folder: Path) -> list[Path]:
    """The files, each named like its picture's anchor on the page. UserMistake where the folder
    cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [path for picture in contents.pictures for path in _export(picture, folder)]
    except OSError as error:
        raise UserMistake(f"{folder}: cannot be written ({error.strerror})") from None


def _export(picture: Picture, folder: Path) -> tuple[Path, Path]:
    spec = standalone(picture)
    svg, png = folder / f"{picture.name}.svg", folder / f"{picture.name}.png"
    write_whole(svg, vl_convert.vegalite_to_svg(spec))
    png.write_bytes(vl_convert.vegalite_to_png(spec, scale=SCALE))
    return svg, png


def standalone(picture: Picture) -> str:
    """The specification as any Vega-Lite reader takes it: data, title, width and colours in it."""
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
    """In what we wrote ourselves: the data are a run's own texts, and are left as they are."""
    datasets = spec.pop("datasets")
    drawn = json.loads(written_in(json.dumps(spec), LIGHT))
    return json.dumps({**drawn, "datasets": datasets})
