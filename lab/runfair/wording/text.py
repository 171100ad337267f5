"""Texts of a run made safe to show: one line, visible, of bounded length."""

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
    """The replacement of each character, by its code point; each is computed once."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        shown = REPLACEMENT if unicodedata.category(character) in UNSAFE else character
        self[point] = shown
        return shown


_SHOWN = _Shown()


def plain(text: str) -> str:
    """The text on one line, without invisible characters and with white space folded."""
    folded = " ".join(text.split())
    # Printable text, the usual case, needs no replacement.
    return folded if folded.isprintable() else folded.translate(_SHOWN)


LONGEST = 400
LONGEST_NAME = 60
_MOST_READ = 20 * LONGEST  # a text of megabytes is read no further than this


def brief(text: str, longest: int = LONGEST) -> str:
    """The text, cut if it is too long to read, with a remark on its full length."""
    shown = plain(text[:_MOST_READ])
    if len(text) <= _MOST_READ and len(shown) <= longest:
        return shown
    return f"{shown[:longest]}… ({len(text):,} characters)"


def short(name: str) -> str:
    """A long name cut in its middle, because names often differ only in their ends."""
    shown = brief(name)
    if len(shown) <= LONGEST_NAME:
        return shown
    half = LONGEST_NAME // 2
    return f"{shown[:half]}…{shown[-half:]}"


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order, made different from each other: names that were cut to the same text are
    numbered."""
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
# Identities are not shortened: the evidence is found by them, and they are not shown.
_KEPT = frozenset({"id", "cell", "execution"})


def shortened(result: RunResult) -> RunResult:
    """The same result with all long texts shortened.

    Names come from a user's files and messages from programs: a text of a megabyte would otherwise
    appear in every row of every table.
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
