"""Where things are."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.paths import private_folder


def test_the_private_folder_is_told_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "link"))
    assert private_folder() == tmp_path.resolve() / "real"
