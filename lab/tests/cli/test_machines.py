"""Which machines a command uses: `--machines`, the file beside the experiment, or this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet.fake_slurm import FakeSlurm
from fleet.fleet_runs import small_plan
from runfair.cli import run as running
from runfair.cli.listing import Kind, list_
from runfair.cli.machines import machines_for
from runfair.cli.run import run
from runfair.errors import UserMistake
from runfair.fleet.machines import LOCAL, slurm_target_text
from runfair.formats.machines import LOCAL_MACHINES
from runfair.machine import measurement_lock

EXPERIMENT = """
[[measure]]
benchmarks = ["sort"]
modes = ["cold"]
"""


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """An experiment's file, beside a file that names the partition of a Slurm."""
    enter = FakeSlurm(tmp_path).slurm.enter
    text = slurm_target_text(enter, "measure", {"service": 2}, 1)
    (tmp_path / "machines.toml").write_text(text)
    experiment = tmp_path / "own.toml"
    experiment.write_text(EXPERIMENT)
    return experiment


def test_a_file_beside_the_experiment_is_used_and_named(
    beside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = machines_for(str(beside), None)
    assert (found.partition, found.roles["service"].hosts) == ("measure", 2)
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(
        f"runfair uses the machines named in the file {beside.with_name('machines.toml')} beside"
    )
    assert "--machines local" in said


def test_the_option_overrides_the_file(
    beside: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.toml"
    other.write_text(slurm_target_text([], "other", {"service": 1}, 1))
    assert machines_for(str(beside), other).partition == "other"
    assert machines_for(str(beside), LOCAL) == LOCAL_MACHINES
    assert capsys.readouterr().err == ""


def test_an_experiment_without_such_a_file_uses_this_machine(
    beside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert machines_for("own", None) == LOCAL_MACHINES
    assert machines_for(beside.name, None) != LOCAL_MACHINES
    (tmp_path / "machines.toml").unlink()
    assert machines_for(beside.name, None) == LOCAL_MACHINES


def test_a_dry_run_prints_the_jobs_of_the_file_beside_the_experiment(
    beside: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: tmp_path / "measuring")
    monkeypatch.setattr(running, "_planned", lambda *_: small_plan())
    run(str(beside), dry_run=True)
    said = capsys.readouterr().out
    assert "salloc --no-shell" in said
    for cell in small_plan().cells:  # also those that cannot run, with the reason
        assert f"{cell.id}: 5 executions" in said
    run(str(beside), machines=LOCAL, dry_run=True)
    assert "salloc" not in capsys.readouterr().out


def test_the_nodes_of_the_file_beside_the_experiment_are_listed(
    beside: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    list_(Kind.machines, str(beside))
    assert "host3" in capsys.readouterr().out
    with pytest.raises(UserMistake, match="only `list machines` takes an experiment"):
        list_(Kind.benchmarks, str(beside))
