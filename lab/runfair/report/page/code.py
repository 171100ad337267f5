"""A line of source as the page shows it: its white space kept, whatever is invisible named."""

from __future__ import annotations

import unicodedata

from runfair.wording.text import UNSAFE

TAB = 4
LONGEST = 400  # characters of a line; beyond, it is data rather than code


def visible(line: str) -> str:
    """Tabs as spaces, and each control or format character by its number: what turns text around
    for a reader (a bidirectional override) does not do so for a compiler."""
    cut = line[:LONGEST]
    shown = "".join(_shown(character) for character in cut.expandtabs(TAB))
    return shown if len(line) <= LONGEST else f"{shown}… ({len(line):,} characters)"


def _shown(character: str) -> str:
    if unicodedata.category(character) in UNSAFE:
        return f"⟦U+{ord(character):04X}⟧"
    return character
