"""Which cells of a plan run as an unprivileged user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.experiment import unprivileged as room
from runfair.experiment.unprivileged import require_same_user, unprivileged
from runfair.formats.place import User
from runfair.formats.plan import Plan, PlannedExecution

NOBODY = User(uid=65534, gid=65534)
RESULTS = Path("/var/empty/results")


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the lab ran as root, in a copy of runfair that everybody can read."""
    monkeypatch.setattr(room, "unprivileged_user", lambda: NOBODY)
    monkeypatch.setattr(room, "can_become", lambda _: True)
    monkeypatch.setattr(room, "REPOSITORY", Path("/usr"))


def two_cells(hidden: Path) -> Plan:
    open_one = plans.cell(variant="a", artefact=plans.artefact(["/bin/true"]))
    closed = plans.cell(variant="b", artefact=plans.artefact([str(hidden)]))
    return plans.plan([open_one, closed], [])


@pytest.mark.usefixtures("as_root")
def test_each_cell_that_can_has_the_user_and_the_others_are_named(tmp_path: Path) -> None:
    hidden = tmp_path / "program"
    hidden.write_text("")
    hidden.chmod(0o700)
    tmp_path.chmod(0o700)
    found = unprivileged(two_cells(hidden), RESULTS)
    assert [cell.user for cell in found.cells] == [NOBODY, None]
    (limitation,) = found.limitations
    assert limitation.startswith("b run as root, because user 65534 cannot read /")


@pytest.mark.usefixtures("as_root")
def test_a_lab_whose_python_is_hidden_removes_checks_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of the lab starts the program."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "python").write_text("")
    tmp_path.chmod(0o700)
    checked = plans.cell(variant="a", artefact=plans.artefact(["/bin/true"]), checks=["solve"])
    other = checked.model_copy(update={"checks": []})
    found = unprivileged(plans.plan([checked, other], []), RESULTS)
    assert [cell.user for cell in found.cells] == [None, NOBODY]


@pytest.mark.usefixtures("as_root")
def test_results_that_the_user_cannot_reach_keep_all_as_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    found = unprivileged(plans.plan([plans.cell()], []), tmp_path / "results")
    assert [cell.user for cell in found.cells] == [None]
    assert len(found.limitations) == 1


@pytest.mark.usefixtures("as_root")
def test_the_experiment_s_reason_is_the_run_s_limitation() -> None:
    found = unprivileged(plans.plan([plans.cell()], []), RESULTS, "it binds port 80")
    assert [cell.user for cell in found.cells] == [None]
    assert found.limitations == ["the programs run as root, because it binds port 80"]


@pytest.mark.usefixtures("as_root")
def test_a_umask_that_closes_new_folders_is_told() -> None:
    before = os.umask(0o077)
    try:
        found = unprivileged(plans.plan([plans.cell()], []), RESULTS)
        assert os.umask(0o077) == 0o077, "it stays as it was"
    finally:
        os.umask(before)
    assert found.limitations == [
        "the programs run as root, because the umask lets no other user enter new folders; "
        "set the umask to 022"
    ]
    assert found.cells[0].user is None


def test_a_lab_that_is_not_root_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "unprivileged_user", lambda: None)
    plan = plans.plan([plans.cell()], [])
    assert unprivileged(plan, RESULTS, "a reason") is plan


def test_a_run_is_resumed_as_the_user_who_began_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = plans.cell()
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=1, position=0)
    ran = plans.execution(planned, launch=plans.report(uid=1000))
    old = plans.execution(planned, launch=plans.report())
    plan = plans.plan([one], [planned])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    require_same_user(plan, [ran, old])
    as_nobody = plans.plan([one.model_copy(update={"user": NOBODY})], [planned])
    with pytest.raises(UserMistake, match=r"root began this run; use \./runfair resume as root"):
        require_same_user(as_nobody, [])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    require_same_user(plan, [old])
    require_same_user(as_nobody, [plans.execution(planned, launch=plans.report(uid=65534))])
    with pytest.raises(UserMistake, match="ran as user 1000"):
        require_same_user(plan, [ran])
