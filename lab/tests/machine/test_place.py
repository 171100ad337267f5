"""A place as the lab uses it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.formats.place import HERE, Clock, DeclaredPlace, Location
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from runfair.machine.place import Place

CLOCK = Clock(offset_ns=1_000, uncertainty_ns=30)


def place(launcher: Launcher, /, **declared: object) -> Place:
    beyond = DeclaredPlace.model_validate(declared)
    return Place.of(plans.plan([plans.cell()], [], places={"beyond": beyond}), "beyond", launcher)


def test_the_lab_s_own_place_is_the_machine_itself(launcher: Launcher) -> None:
    own = Place.of(plans.plan([plans.cell()], []), "local", launcher)
    assert own.launcher is launcher
    assert own.root == Path("/")
    assert own.address_from("local") == own.address_from("beyond") == "127.0.0.1"
    assert own.assign(1).measured


def test_another_is_reached_at_its_address_from_outside_alone(launcher: Launcher) -> None:
    other = place(launcher, address="198.18.0.2", clock=CLOCK)
    assert other.address_from("local") == "198.18.0.2"
    assert other.address_from("beyond") == "127.0.0.1"


def test_its_launcher_starts_the_launcher(launcher: Launcher, tmp_path: Path) -> None:
    """Whatever stands before the command changes the surroundings of all that follows."""
    other = place(launcher, launcher=["env", "PLACE=beyond"])
    told = tmp_path / "told"
    with other.launcher.start(
        ["/bin/sh", "-c", 'echo "$PLACE"'],
        report=tmp_path / "report.json",
        environment=clean_environment(),
        directory=tmp_path,
        processors=[],
        stdout=told,
    ) as launch:
        assert launch.wait().outcome.exit_status == 0
    assert told.read_text() == "beyond\n"


def test_programs_use_the_processors_of_their_place(launcher: Launcher) -> None:
    first = min(os.sched_getaffinity(0))
    other = place(launcher, processors=[first])
    assert other.assign(1).measured == (first,)
    with pytest.raises(UserMistake, match="2 processors were requested"):
        other.assign(2)


def test_clocks_of_one_place_are_certain_of_each_other() -> None:
    beyond = Location(name="beyond", clock=CLOCK)
    far = Location(name="far", clock=Clock(uncertainty_ns=12))
    assert beyond.uncertainty_to(beyond) == 0
    assert beyond.uncertainty_to(HERE) == HERE.uncertainty_to(beyond) == 30
    assert beyond.uncertainty_to(far) == 42
    assert CLOCK.to_lab(5_000) == 4_000
