"""The lab's own programs as a step."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import own_programs
from checking.own_programs import build_own_programs
from checking.step import Counted, Skipped
from runfair.building.failure import BuildFailed
from runfair.errors import UserMistake


def missing() -> Path:
    raise UserMistake("no Rust is here")


def broken() -> Path:
    raise BuildFailed("see failed.log")


def test_each_program_is_built_failed_or_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(own_programs, "BUILDS", (lambda: Path("made"), missing, broken))
    step = build_own_programs()
    assert step.run() == Counted(1, 1, (Skipped(step.name, "no Rust is here"),))
    assert capsys.readouterr().out == "made\nsee failed.log\n"
