"""The events of a service's runtime, from a real CPython, or none."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from experiment.plans import variant
from runfair.events.capture import EventCapture
from runfair.formats.peak import Peak
from runfair.formats.plan import Cell
from runfair.formats.service import Hosting
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from serving.services import cell, found, measured_processors

COLLECTS = """
import gc, sys
gc.collect()
gc.collect()
sys.stderr.write("done\\n")
"""


def capture(one: Cell, raw: Path) -> EventCapture:
    raw.mkdir(exist_ok=True)
    return EventCapture(one, variant("own"), raw, clean_environment())


def test_a_commands_collections_are_on_the_labs_clock(launcher: Launcher, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    one = cell(tmp_path, [sys.executable, "-c", COLLECTS])
    began_ns = time.monotonic_ns()
    with capture(one, raw) as kept:
        assert kept.environment != clean_environment()
        with launcher.start(
            one.artefact.command,
            report=raw / "launch.json",
            stdout=raw / "stdout",
            stderr=kept.stderr,
            environment=kept.environment,
            directory=tmp_path,
            processors=measured_processors(),
        ) as launch:
            assert launch.wait().outcome.exit_status == 0
        reading = kept.reading()
    ended_ns = time.monotonic_ns()
    assert reading is not None
    assert reading.processes
    collections = [event for event in reading.events if event.kind == "gc_pause"]
    assert len(collections) >= 2
    for event in collections:
        assert began_ns < event.started_ns < ended_ns
    assert (raw / "stderr").read_text() == "done\n"


def test_a_command_at_its_peak_reports_events_like_any_other(tmp_path: Path) -> None:
    served = cell(tmp_path, [sys.executable, "-c", COLLECTS])
    assert served.service is not None
    point = served.service.point
    loop = Peak(
        connections=1,
        traffic=point.traffic,
        traffic_sha256=point.traffic_sha256,
        hosting=Hosting(kind="command"),
    )
    one = served.model_copy(update={"service": None, "mode": "steady", "peak": loop})
    with capture(one, tmp_path / "raw") as kept:
        assert kept.environment != clean_environment()


def test_a_runtime_of_the_users_own_family_reports_events_like_its_kin(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    one = cell(tmp_path, [sys.executable], kind="program")
    for kin, reports in (("cpython", True), ("", False)):
        mine = variant("mine").model_copy(update={"kin": kin})
        with EventCapture(one, mine, raw, clean_environment()) as kept:
            assert (kept.environment != clean_environment()) == reports


def test_nodes_permission_model_is_found_in_the_command(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    command = ["node", "--permission", "--allow-fs-read=/srv", "server.js"]
    one = cell(tmp_path, command, kind="program")
    with EventCapture(one, variant("node"), raw, clean_environment()) as kept:
        assert kept.environment == clean_environment()
        assert kept.reading() is None


def test_what_runs_already_and_what_tells_nothing_have_none(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    for one in (found(tmp_path, "http://127.0.0.1:1"), cell(tmp_path, ["/bin/sleep", "1"])):
        with capture(one, raw) as kept:
            assert kept.environment == clean_environment()
            assert kept.stderr == raw / "stderr"
            assert kept.reading() is None
