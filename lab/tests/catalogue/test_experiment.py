"""Experiments and profiles as files say them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.experiment import experiment_files, parse_bytes, read_experiment
from runfair.catalogue.profile import PROFILES, ProfileText, profile, profile_name
from runfair.errors import UserMistake


@pytest.mark.parametrize(
    ("text", "amount"),
    [("512 MiB", 512 * 2**20), ("2 GB", 2 * 10**9), ("1.5GiB", 3 * 2**29), ("100 B", 100)],
)
def test_amounts_of_memory(text: str, amount: int) -> None:
    assert parse_bytes(text) == amount


@pytest.mark.parametrize("text", ["", "12", "MiB", "-1 MiB", "1 MiBs", "1 XiB"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(ValueError, match="not an amount of memory"):
        parse_bytes(text)


def test_every_committed_experiment_can_be_read() -> None:
    names = experiment_files()
    assert "default" in names
    for name in names:
        assert read_experiment(name).about


def test_an_experiment_is_named_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[measure]]\nbenchmarks = ["sort"]\n')
    assert read_experiment(str(path)).name == "mine"


def test_profiles_are_ordered_by_effort_and_even() -> None:
    efforts = [one.effort for one in PROFILES.values()]
    assert [one.executions for one in efforts] == sorted(one.executions for one in efforts)
    assert all(one.executions % 2 == 0 for one in efforts)


def test_an_experiment_changes_what_it_names_and_nothing_else() -> None:
    changed = profile("quick", ProfileText(size="tiny", max_seconds=1.5))
    assert changed.size == "tiny"
    assert changed.effort.max_seconds == 1.5
    assert changed.effort.executions == PROFILES["quick"].effort.executions
    assert profile("quick", None) == PROFILES["quick"]


def test_an_unknown_profile_names_the_nearest() -> None:
    assert profile_name("full") == "full"
    with pytest.raises(UserMistake, match="no profile is named 'ful'; there are: full"):
        profile_name("ful")
