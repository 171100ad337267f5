"""The lab's program on another host: here, through a launcher that stays on this one."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from experiment import plans
from runfair.errors import UserMistake
from runfair.formats.place import Clock, DeclaredPlace
from runfair.formats.service import DatabaseUse
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from runfair.machine.place import Place, PlaceClock
from runfair.machine.processors import assign
from runfair.serving import place_host
from runfair.serving.databases import Databases
from runfair.serving.host_agent import HostAgent, answer
from runfair.serving.place_host import PlaceHost, PlaceHosts
from runfair.serving.process_files import read_children

SLEEPS = [sys.executable, "-c", "import time; print('there', flush=True); time.sleep(600)"]
OWN_CLOCK = PlaceClock("beyond", Clock())


def host_of(launcher: Launcher, folder: Path, *prefix: str, host: str = "there") -> PlaceHost:
    declared = DeclaredPlace(host=host, launcher=[*prefix])
    plan = plans.plan([plans.cell()], [], places={"beyond": declared})
    return PlaceHost(Place.of(plan, "beyond", launcher), folder)


@pytest.fixture
def host(launcher: Launcher, tmp_path: Path) -> Iterator[PlaceHost]:
    found = host_of(launcher, tmp_path, "env", "PLACE=beyond")
    yield found
    found.close()


def test_processors_are_those_of_its_host(host: PlaceHost) -> None:
    assert host.assign(1).measured == assign(1).measured
    with pytest.raises(UserMistake, match=r"there \(beyond\): the run needs 9999 processors"):
        host.assign(9999)


def test_a_tree_is_found_by_its_launcher_s_report(
    host: PlaceHost, launcher: Launcher, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    assert host.tree(report, OWN_CLOCK) is None
    with launcher.start(
        SLEEPS,
        report=report,
        environment=clean_environment(),
        directory=tmp_path,
        processors=[],
    ) as launch:
        assert launch.output_fd is not None
        os.read(launch.output_fd, 5)  # the program runs
        ahead = PlaceClock("beyond", Clock(offset_ns=10**12))
        own, shifted = host.tree(report, OWN_CLOCK), host.tree(report, ahead)
        assert own is not None
        assert shifted is not None
        before_ns = time.monotonic_ns()
        seen = own.look()
        assert before_ns <= seen.monotonic_ns <= time.monotonic_ns()
        assert seen.processes == 1
        assert seen.cpu_ns > 0
        assert seen.monotonic_ns - shifted.look().monotonic_ns == pytest.approx(10**12, abs=10**11)
        with pytest.raises(OSError, match="another host"):
            own.threads()
        host.signal(report, signal.SIGKILL)
        assert launch.wait().outcome.signal == signal.SIGKILL


def test_its_end_is_one_line(launcher: Launcher, tmp_path: Path) -> None:
    lost = host_of(launcher, tmp_path, "sh", "-c", "echo no route to host >&2; exit 255", "sh")
    with pytest.raises(
        UserMistake, match=r"there \(beyond\): runfair's helper program .* ended: no route to host"
    ):
        lost.counters()
    lost.close()


def test_a_mute_host_is_one_line(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_host, "ANSWER_LIMIT_S", 0.2)
    mute = host_of(launcher, tmp_path, "sh", "-c", "exec sleep 600", "sh")
    with pytest.raises(UserMistake, match=r"there \(beyond\) did not answer within"):
        mute.counters()
    mute.close()


def test_mistakes_of_its_host_name_it(host: PlaceHost, tmp_path: Path) -> None:
    use = DatabaseUse(round_trip_ns=0, url="postgresql://127.0.0.1:1/none")
    with (
        pytest.raises(UserMistake, match=r"there \(beyond\): "),
        host.relayed(use, tmp_path, "127.0.0.1", OWN_CLOCK),
    ):
        pass
    with pytest.raises(OSError, match="refused"):
        host.link_to("127.0.0.1", 1)


def test_a_full_disk_of_its_host_is_one_line_with_its_name(
    host: PlaceHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def full(*asked: object) -> Iterator[None]:
        if asked:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    with ExitStack() as stack:
        agent = HostAgent(tmp_path, stack)
        monkeypatch.setattr(Databases, "relayed", full)
        use = DatabaseUse(round_trip_ns=0).model_dump_json()
        request = {"request": "relayed", "use": use, "raw": str(tmp_path), "address": "127.0.0.1"}
        told = json.dumps(answer(agent, json.dumps(request)))
    monkeypatch.setattr(host, "_answer", lambda _: told)
    with pytest.raises(UserMistake) as failed:
        host.restarted()
    assert str(failed.value).startswith(f"there (beyond): {tmp_path}: no space left on the disk;")
    assert "\n" not in str(failed.value)


def test_it_ends_with_the_lab(launcher: Launcher, tmp_path: Path) -> None:
    """Its standard input ends however the lab ends, and so does it."""
    found = host_of(launcher, tmp_path)
    found.counters()
    process = found._process
    assert process is not None
    assert process.poll() is None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(30) == 0
    found.close()


def test_hosts_of_a_run_are_ended_together(launcher: Launcher, tmp_path: Path) -> None:
    places = {"beyond": DeclaredPlace(host="there"), "beside": DeclaredPlace()}
    plan = plans.plan([plans.cell()], [], places=places)
    before = {*read_children(os.getpid())}
    with PlaceHosts(launcher, plan, tmp_path) as hosts:
        assert hosts.of(Place.of(plan, "beside", launcher)) is None
        assert hosts.of(Place.of(plan, "local", launcher)) is None
        found = hosts.of(Place.of(plan, "beyond", launcher))
        assert found is not None
        assert found is hosts.of(Place.of(plan, "beyond", launcher))
        assert found.restarted() is False
        assert len({*read_children(os.getpid())} - before) == 1
    assert {*read_children(os.getpid())} <= before


def test_an_unknown_request_is_a_bug(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "runfair.serving.host_agent", str(tmp_path)]
    done = subprocess.run(
        program,
        input='{"request": "close"}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "unknown request close" in done.stderr
