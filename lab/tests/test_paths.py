"""Where things are."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.paths import REPOSITORY, private_folder, results_folder, stated_path


def test_the_private_folder_is_told_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "link"))
    assert private_folder() == tmp_path.resolve() / "real"


def test_a_stated_path_may_begin_with_a_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert stated_path("~/input") == tmp_path.resolve() / "input"
    with pytest.raises(UserMistake, match="the home folder ~no-such-user is unknown"):
        stated_path("~no-such-user/input")


def test_an_empty_variable_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", "")
    monkeypatch.setenv("RUNFAIR_RESULTS", "")
    assert private_folder() == (REPOSITORY / ".runfair").resolve()
    assert results_folder() == REPOSITORY / "results"
