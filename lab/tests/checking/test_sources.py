"""Which files formatters and compilers are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking.sources import sources


def test_what_tools_made_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "mine"))
    monkeypatch.setenv("RUNFAIR_RESULTS", str(tmp_path / "measured"))
    kept = ["a.js", "deep/er/b.js"]
    left = ["node_modules/m.js", "deep/target/t.js", ".hidden/h.js", "mine/p.js", "measured/r.js"]
    for name in [*kept, *left, "package-lock.json", "a.py"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert sources("*.js", "*.ts", root=tmp_path) == [tmp_path / name for name in kept]


def test_the_repository_has_sources_of_every_language() -> None:
    for pattern in ("*.cpp", "*.go", "*.java", "*.js", "*.py", "*.rs"):
        assert len(sources(pattern)) >= 3, pattern
