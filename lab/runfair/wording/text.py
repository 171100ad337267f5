"""Makes texts of a run safe to show: the results have one line, only visible characters, and
bounded length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from runfair.formats.result import RunResult

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control characters (escape sequences begin with one), format characters (bidirectional
# overrides, invisible joiners), surrogates, and line and paragraph separators.
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Shown(dict[int, str]):
    """The replacements of characters, with code points as keys. Each is computed once."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        shown = REPLACEMENT if unicodedata.category(character) in UNSAFE else character
        self[point] = shown
        return shown


_SHOWN = _Shown()


def plain(text: str) -> str:
    """The text on one line, without invisible characters and with white space folded."""
    folded = " ".join(text.split())
    # Printable text is the usual case and needs no replacement.
    return folded if folded.isprintable() else folded.translate(_SHOWN)


LONGEST = 400
LONGEST_NAME = 60
_MOST_READ = 20 * LONGEST  # longer texts are read only up to this length


def brief(text: str, longest: int = LONGEST) -> str:
    """The text, cut if it is too long to read, with a remark on its full length."""
    shown = plain(text[:_MOST_READ])
    if len(text) <= _MOST_READ and len(shown) <= longest:
        return shown
    return f"{shown[:longest]}… ({len(text):,} characters)"


def short(name: str) -> str:
    """A long name, cut in the middle, because names often differ only at the end."""
    shown = brief(name)
    if len(shown) <= LONGEST_NAME:
        return shown
    half = LONGEST_NAME // 2
    return f"{shown[:half]}…{shown[-half:]}"


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order, changed so that all are different: if several names were cut to the same
    text, they are numbered."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return told


def anchor(*parts: str) -> str:
    """A name for a link or a file, from these parts."""
    folded = re.sub(r"[^a-z0-9.]+", "-", " ".join(part[:80] for part in parts).lower())
    return folded.strip("-.")[:120] or "picture"


_LONG = re.compile(rf'"(?:[^"\\]|\\.){{{LONGEST}}}')
# Identities are not shortened, because they are used to find the evidence and are not shown.
_KEPT = frozenset({"id", "cell", "execution"})


def shortened(result: RunResult) -> RunResult:
    """The same result, with all long texts shortened.

    Names come from a user's files, and messages come from programs. Without this function, a text
    of a megabyte could appear in every row of every table.
    """
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
