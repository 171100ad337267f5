"""Programs that run as another user than the launcher."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from launcher.conftest import Launcher, alive, numbers_in, python, wait_until

NOBODY = "65534:65534"
TELL = """
import json, os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print(json.dumps({
    "uids": os.getresuid(), "gids": os.getresgid(), "groups": os.getgroups(),
    "capabilities": int(status["CapEff"], 16), "no_new_privileges": int(status["NoNewPrivs"]),
}))
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts programs as another user")

# The tests' own interpreter may lie where nobody else gets through.
PYTHON = shutil.which("python3", path="/usr/bin:/bin")


def everybodys(code: str, *arguments: str) -> list[str]:
    """A command that runs `code` in an interpreter that every user can start."""
    if PYTHON is None:
        pytest.skip("the system has no Python: apt-get install python3-minimal")
    return [PYTHON, "-I", "-S", "-c", code, *arguments]


@as_root
def test_the_program_has_the_user_and_no_right_of_the_launcher(
    launcher: Launcher, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    report = launcher.run(everybodys(TELL), "--user", NOBODY, "--stdout", str(told))
    assert report["outcome"]["exit_status"] == 0
    assert json.loads(told.read_text()) == {
        "uids": [65534] * 3,
        "gids": [65534] * 3,
        "groups": [],
        "capabilities": 0,
        "no_new_privileges": 1,
    }
    assert report["uid"] == 65534


@as_root
def test_it_writes_to_its_streams_and_nowhere_else(launcher: Launcher, tmp_path: Path) -> None:
    code = """
import sys
open("/dev/stderr", "a").write("written")
for path in sys.argv[1:]:
    try:
        open(path, "a").write("x")
    except PermissionError:
        print("refused")
"""
    told, complained = tmp_path / "told", tmp_path / "complained"
    streams = ("--stdout", str(told), "--stderr", str(complained))
    others = [str(tmp_path / "launch.json"), "/etc/passwd", "/usr/bin/new"]
    report = launcher.run(everybodys(code, *others), "--user", NOBODY, *streams)
    assert report["outcome"]["exit_status"] == 0
    assert told.read_text().splitlines() == ["refused"] * 3
    assert complained.read_text() == "written"


@as_root
def test_it_ends_with_a_launcher_that_is_killed(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    process = launcher.start(everybodys(code), "--user", NOBODY, "--stdout", str(pids))
    wait_until(lambda: bool(numbers_in(pids)), "the program runs")
    (pid,) = numbers_in(pids)
    process.kill()
    process.wait()
    wait_until(lambda: not alive(pid), "the program ends")


@as_root
def test_without_the_right_to_change_nothing_starts(launcher: Launcher, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    done = subprocess.run(
        [
            *("setpriv", "--bounding-set=-setuid,-setgid", "--inh-caps=-all"),
            *launcher.command(["--user", NOBODY], ["/usr/bin/touch", str(ran)]),
        ],
        stdin=subprocess.DEVNULL,
        check=True,
    )
    assert done.returncode == 0
    outcome = launcher.read_report()["outcome"]
    assert outcome["state"] == "not_started"
    assert outcome["error"] == "cannot become user 65534: Operation not permitted (errno 1)"
    assert not ran.exists()


def test_without_the_option_it_is_the_launcher_s_own(launcher: Launcher, tmp_path: Path) -> None:
    told = tmp_path / "told"
    report = launcher.run(python(TELL), "--stdout", str(told))
    assert report["uid"] == os.geteuid()
    assert json.loads(told.read_text())["uids"] == [*os.getresuid()]


@pytest.mark.parametrize("text", ["nobody", "65534", "65534:", ":1", "-1:1", "1:4294967295"])
def test_a_user_is_two_numbers(launcher: Launcher, text: str) -> None:
    done = subprocess.run(
        launcher.command(["--user", text], ["/bin/true"]), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"--user needs two numbers such as 65534:65534" in done.stderr
