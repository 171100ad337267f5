"""A result whose texts are no longer than anybody reads, before anything is made from it.

Names come from a user's files and messages from programs: a few of a megabyte each would otherwise
stand in every row of every table.
"""

from __future__ import annotations

import re

from runfair.formats.result import RunResult
from runfair.report.page.wording import LONGEST, brief

_LONG = re.compile(rf'"(?:[^"\\]|\\.){{{LONGEST}}}')
# Identities: nobody reads them, and the evidence is found by them.
_KEPT = frozenset({"id", "cell", "execution"})


def shortened(result: RunResult) -> RunResult:
    """The same result where no text is long."""
    if not _LONG.search(result.model_dump_json()):
        return result
    return RunResult.model_validate(_cut(result.model_dump()))


def _cut(node: object) -> object:
    if isinstance(node, dict):
        return {key: value if key in _KEPT else _cut(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_cut(value) for value in node]
    if isinstance(node, str) and len(node) > LONGEST:
        return brief(node, LONGEST // 2)
    return node
