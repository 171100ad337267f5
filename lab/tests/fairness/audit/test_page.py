"""docs/audit.md names every tool and every mistake."""

from __future__ import annotations

import re

from runfair.fairness.audit import JUDGES
from runfair.formats.foreign import IMPORTERS
from runfair.paths import REPOSITORY

PAGE = (REPOSITORY / "docs" / "audit.md").read_text(encoding="utf-8")


def test_every_tool_and_whether_it_was_seen() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (seen|documented) \|", PAGE, re.MULTILINE)
    known = {each.TOOL: "seen" if each.SEEN else "documented" for each in IMPORTERS}
    assert dict(rows) == known


def test_every_mistake() -> None:
    section = PAGE.partition("## The mistakes")[2].partition("## The formats")[0]
    rows = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)[1:]
    assert set(rows) - {"---"} == {each.title for each in JUDGES}
