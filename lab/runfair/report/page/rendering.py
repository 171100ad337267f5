"""The page as HTML. The page is a single file that opens offline, loads nothing, and runs only its
own two scripts.

The template escapes the texts of a run. Inside JSON, these texts contain no `<`, `>` or `&`, and
only ASCII characters. The policy in the page's head is a second defence: it allows only the two
scripts, which it identifies by their digests. The policy forbids the evaluation of text and all
connections.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from runfair.paths import private_folder
from runfair.report.page.annotated_source import WIDTHS
from runfair.report.page.contents import Contents
from runfair.report.page.palette import DARK, LIGHT, Theme
from runfair.report.table import LEGEND
from runfair.wording.text import anchor, brief

ASSETS = Path(__file__).with_name("assets")


def html(contents: Contents) -> str:
    style = _variables() + _asset("page.css") + _asset("annotated_source.css") + _widths()
    scripts = (library(), _asset("page.js"))
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            contents=contents,
            legend=LEGEND,
            policy=_policy(style, scripts),
            scripts=[Markup(script) for script in scripts],
            style=Markup(style),
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    environment.filters |= {"brief": brief, "anchor": anchor}
    return environment


def _policy(style: str, scripts: tuple[str, ...]) -> str:
    allowed = " ".join(_digest(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    sha256 = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(sha256).decode()}'"


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _variables() -> str:
    """The themes as CSS variables. Paper uses the light theme."""
    light, dark = _block(LIGHT), _block(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
    )


def _widths() -> str:
    """A CSS class for each width of a bar. Classes are needed because the page's policy forbids
    styles on single elements.
    """
    return "".join(f".bar.w{step}{{width:{100 * step / WIDTHS:g}%}}" for step in range(WIDTHS + 1))


def _block(theme: Theme) -> str:
    return "".join(f"--{name}:{value};" for name, value in theme.items())


SNIPPET = "window.vegaEmbed = vegaEmbed;"  # the only function that `page.js` calls


@cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one self-contained file: vl-convert's own bundle.

    The file is made once for each version of vl-convert and kept in the private folder. Making it
    takes 1.5 s.
    """
    kept = private_folder() / "page" / f"vega-{version('vl-convert-python')}.js"
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    bundle = vl_convert.javascript_bundle(SNIPPET)
    if not os.access(private_folder(), os.W_OK):
        return bundle
    kept.parent.mkdir(exist_ok=True)
    # Two reports may make the library at the same time. Each therefore writes its own file and then
    # renames it.
    with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as made:
        made.write(bundle)
    Path(made.name).replace(kept)
    return bundle
