"""Who waits for another measurement hears for whom."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from runfair.cli.terminal import lock_machine
from runfair.errors import UserMistake
from runfair.machine import measurement_lock

WAIT_S = 0.6


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "measuring"
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: path)
    return path


def test_the_other_run_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with measurement_lock.acquire("theirs", path=place), pytest.raises(UserMistake, match="theirs"):
        lock_machine("mine", WAIT_S)
    assert capsys.readouterr().err.startswith("waiting for run theirs (process ")
    lock_machine("mine", 0.0).release()


def test_one_that_has_not_said_who_it_is(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with place.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(UserMistake, match="another run is already measuring"):
            lock_machine("mine", WAIT_S)
    assert capsys.readouterr().err == "waiting for another run\n"
