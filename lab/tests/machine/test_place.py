"""A place as the lab uses it. Its clock is what the experiment states, or is measured there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.formats.place import HERE, Clock, DeclaredPlace, Location
from runfair.machine import place as place_module
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from runfair.machine.place import Place, watched

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


def test_a_launcher_that_passes_no_descriptor_is_one_line(
    launcher: Launcher, tmp_path: Path
) -> None:
    """ssh and `docker exec` give the program only the descriptors 0, 1 and 2."""
    closes = "import os, sys; os.closerange(3, 256); os.execvp(sys.argv[1], sys.argv[1:])"
    other = place(launcher, launcher=[sys.executable, "-c", closes])
    with (
        pytest.raises(
            UserMistake, match=r"ended with status 2 .*is not open.*; correct the key `launcher`"
        ) as caught,
        other.launcher.start(
            ["true"],
            report=tmp_path / "report.json",
            environment=clean_environment(),
            directory=tmp_path,
            processors=[],
            watched_input=True,
        ) as launch,
    ):
        launch.wait()
    assert "\n" not in str(caught.value)


def test_programs_use_the_processors_of_their_place(launcher: Launcher) -> None:
    first = min(os.sched_getaffinity(0))
    other = place(launcher, processors=[first])
    assert other.assign(1).measured == (first,)
    with pytest.raises(UserMistake, match="the run needs 2 processors"):
        other.assign(2)


def test_clocks_of_one_place_are_certain_of_each_other() -> None:
    beyond = Location(name="beyond", clock=CLOCK)
    far = Location(name="far", clock=Clock(uncertainty_ns=12))
    assert beyond.uncertainty_to(beyond) == 0
    assert beyond.uncertainty_to(HERE) == HERE.uncertainty_to(beyond) == 30
    assert beyond.uncertainty_to(far) == 42
    assert CLOCK.to_lab(5_000) == 4_000


AHEAD_S = 1000


def timed(launcher: Launcher, *prefix: str, clock: object = "measured") -> Place:
    beyond = DeclaredPlace.model_validate({"launcher": [*prefix], "clock": clock})
    return Place.of(plans.plan([plans.cell()], [], places={"beyond": beyond}), "beyond", launcher)


def test_the_lab_s_own_clock_and_a_stated_one_start_nothing(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "_answering", None)
    with watched(Place.of(plans.plan([plans.cell()], []), "local", launcher)) as own:
        assert own.location == HERE
    stated = Clock(offset_ns=5, uncertainty_ns=1)
    with watched(timed(launcher, "false", clock=stated)) as other:
        assert other.location == Location(name="beyond", clock=stated)


def test_the_same_clock_is_ahead_by_nothing(launcher: Launcher) -> None:
    with watched(timed(launcher, "env")) as clock:
        pass
    found = clock.location
    assert found.name == "beyond"
    assert len(clock.bursts) == 2
    assert abs(found.clock.offset_ns) <= found.clock.uncertainty_ns
    assert found.uncertainty_to(HERE) == found.clock.uncertainty_ns > 0


def test_a_clock_that_is_ahead_is_found_within_its_error(launcher: Launcher) -> None:
    shifted = ("unshare", "--time", "--monotonic", str(AHEAD_S), "--fork")
    if os.geteuid() or shutil.which("unshare") is None:
        pytest.skip("another clock needs root and unshare")
    if subprocess.run([*shifted, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this kernel or unshare has no time namespaces")
    with watched(timed(launcher, *shifted)) as clock:
        pass
    found = clock.location.clock
    assert abs(found.offset_ns - AHEAD_S * 10**9) <= found.uncertainty_ns
    before_ns = time.monotonic_ns()
    assert abs(found.to_lab(before_ns + AHEAD_S * 10**9) - before_ns) <= found.uncertainty_ns


def test_a_delay_of_the_answers_alone_is_within_the_error(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other side stamps, and then waits before it answers: as if the way back were slow."""
    slow = place_module.ANSWERS.replace(
        "    sys.stdout.flush()", "    time.sleep(0.02); sys.stdout.flush()"
    )
    assert slow != place_module.ANSWERS
    monkeypatch.setattr(place_module, "ANSWERS", slow)
    monkeypatch.setattr(place_module, "EXCHANGES", 3)
    with watched(timed(launcher)) as clock:
        pass
    found = clock.location.clock
    assert found.uncertainty_ns >= 9_000_000
    assert abs(found.offset_ns) <= found.uncertainty_ns


def test_a_place_that_vanishes_leaves_a_larger_error(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "import itertools\n" + place_module.ANSWERS.replace(
        'iter(sys.stdin.readline, "")', "itertools.islice(iter(sys.stdin.readline, ''), 5)"
    )
    monkeypatch.setattr(place_module, "ANSWERS", once)
    monkeypatch.setattr(place_module, "EXCHANGES", 4)
    with watched(timed(launcher)) as clock:
        first = clock.location.clock
        time.sleep(0.05)
    later = clock.location.clock
    assert len(clock.bursts) == 1
    assert later.uncertainty_ns >= first.uncertainty_ns + 50_000


def test_a_place_that_vanishes_during_a_load_ends_no_run(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "LOOK_S", 0.0)
    with watched(timed(launcher)) as clock:
        measured_ns = clock.last_ns
        assert clock.process is not None
        clock.process.kill()
        clock.look()
        clock.look()
    assert len(clock.bursts) == 1
    # The error contains the whole time since the last measurement, not since the last try.
    assert clock.last_ns == measured_ns
    assert clock.lost_ns is not None


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        (("sh", "-c", "echo no route to host >&2; exit 1"), "no route to host"),
        (("false",), "no answer"),
        (("echo", "hello"), "no answer"),
    ],
)
def test_a_place_that_does_not_answer_is_one_line(
    launcher: Launcher, prefix: tuple[str, ...], said: str
) -> None:
    with (
        pytest.raises(
            UserMistake, match=rf"\[places.beyond\] cannot be measured .{said}"
        ) as caught,
        watched(timed(launcher, *prefix)),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_a_launcher_that_is_not_there_is_one_line(launcher: Launcher) -> None:
    with (
        pytest.raises(UserMistake, match="/nowhere cannot be started"),
        watched(timed(launcher, "/nowhere")),
    ):
        pass


def test_an_execution_s_own_failure_is_not_hidden(launcher: Launcher) -> None:
    with pytest.raises(KeyError, match="own"), watched(timed(launcher, "env")):
        raise KeyError("own")


def test_the_program_in_the_place_ends_with_the_execution(launcher: Launcher) -> None:
    with watched(timed(launcher, "env", f"MARK={os.getpid()}-clock")):
        assert marked()
    assert not marked()


def marked() -> list[str]:
    """The processes with the test's mark in their environment."""
    mark, found = f"MARK={os.getpid()}-clock".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found
