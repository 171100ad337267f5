"""Pages of runs whose truth is known."""

from __future__ import annotations

import json
import re
from typing import Any

import vl_convert

from evidence.records import Records
from runfair.fairness.verdict import judge
from runfair.report.page.contents import Contents, contents
from runfair.report.page.page_input import PageInput
from runfair.report.page.picture import Picture, standalone
from runfair.result.run import assemble

SCRIPT = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)


def page_of(records: Records) -> Contents:
    evidence = records.evidence()
    return contents(PageInput(evidence, assemble("run", evidence, judge(evidence))))


def picture(page: Contents, title: str) -> Picture:
    """The one whose title begins so."""
    found = [one for one in page.pictures if one.title.startswith(title)]
    assert len(found) == 1, [one.title for one in page.pictures]
    return found[0]


def drawn(page: Contents) -> list[str]:
    """Every picture as SVG. A specification that Vega-Lite does not understand fails."""
    return [vl_convert.vegalite_to_svg(standalone(one)) for one in page.pictures]


def embedded(html: str) -> list[Any]:
    """What the pictures of a page are drawn from."""
    return [json.loads(text) for text in SCRIPT.findall(html)]
