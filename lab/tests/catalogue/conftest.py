"""A place for invented runtimes, away from the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogue.invented import ENTRY, Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    programs = tmp_path / "bin"
    programs.mkdir()
    file = tmp_path / "toys.toml"
    file.write_text(ENTRY)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    monkeypatch.delenv("RUNFAIR_RUNTIMES", raising=False)
    return Bench(programs, file, tmp_path / "asked")
