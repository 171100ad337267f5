from __future__ import annotations

import errno
import fcntl
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.machine import measurement_lock
from runfair.machine.measurement_lock import Holder, acquire, lock_path, read_holder

HOLD = """
import os, sys
from pathlib import Path
from runfair.machine.measurement_lock import acquire
if len(sys.argv) > 3:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
lock = acquire(sys.argv[2], path=Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
lock.release()
print("released", flush=True)
sys.stdin.readline()
"""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.fixture
def holder(path: Path) -> Iterator[Start]:
    """Starts other processes that hold the lock until a line is written to them."""
    started: list[subprocess.Popen[str]] = []

    def start(run: str = "theirs", place: Path = path, *user: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(place), run, *user],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_a_second_run_is_refused_and_told_who_measures(path: Path, holder: Start) -> None:
    other = holder("2026-default")
    with pytest.raises(UserMistake, match=rf"run 2026-default \(process {other.pid}, since .* UTC"):
        acquire("mine", path=path)


def test_in_one_process_too_only_one_measures(path: Path) -> None:
    with acquire("first", path=path), pytest.raises(UserMistake, match="run first"):
        acquire("second", path=path)
    acquire("third", path=path).release()


def test_a_waiting_run_starts_when_the_other_ends(path: Path, holder: Start) -> None:
    other = holder()
    told: list[Holder | None] = []

    def on_wait(who: Holder | None) -> None:
        told.append(who)
        say(other)

    with acquire("mine", wait_s=60, on_wait=on_wait, path=path):
        mine = read_holder(path)
    assert [who.pid for who in told if who is not None][:1] == [other.pid]
    assert mine is not None
    assert (mine.pid, mine.run) == (os.getpid(), "mine")
    assert read_holder(path) is None


def test_waiting_ends_at_its_limit(path: Path, holder: Start) -> None:
    holder()
    told: list[Holder | None] = []
    with pytest.raises(UserMistake):
        acquire("mine", wait_s=0.7, on_wait=told.append, path=path)
    assert len(told) == 1


def test_the_kernel_frees_the_lock_of_a_killed_holder(path: Path, holder: Start) -> None:
    other = holder()
    other.kill()
    other.wait()
    left = read_holder(path)
    assert left is not None, "the dead one's line is still there, and must not matter"
    assert left.pid == other.pid
    with acquire("mine", path=path):
        pass


def test_programs_started_meanwhile_do_not_inherit_it(path: Path) -> None:
    with acquire("mine", path=path):
        child = subprocess.Popen(["/bin/sleep", "1000"], close_fds=False)
    try:
        acquire("again", path=path).release()
    finally:
        child.kill()
        child.wait()


def test_a_lock_file_removed_meanwhile_is_not_taken_for_the_machines(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_flock = fcntl.flock
    removals = iter([True])

    def flock(lock_fd: int, operation: int) -> None:
        if next(removals, False):
            path.unlink()
        real_flock(lock_fd, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with acquire("mine", path=path):
        assert path.exists()
        with pytest.raises(UserMistake):
            acquire("second", path=path)


def test_a_torn_line_is_an_unknown_holder(path: Path, holder: Start) -> None:
    holder()
    path.write_text('{"pid": 12')
    with pytest.raises(UserMistake, match="another run is already measuring"):
        acquire("mine", path=path)


def test_a_planted_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path.symlink_to(victim)
    with pytest.raises(UserMistake, match="delete this file"):
        acquire("mine", path=path)
    assert victim.read_text() == "precious"


def test_a_folder_in_which_no_file_can_be_made_is_said(tmp_path: Path) -> None:
    """A read-only one, for example."""
    with pytest.raises(UserMistake, match=r"lock cannot be made .*; let all users write in"):
        acquire("mine", path=tmp_path / "none" / "lock")


def test_a_full_disk_is_no_missing_permission(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def opened(_: Path, flags: int, *_mode: int) -> int:
        raise error if flags & os.O_CREAT else FileNotFoundError()

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(OSError, match="No space left") as caught:
        acquire("mine", path=path)
    assert caught.value is error


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_sees_the_same_lock(holder: Start) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o1777)
        place = folder / "lock"
        with acquire("roots", path=place):
            pass
        holder("nobodys", place, str(pwd.getpwnam("nobody").pw_uid))
        with pytest.raises(UserMistake, match="run nobodys"):
            acquire("mine", path=place)
    finally:
        shutil.rmtree(folder)


def test_the_place_does_not_depend_on_who_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    assert lock_path().parent in measurement_lock.CANDIDATE_FOLDERS
    closed, opened = tmp_path / "closed", tmp_path / "open"
    closed.mkdir(mode=0o755)
    opened.mkdir()
    opened.chmod(0o1777)
    monkeypatch.setattr(measurement_lock, "CANDIDATE_FOLDERS", (closed, opened))
    assert lock_path() == opened / "runfair-measuring"
    monkeypatch.setattr(measurement_lock, "CANDIDATE_FOLDERS", (closed,))
    with pytest.raises(UserMistake, match="chmod 1777"):
        lock_path()
