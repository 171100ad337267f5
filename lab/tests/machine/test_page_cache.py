"""Emptying the page cache, against a file that stands for the kernel's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from experiment.plans import artefact, cell
from runfair.errors import UserMistake
from runfair.formats.plan import Factors, PageCacheState
from runfair.machine.page_cache import cannot_empty, cold_files, empty_page_cache


def test_the_kernel_is_told_to_drop_pages_alone(tmp_path: Path) -> None:
    control = tmp_path / "drop_caches"
    control.touch()
    assert cannot_empty(control) == ""
    empty_page_cache(control)
    assert control.read_text() == "1\n"


def test_who_may_not_is_told_why(tmp_path: Path) -> None:
    control = tmp_path / "nowhere" / "drop_caches"
    assert "only root may write" in cannot_empty(control)
    with pytest.raises(UserMistake, match="the page cache cannot be emptied: No such file"):
        empty_page_cache(control)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write whatever the mode")
def test_a_control_that_is_read_only(tmp_path: Path) -> None:
    control = tmp_path / "drop_caches"
    control.touch(mode=0o400)
    assert "only root may write" in cannot_empty(control)


@pytest.mark.parametrize(
    ("state", "looked_at"),
    [
        ("warm", []),
        ("cold", ["/inputs/a.txt"]),
        # What is found by its name alone is nobody's file.
        ("empty", ["/inputs/a.txt", "/builds/sort", "/builds/lib.so"]),
    ],
)
def test_which_files_are_to_be_cold(state: PageCacheState, looked_at: list[str]) -> None:
    built = artefact(["/builds/sort"]).model_copy(update={"files": ["/builds/lib.so", "sort.py"]})
    asked = cell(
        factors=Factors(page_cache=state), inputs=["/inputs/a.txt", "b.txt"], artefact=built
    )
    assert [str(path) for path in cold_files(asked)] == looked_at
