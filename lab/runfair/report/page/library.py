"""Vega, Vega-Lite and Vega-Embed in one file that needs nothing else: vl-convert's own bundle.

Made once a version, and kept in the private folder: making it takes a second and a half.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert

from runfair.paths import private_folder

SNIPPET = "window.vegaEmbed = vegaEmbed;"  # all that `page.js` calls


@cache
def library() -> str:
    kept = private_folder() / "page" / f"vega-{version('vl-convert-python')}.js"
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    bundle = vl_convert.javascript_bundle(SNIPPET)
    if not os.access(private_folder(), os.W_OK):
        return bundle
    kept.parent.mkdir(exist_ok=True)
    # Two reports at once may both make it: each under a name of its own, then one is the other.
    with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as made:
        made.write(bundle)
    Path(made.name).replace(kept)
    return bundle
