"""Where things are."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.paths import REPOSITORY, private_folder, results_folder


def test_the_private_folder_is_told_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "link"))
    assert private_folder() == tmp_path.resolve() / "real"


def test_an_empty_variable_names_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", "")
    monkeypatch.setenv("RUNFAIR_RESULTS", "")
    assert private_folder() == (REPOSITORY / ".runfair").resolve()
    assert results_folder() == REPOSITORY / "results"
