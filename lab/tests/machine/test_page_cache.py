"""Emptying the page cache, against a file that stands for the kernel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine.page_cache import cannot_empty, empty_page_cache


def test_the_kernel_is_told_to_drop_pages_alone(tmp_path: Path) -> None:
    control = tmp_path / "drop_caches"
    control.touch()
    assert cannot_empty(control) == ""
    empty_page_cache(control)
    assert control.read_text() == "1\n"


def test_who_may_not_is_told_why(tmp_path: Path) -> None:
    control = tmp_path / "nowhere" / "drop_caches"
    assert "needs root" in cannot_empty(control)
    with pytest.raises(UserMistake, match="the page cache cannot be emptied: No such file"):
        empty_page_cache(control)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write whatever the mode")
def test_a_control_that_is_read_only(tmp_path: Path) -> None:
    control = tmp_path / "drop_caches"
    control.touch(mode=0o400)
    assert "needs root" in cannot_empty(control)
