"""What is asked for is looked at before another measurement is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiment.plans import cell, plan
from fleet.fake_slurm import FakeSlurm
from runfair.catalogue.experiment import Experiment
from runfair.cli import run as running
from runfair.cli.run import run
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.experiment.plan_draft import Request
from runfair.formats.plan import Plan
from runfair.machine import measurement_lock


def test_a_dry_run_prints_every_cell_and_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, absent = cell(variant="here"), cell(variant="absent", unsupported="no [go]")
    planned = plan([here, absent], planned_executions([here], 4, 0, 1))
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: tmp_path / "measuring")
    monkeypatch.setattr(running, "_planned", lambda *_: planned)
    run(results=tmp_path / "results", dry_run=True)
    out = capsys.readouterr().out.splitlines()
    assert out == [f"{here.id}: 4 executions", f"{absent.id}: unsupported: no [go]"]
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("experiment", "folder"), [("own.toml", True), ("./own.toml", True), ("web", False)]
)
def test_the_plan_says_how_the_experiment_is_run_again(
    experiment: str, folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.toml").write_text('name = "web"\n[[measure]]\nbenchmarks = ["sort"]\n')
    requests: list[Request] = []

    def planned(text: Experiment, request: Request, *_: object) -> Plan:
        assert text.name == "web"
        requests.append(request)
        return plan([], [])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: tmp_path / "measuring")
    monkeypatch.setattr(running, "_planned", planned)
    run(experiment, results=tmp_path / "results", dry_run=True)
    assert [one.source for one in requests] == [str(tmp_path / "own.toml") if folder else "web"]


def test_a_run_over_hosts_is_planned_for_their_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ", ".join(f'"{word}"' for word in FakeSlurm(tmp_path).slurm.enter)
    machines = tmp_path / "machines.toml"
    machines.write_text(
        f'engine = "slurm"\nenter = [{words}]\npartition = "measure"\n[roles.service]\n'
    )
    requests: list[Request] = []

    def planned(_: Experiment, request: Request, *__: object) -> Plan:
        requests.append(request)
        return plan([], [])

    monkeypatch.setattr(measurement_lock, "lock_path", lambda: tmp_path / "measuring")
    monkeypatch.setattr(running, "_planned", planned)
    run("web", results=tmp_path / "results", machines=machines, dry_run=True)
    assert [one.host_processors for one in requests] == [1]  # as in the recorded answer


@pytest.mark.parametrize(
    ("benchmark", "variant", "told"),
    [
        ("srot", "go-*", "no benchmark is named 'srot'; choose from sort"),
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


def test_results_that_cannot_be_written_are_told_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurement_lock, "lock_path", lambda: tmp_path / "measuring")
    monkeypatch.setattr(running, "_planned", lambda *_: pytest.fail("planned"))
    (tmp_path / "file").touch()
    with pytest.raises(UserMistake, match="choose another folder with --results"):
        run(results=tmp_path / "file" / "results")
