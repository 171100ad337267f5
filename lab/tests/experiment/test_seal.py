"""Commands of a plan that came from elsewhere are not started unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiment.plans import artefact, cell, host, plan
from runfair.cli.resume import require_own_plan
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.experiment.seal import commands, is_sealed, seal
from runfair.formats.machines import Machines, Needs, RunMachines
from runfair.formats.place import DeclaredPlace
from runfair.formats.plan import Cell, Factors, Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    return RunFolder.create(
        tmp_path / "results", executed([cell(variant="a"), cell(variant="b")]), host()
    )


def executed(cells: list[Cell], **changes: Any) -> Plan:
    return plan(cells, planned_executions(cells, executions=2, pilots=0, seed=7), **changes)


def test_an_own_plan_is_started_without_a_question(folder: RunFolder) -> None:
    seal(folder)
    assert is_sealed(folder)
    require_own_plan(folder, folder.plan())


def test_a_plan_that_was_changed_since_is_not_started(folder: RunFolder) -> None:
    seal(folder)
    text = folder.plan_file.read_text()
    folder.plan_file.write_text(text.replace('"true"', '"false"', 1))
    assert not is_sealed(folder)


def test_a_plan_of_another_installation_is_named_and_not_started(
    folder: RunFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seal(folder)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "another"))
    with pytest.raises(UserMistake, match=r"use \./runfair resume --trust"):
        require_own_plan(folder, folder.plan())
    said = capsys.readouterr().err
    assert commands(folder.plan()) == ["true"]
    assert "\n  true\n" in said


def test_a_plan_without_a_seal_is_not_started(folder: RunFolder) -> None:
    with pytest.raises(UserMistake, match="runfair started nothing"):
        require_own_plan(folder, folder.plan())


def test_other_words_before_slurm_are_not_started(
    folder: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    def over(*enter: str) -> str:
        roles = {"service": Needs()}
        machines = Machines(engine="slurm", enter=[*enter], partition="quiet", roles=roles)
        return RunMachines(machines=machines).model_dump_json()

    folder.fleet_file.write_text(over("ssh", "head"))
    seal(folder)
    assert is_sealed(folder)
    folder.fleet_file.write_text(over("sh", "-c", "harm"))
    assert not is_sealed(folder)
    with pytest.raises(UserMistake, match="runfair started nothing"):
        require_own_plan(folder, folder.plan())
    assert "sh -c harm salloc" in capsys.readouterr().err


def test_the_key_is_for_its_user_alone(folder: RunFolder, tmp_path: Path) -> None:
    seal(folder)
    assert (tmp_path / "private" / "seal.key").stat().st_mode & 0o077 == 0


def test_commands_are_named_with_what_starts_them_elsewhere() -> None:
    there = cell(factors=Factors(place="beyond"), artefact=artefact(["serve", "it"]))
    elsewhere = {"beyond": DeclaredPlace(launcher=["nsenter", "--net=/run/netns/b", "--"])}
    both = executed([cell(), there], places=elsewhere)
    enter = "nsenter --net=/run/netns/b --"
    assert commands(both) == [enter, "true", f"{enter} serve it"]


def test_whatever_is_executed_is_named_even_if_it_claims_to_be_unsupported() -> None:
    hidden = cell(variant="b", unsupported="x", artefact=artefact(["sh", "-c", "harm"]))
    planned = PlannedExecution(id="00001", cell=hidden.id, role="block", block=0, position=0)
    assert commands(plan([cell(), hidden], [planned])) == ["sh -c harm"]


def test_the_launcher_of_a_place_without_a_program_is_named() -> None:
    places = {"db": DeclaredPlace(launcher=["sh", "-c", "harm"], clock="measured")}
    assert commands(executed([cell()], places=places)) == ["sh -c harm", "true"]


def test_the_environment_of_a_program_is_named() -> None:
    preloaded = artefact().model_copy(update={"environment": {"LD_PRELOAD": "/tmp/harm.so"}})
    assert commands(executed([cell(artefact=preloaded)])) == ["env LD_PRELOAD=/tmp/harm.so true"]
