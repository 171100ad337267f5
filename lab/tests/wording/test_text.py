"""Hostile text becomes visible text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.wording.text import REPLACEMENT, UNSAFE, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("go-1.26.8", "go-1.26.8"),
        ("µs × [95%]", "µs × [95%]"),
        ("two\n\n  lines\t", "two lines"),
        ("\x1b[31mred\x1b[0m", "�[31mred�[0m"),
        ("abc\u202egpj.exe", "abc�gpj.exe"),
        ("zero\u200bwidth", "zero�width"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_every_character_is_replaced_or_left_as_it_is() -> None:
    for point in range(0x110000):
        character = chr(point)
        if not character.isspace():
            unsafe = unicodedata.category(character) in UNSAFE
            assert plain(character) == (REPLACEMENT if unsafe else character)


@given(st.text())
def test_nothing_unsafe_is_left(text: str) -> None:
    shown = plain(text)
    assert not any(unicodedata.category(character) in UNSAFE for character in shown)
    assert plain(shown) == shown
