"""Text from result files, made safe to show: nothing in it moves the cursor or turns the line."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Control characters (escape sequences begin with one), format characters (bidirectional
# overrides, invisible joiners), surrogates, and line and paragraph separators.
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def plain(text: str) -> str:
    """One line without anything invisible; white space is folded."""
    folded = " ".join(text.split())
    return "".join(REPLACEMENT if unicodedata.category(c) in UNSAFE else c for c in folded)
