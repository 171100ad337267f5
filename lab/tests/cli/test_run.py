"""What is asked for is looked at before another measurement is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.cli.run import run
from runfair.errors import UserMistake
from runfair.machine import measurement_lock


@pytest.mark.parametrize(
    ("benchmark", "variant", "told"),
    [
        ("srot", "go-*", "no benchmark is named 'srot'; there are: sort"),
        ("sort", "gcc-99", "gcc-99"),
        ("sort", "go-*", "theirs"),
    ],
)
def test_a_wrong_name_is_told_at_once(
    benchmark: str, variant: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "measuring"
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: place)
    with (
        measurement_lock.acquire("theirs", path=place),
        pytest.raises(UserMistake, match=told),
    ):
        run(only=[benchmark], runtimes=[variant])
