"""The real launcher with real processes; no duration is asserted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from runfair.errors import UserMistake
from runfair.machine.launching import Launch, Launcher, LauncherLost

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "ONLY": "this"}
PATIENCE_S = 30.0

FOREVER = "while :; do sleep 0.05; done"


def start(launcher: Launcher, folder: Path, *command: str, **options: Any) -> Launch:
    given: dict[str, Any] = {
        "report": folder / "report.json",
        "environment": ENVIRONMENT,
        "directory": folder,
        "processors": sorted(os.sched_getaffinity(0))[-1:],
        "timeout_s": PATIENCE_S,  # so that a fault is a failure, and no hanging test
    }
    return launcher.start(command, **{**given, **options})


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def alive(marker: str) -> list[int]:
    """Processes whose command line holds the marker (zombies have none)."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if marker.encode() in line:
                found.append(int(folder.name))
    return found


def wait_until_gone(marker: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while left := alive(marker):
        assert time.monotonic() < deadline_s, f"still running: {left}"
        time.sleep(0.05)


def wait_for(path: Path) -> str:
    deadline_s = time.monotonic() + PATIENCE_S
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline_s, f"{path} was not written"
        time.sleep(0.02)
    return path.read_text()


def read_all(launch: Launch) -> bytes:
    assert launch.output_fd is not None
    parts = []
    while part := os.read(launch.output_fd, 65536):
        parts.append(part)
    return b"".join(parts)


def test_the_program_gets_exactly_the_environment_given(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOGC", "off")
    monkeypatch.setenv("LD_PRELOAD_NOT", "x")
    with start(launcher, tmp_path, "/usr/bin/env") as launch:
        output = read_all(launch)
        report = launch.wait()
    assert sorted(output.decode().splitlines()) == ["ONLY=this", "PATH=/usr/bin:/bin"]
    assert report.outcome.state == "exited"
    assert report.outcome.exit_status == 0


def test_directory_processors_and_descriptors_are_the_ones_stated(
    launcher: Launcher, tmp_path: Path
) -> None:
    inside = (
        "import os; print(os.getcwd()); print(sorted(os.sched_getaffinity(0)));"
        "print(sorted(os.listdir('/proc/self/fd'))[:-1])"  # the last is the listing's own
    )
    wanted = sorted(os.sched_getaffinity(0))[-1:]
    with start(launcher, tmp_path, sys.executable, "-c", inside, watched_input=True) as launch:
        lines = read_all(launch).decode().splitlines()
        report = launch.wait()
    assert lines == [str(tmp_path), str(wanted), "['0', '1', '2']"]
    assert report.processors == wanted


def test_output_and_errors_go_to_the_files_named(launcher: Launcher, tmp_path: Path) -> None:
    out, err = tmp_path / "out", tmp_path / "err"
    command = ("/bin/sh", "-c", "echo said; echo complained >&2; exit 3")
    with start(launcher, tmp_path, *command, stdout=out, stderr=err) as launch:
        assert launch.output_fd is None
        report = launch.wait()
    assert (out.read_text(), err.read_text()) == ("said\n", "complained\n")
    assert report.outcome.exit_status == 3


def test_closing_the_input_reaches_the_program(launcher: Launcher, tmp_path: Path) -> None:
    script = "echo up; exec cat"
    with start(launcher, tmp_path, "/bin/sh", "-c", script, watched_input=True) as launch:
        assert launch.output_fd is not None
        assert os.read(launch.output_fd, 100) == b"up\n"
        launch.close_input()
        launch.close_input()
        report = launch.wait()
    assert report.outcome.state == "exited"
    assert report.outcome.exit_status == 0


def test_without_a_watched_input_it_is_empty(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, "/bin/cat") as launch:
        assert launch.wait().outcome.exit_status == 0


def test_output_nobody_reads_does_not_block_waiting(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, "/usr/bin/head", "-c", "1000000", "/dev/zero") as launch:
        report = launch.wait()
    assert report.outcome.state == "exited"
    assert report.outcome.exit_status == 0


def test_an_orderly_end_lets_the_program_finish(launcher: Launcher, tmp_path: Path) -> None:
    ready, last = tmp_path / "ready", tmp_path / "last"
    script = f"trap 'echo bye > {last}; exit 0' TERM; echo > {ready}; {FOREVER}"
    with start(launcher, tmp_path, "/bin/sh", "-c", script) as launch:
        wait_for(ready)
        launch.ask_end()
        report = launch.wait()
        launch.ask_end()  # nobody is there any more: no error
    assert last.read_text() == "bye\n"
    assert report.outcome.state == "ended_by_lab"


def test_kill_ends_a_program_that_refuses_to(launcher: Launcher, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"trap '' TERM; echo > {ready}; {FOREVER}"
    with start(launcher, tmp_path, "/bin/sh", "-c", script) as launch:
        wait_for(ready)
        launch.kill()
        report = launch.wait()
    assert report.outcome.state == "ended_by_lab"
    wait_until_gone(str(ready))


def test_limits_are_handed_on(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, "/bin/sleep", "1000", timeout_s=0.2) as launch:
        assert launch.wait().outcome.state == "timed_out"
    fat = "data = bytearray(400_000_000); data[::4096] = b'x' * len(data[::4096])\nwhile 1: pass"
    command = (sys.executable, "-c", fat)
    with start(launcher, tmp_path, *command, memory_limit_bytes=100_000_000) as launch:
        report = launch.wait()
    assert report.outcome.state == "memory_exceeded"
    assert report.memory_limit_method is not None


@pytest.mark.parametrize(("seconds", "state"), [(1e-6, "timed_out"), (1e12, "exited")])
def test_any_time_limit_is_accepted(
    seconds: float, state: str, launcher: Launcher, tmp_path: Path
) -> None:
    command = ("/bin/sleep", "1000") if state == "timed_out" else ("/bin/true",)
    with start(launcher, tmp_path, *command, timeout_s=seconds, grace_s=seconds) as launch:
        assert launch.wait().outcome.state == state


def test_cold_files_are_asked_for(launcher: Launcher, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(b"x" * 1_000_000)
    with start(launcher, tmp_path, "/bin/true", drop_cache=[data]) as launch:
        report = launch.wait()
    assert report.page_cache is not None
    assert report.page_cache.asked == 1_000_000


def test_a_program_that_is_not_there_is_not_started(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, "/no/such/program") as launch:
        report = launch.wait()
    assert report.outcome.state == "not_started"
    assert report.outcome.error is not None
    assert "/no/such/program" in report.outcome.error


def test_an_error_inside_the_block_leaves_nothing_behind(
    launcher: Launcher, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    script = f"setsid sh -c '{FOREVER}; : {ready}' & echo > {ready}; {FOREVER}"
    before = descriptors()
    with (
        pytest.raises(KeyboardInterrupt),
        start(launcher, tmp_path, "/bin/sh", "-c", script, watched_input=True) as launch,
    ):
        wait_for(ready)
        raise KeyboardInterrupt
    wait_until_gone(str(ready))
    assert launch.output_fd is None
    assert descriptors() == before


def test_no_descriptor_is_left_by_any_way_of_ending(launcher: Launcher, tmp_path: Path) -> None:
    before = descriptors()
    for watched in (False, True):
        for stdout in (None, tmp_path / "out"):
            options = {"watched_input": watched, "stdout": stdout}
            with start(launcher, tmp_path, "/bin/true", **options) as launch:
                launch.wait()
            with start(launcher, tmp_path, "/bin/sleep", "1000", **options):
                pass
    absent = Launcher(tmp_path / "no-launcher")
    with pytest.raises(FileNotFoundError):
        start(absent, tmp_path, "/bin/true", watched_input=True)
    assert descriptors() == before


def test_a_launch_does_not_hold_another_ones_pipes(launcher: Launcher, tmp_path: Path) -> None:
    with start(launcher, tmp_path, "/bin/cat", watched_input=True) as first:
        second_report = tmp_path / "second.json"
        with start(launcher, tmp_path, "/bin/sleep", "1000", report=second_report):
            first.close_input()
            assert first.wait().outcome.exit_status == 0


def test_a_launcher_killed_by_somebody_is_told_apart(launcher: Launcher, tmp_path: Path) -> None:
    stale = tmp_path / "report.json"
    stale.write_text('{"an": "old report"}')
    with start(launcher, tmp_path, "/bin/sleep", "1000") as launch:
        os.kill(launch.launcher_pid, signal.SIGKILL)
        with pytest.raises(LauncherLost, match="signal 9"):
            launch.wait()
    assert not stale.exists()


def test_the_command_of_a_place_that_ends_early_is_a_lost_launcher(tmp_path: Path) -> None:
    """As `docker exec` ends whose container was stopped. A service asks twice: when it looks, and
    when it is stopped."""
    before = descriptors()
    place = Launcher(tmp_path / "launcher", ["sh", "-c", "echo stopped >&2; exit 137", "docker"])
    with start(place, tmp_path, "/bin/true") as launch:
        for _ in range(2):
            with pytest.raises(LauncherLost, match=r"docker ended with status 137 \(stopped\)"):
                launch.wait()
    assert descriptors() == before


@pytest.mark.parametrize(
    ("prefix", "expected", "message"),
    [
        ([], LauncherLost, r"report\.json is missing"),
        (["true", "host"], UserMistake, r"true host ended with status 0, .*no report.*`launcher`"),
    ],
)
def test_a_launcher_without_a_report_is_no_traceback(
    prefix: list[str], expected: type[Exception], message: str, tmp_path: Path
) -> None:
    with (
        pytest.raises(expected, match=message),
        start(Launcher(Path("/bin/true"), prefix), tmp_path, "/bin/true") as launch,
    ):
        launch.wait()


def test_a_command_of_a_place_that_does_not_exist_is_the_users_to_mend(tmp_path: Path) -> None:
    before = descriptors()
    place = Launcher(tmp_path / "launcher", ["nsentr", "--net=/run/netns/server", "--"])
    with pytest.raises(UserMistake, match=r"nsentr cannot be started \(No such file .*`launcher`"):
        start(place, tmp_path, "/bin/true", watched_input=True)
    assert descriptors() == before


def test_a_report_that_cannot_be_written_is_the_users_to_mend(
    launcher: Launcher, tmp_path: Path
) -> None:
    nowhere = tmp_path / "no" / "such" / "folder" / "report.json"
    with (
        pytest.raises(UserMistake, match=r"no report about the program \("),
        start(launcher, tmp_path, "/bin/true", report=nowhere) as launch,
    ):
        launch.wait()


PARENT = """
import os, sys
from pathlib import Path
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
folder = Path(sys.argv[2])
launch = Launcher(Path(sys.argv[1])).start(
    ["/bin/sh", "-c", sys.argv[3]], report=folder / "report.json",
    environment=clean_environment(), directory=folder, processors=[], watched_input=True)
launch.wait()
"""


def test_nothing_survives_a_lab_killed_without_warning(launcher: Launcher, tmp_path: Path) -> None:
    """What makes cleaning up after orphans unnecessary."""
    ready = tmp_path / "ready"
    daemon = f"(setsid sh -c '{FOREVER}; : {ready}' &)"
    script = f"trap '' TERM; {daemon}; {daemon}; echo > {ready}; {FOREVER}"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(launcher.executable), str(tmp_path), script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        wait_for(ready)
        assert len(alive(str(ready))) >= 3
    finally:
        parent.kill()
        parent.wait()
    wait_until_gone(str(tmp_path))
