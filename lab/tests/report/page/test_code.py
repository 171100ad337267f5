"""A reader sees what a compiler reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.report.page.code import LONGEST, visible
from runfair.wording.text import plain


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("    if x:  # note", "    if x:  # note"),
        ("\tif\tx", "    if  x"),
        ("access = 'user\u202e\u2066'", "access = 'user⟦U+202E⟧⟦U+2066⟧'"),
        ("a\x1b[31mb\x0cc\u2028d\u200be\x00", "a⟦U+001B⟧[31mb⟦U+000C⟧c⟦U+2028⟧d⟦U+200B⟧e⟦U+0000⟧"),
        ("é ñ 漢字 שלום", "é ñ 漢字 שלום"),
        ("", ""),
    ],
)
def test_white_space_is_kept_and_the_invisible_named(line: str, shown: str) -> None:
    assert visible(line) == shown


def test_a_line_of_a_megabyte_is_cut() -> None:
    shown = visible("x" * 2**20)
    assert len(shown) < 2 * LONGEST
    assert shown.endswith("… (1,048,576 characters)")


@given(st.text(max_size=60))
def test_nothing_invisible_is_left(line: str) -> None:
    shown = visible(line)
    assert plain(shown) == " ".join(shown.split())
