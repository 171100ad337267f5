"""Text from result files, made safe to show: nothing in it moves the cursor or turns the line."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control characters (escape sequences begin with one), format characters (bidirectional
# overrides, invisible joiners), surrogates, and line and paragraph separators.
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Shown(dict[int, str]):
    """What stands for each character, by its code point; looked up once."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        shown = REPLACEMENT if unicodedata.category(character) in UNSAFE else character
        self[point] = shown
        return shown


_SHOWN = _Shown()


def plain(text: str) -> str:
    """One line without anything invisible; white space is folded."""
    folded = " ".join(text.split())
    # Of printable text, which nearly all is, nothing has to be replaced.
    return folded if folded.isprintable() else folded.translate(_SHOWN)
