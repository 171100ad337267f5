"""The clock of a place is what the experiment states, or is measured there."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.formats.place import HERE, Clock, DeclaredPlace, Location
from runfair.machine import place_clock
from runfair.machine.launching import Launcher
from runfair.machine.place import Place
from runfair.machine.place_clock import watched

AHEAD_S = 1000


def place(launcher: Launcher, *prefix: str, clock: object = "measured") -> Place:
    beyond = DeclaredPlace.model_validate({"launcher": [*prefix], "clock": clock})
    return Place.of(plans.plan([plans.cell()], [], places={"beyond": beyond}), "beyond", launcher)


def test_the_lab_s_own_clock_and_a_stated_one_start_nothing(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_clock, "_answering", None)
    with watched(Place.of(plans.plan([plans.cell()], []), "local", launcher)) as own:
        assert own.location == HERE
    stated = Clock(offset_ns=5, uncertainty_ns=1)
    with watched(place(launcher, "false", clock=stated)) as other:
        assert other.location == Location(name="beyond", clock=stated)


def test_the_same_clock_is_ahead_by_nothing(launcher: Launcher) -> None:
    with watched(place(launcher, "env")) as clock:
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
    with watched(place(launcher, *shifted)) as clock:
        pass
    found = clock.location.clock
    assert abs(found.offset_ns - AHEAD_S * 10**9) <= found.uncertainty_ns
    before_ns = time.monotonic_ns()
    assert abs(found.to_lab(before_ns + AHEAD_S * 10**9) - before_ns) <= found.uncertainty_ns


def test_a_delay_of_the_answers_alone_is_within_the_error(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other side stamps, and then waits before it answers: as if the way back were slow."""
    slow = place_clock.ANSWERS.replace(
        "    sys.stdout.flush()", "    time.sleep(0.02); sys.stdout.flush()"
    )
    assert slow != place_clock.ANSWERS
    monkeypatch.setattr(place_clock, "ANSWERS", slow)
    monkeypatch.setattr(place_clock, "EXCHANGES", 3)
    with watched(place(launcher)) as clock:
        pass
    found = clock.location.clock
    assert found.uncertainty_ns >= 9_000_000
    assert abs(found.offset_ns) <= found.uncertainty_ns


def test_a_place_that_vanishes_leaves_a_larger_error(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "import itertools\n" + place_clock.ANSWERS.replace(
        'iter(sys.stdin.readline, "")', "itertools.islice(iter(sys.stdin.readline, ''), 5)"
    )
    monkeypatch.setattr(place_clock, "ANSWERS", once)
    monkeypatch.setattr(place_clock, "EXCHANGES", 4)
    with watched(place(launcher)) as clock:
        first = clock.location.clock
        time.sleep(0.05)
    later = clock.location.clock
    assert len(clock.bursts) == 1
    assert later.uncertainty_ns >= first.uncertainty_ns + 50_000


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
        pytest.raises(UserMistake, match=f"place beyond cannot be measured: {said}") as caught,
        watched(place(launcher, *prefix)),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_a_launcher_that_is_not_there_is_one_line(launcher: Launcher) -> None:
    with (
        pytest.raises(UserMistake, match="/nowhere cannot be started"),
        watched(place(launcher, "/nowhere")),
    ):
        pass


def test_an_execution_s_own_failure_is_not_hidden(launcher: Launcher) -> None:
    with pytest.raises(KeyError, match="own"), watched(place(launcher, "env")):
        raise KeyError("own")


def test_the_program_in_the_place_ends_with_the_execution(launcher: Launcher) -> None:
    with watched(place(launcher, "env", f"MARK={os.getpid()}-clock")):
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
