"""Several instances of a service side by side: ready together, accounted for together."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loading.server import serving
from runfair.formats.plan import Cell
from runfair.machine.launching import Launcher
from runfair.serving.instance import ServiceFailed
from runfair.serving.process_accounting import JointAccounting, TreeAccounting
from runfair.serving.process_files import read_children
from runfair.serving.request import CheckedRequest
from runfair.serving.running_service import RunningService, instance_folders
from serving.services import HASTY, cell, faulty, surroundings, timed

HELLO = CheckedRequest("GET", "/hello", {}, None, 200)
# Instances are told apart by the ports that they are given.
FIRST_ALONE = """
import pathlib, sys, time
mark = pathlib.Path({folder!r}) / "first"
try:
    mark.touch(exist_ok=False)
except FileExistsError:
    sys.exit("the second is one too many")
sys.argv = {argv!r} + sys.argv[1:]
sys.path.insert(0, {services!r})
import runpy
runpy.run_path({argv!r}[0], run_name="__main__")
"""


def several(folder: Path, command: Sequence[str], count: int = 2, **service: Any) -> Cell:
    return cell(folder, [*command], instances=count, **service)


def service_of(launcher: Launcher, folder: Path, one: Cell) -> RunningService:
    assert one.service is not None
    raw = folder / "raw"
    raw.mkdir(exist_ok=True)
    around = [surroundings(launcher, each) for each in instance_folders(raw, one.service.instances)]
    return RunningService(one, around, HELLO)


def test_all_answer_and_are_ended_and_accounted_for(launcher: Launcher, tmp_path: Path) -> None:
    with service_of(launcher, tmp_path, several(tmp_path, timed(), 3)) as running:
        assert len({one.port for one in running.addresses}) == 3
        for address in running.addresses:
            assert HELLO.asked(address, 10) is None
        roots = running.root_pids
        assert len(roots) == 3
        each = [TreeAccounting.below(pid) for pid in roots]
        separately = [tree.look() for tree in each]
        together = JointAccounting(each).look()
        assert together.processes == 3
        assert together.cpu_ns >= sum(one.cpu_ns for one in separately)
        assert together.peak_bytes >= sum(one.peak_bytes for one in separately)
        assert len(JointAccounting(each).threads()) == sum(len(one.threads()) for one in each)
        cold = running.cold
        assert cold is not None
        for one in running.instances:
            assert one.cold is not None
            assert one.cold.first_answer_ns is not None
            assert cold.process_ns <= one.cold.process_ns
            assert cold.first_answer_ns is not None
            assert one.cold.first_answer_ns <= cold.first_answer_ns
    report = running.report
    assert report is not None
    reports = [one.report for one in running.instances if one.report is not None]
    assert report.cpu_ns == sum(one.cpu_ns for one in reports) > 0
    assert report.processes == 3
    assert report.outcome.state == "ended_by_lab"
    assert running.bad_end() == ""
    assert not any(Path(f"/proc/{pid}").exists() for pid in roots)
    for number in (1, 2, 3):
        assert (tmp_path / "raw" / f"instance-{number}" / "launch.json").exists()


def test_one_that_dies_is_named_and_takes_the_others_with_it(
    launcher: Launcher, tmp_path: Path
) -> None:
    with service_of(launcher, tmp_path, several(tmp_path, timed())) as running:
        first, second = running.root_pids
        (program,) = read_children(second)
        os.kill(program, signal.SIGKILL)
        with pytest.raises(ServiceFailed, match=r"^instance 2 of 2: the service ended by itself"):
            for _ in range(3000):
                running.require_alive()
                time.sleep(0.01)
        assert running.complained == tmp_path / "raw" / "instance-2"
    assert running.report is not None
    assert running.report.outcome.signal == signal.SIGKILL
    assert not Path(f"/proc/{first}").exists()


def test_it_is_not_ready_before_all_are(launcher: Launcher, tmp_path: Path) -> None:
    script = tmp_path / "first_alone.py"
    command = timed()
    argv, services = command[1:2], str(Path(command[1]).parent)
    script.write_text(FIRST_ALONE.format(folder=str(tmp_path), argv=argv, services=services))
    one = several(tmp_path, [sys.executable, str(script), *command[2:]])
    running = service_of(launcher, tmp_path, one)
    with (
        pytest.raises(ServiceFailed, match=r"^instance [12] of 2: the service ended by itself"),
        running,
    ):
        pytest.fail("one of two is not there")
    assert running.cold is not None
    assert running.cold.first_answer_ns is None
    assert "one too many" in (running.complained / "stderr").read_text()
    # The other one was ended in order.
    assert {one.report is not None for one in running.instances} == {True}


def test_a_deaf_one_among_them_is_told(launcher: Launcher, tmp_path: Path) -> None:
    with service_of(launcher, tmp_path, several(tmp_path, faulty("deaf"))) as running:
        pass
    assert running.ignored_stop


def test_those_found_running_are_left_as_they_are(launcher: Launcher, tmp_path: Path) -> None:
    with serving() as first, serving() as second:
        urls = [one.url.removesuffix("/hello") for one in (first, second)]
        one = cell(tmp_path, [], kind="url", url=urls[0], urls=urls, instances=2, ready=HASTY)
        with service_of(launcher, tmp_path, one) as running:
            assert [each.url for each in running.addresses] == urls
            assert running.root_pids == [os.getpid()] * 2
        assert running.report is None
        assert (first.requests, second.requests) == (1, 1)
    missing = service_of(launcher, tmp_path, one)
    with (
        pytest.raises(ServiceFailed, match=r"^instance 1 of 2: the service was not ready"),
        missing,
    ):
        pass
