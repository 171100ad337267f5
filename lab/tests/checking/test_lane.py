"""Lanes of steps: what runs side by side, what gives way, and how all of it ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from checking.lane import Lane, SideBySide
from checking.step import Counted, Output, Step, command
from runfair.serving.process_files import read_children

PATIENCE_S = 30.0


def step(name: str, run: Callable[[], object]) -> Step:
    def carry_out(_: Output) -> Counted:
        run()
        return Counted(passed=1)

    return Step(name, carry_out)


def finished(*lanes: Lane) -> list[str]:
    with SideBySide(lanes) as steps:
        return [one.name for one in steps]


def test_lanes_run_at_once_and_their_steps_one_after_the_other() -> None:
    meeting = threading.Barrier(2, timeout=PATIENCE_S)
    order: list[str] = []
    first = Lane((step("a", meeting.wait), step("b", lambda: order.append("b"))))
    second = Lane((step("c", meeting.wait),))
    names = finished(first, second)
    assert sorted(names) == ["a", "b", "c"]
    assert names.index("a") < names.index("b")


def test_what_steps_print_is_kept_apart() -> None:
    speaks = "import os; [print(os.sys.argv[1], flush=True) for _ in range(500)]"
    lanes = [
        Lane((command(name, [sys.executable, "-c", speaks, name]),)) for name in ("one", "two")
    ]
    with SideBySide(lanes) as steps:
        printed = {each.name: each.printed for each in steps}
    assert printed == {name: f"{name}\n" * 500 for name in ("one", "two")}


def test_a_lane_that_gives_way_does_so_with_all_that_it_starts(tmp_path: Path) -> None:
    asks = "import os, sys; open(sys.argv[1], 'w').write(str(os.sched_getscheduler(0)))"
    for name, gives_way in (("idle", True), ("usual", False)):
        words = [sys.executable, "-c", asks, str(tmp_path / name)]
        finished(Lane((command(name, words),), gives_way))
    assert (tmp_path / "idle").read_text() == str(os.SCHED_IDLE)
    assert (tmp_path / "usual").read_text() == str(os.sched_getscheduler(0))


def test_a_bug_in_a_step_is_raised_and_ends_the_other_lanes() -> None:
    def bug() -> None:
        raise ZeroDivisionError

    waits = command("waits", [sys.executable, "-c", "import time; time.sleep(600)"])
    never = step("never", lambda: None)
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        finished(Lane((waits, never)), Lane((step("bug", bug),)))
    assert time.monotonic() - began < PATIENCE_S


def test_an_interruption_ends_processes_that_do_not_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checking.lane.ENDING_LIMIT_S", 0.5)
    ready = tmp_path / "ready"
    deaf = f"""
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
open({str(ready)!r}, "w").close()
time.sleep(600)
"""
    lane = Lane((command("deaf", [sys.executable, "-c", deaf]),))
    with pytest.raises(KeyboardInterrupt), SideBySide([lane, Lane(())]):
        while not ready.exists():
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert not read_children(os.getpid())


def test_a_word_takes_the_steps_that_have_it_in_their_name() -> None:
    lane = Lane((step("lint Go", lambda: None), step("tests of Go", lambda: None)), True)
    assert [one.name for one in lane.only("tests").steps] == ["tests of Go"]
    assert lane.only("Go") == lane
    assert lane.only("tests").gives_way
