"""The measurement lock. A machine carries out only one measurement at a time, because two
measurements would disturb each other.

The lock is a flock on a file that has the same path for every user and every clone of the
repository. The kernel releases the lock when its holder dies, so nothing needs to be cleaned up.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.kept_file import FULL
from runfair.formats.record import Record

# /run/lock is intended for lock files (Filesystem Hierarchy Standard 3.0, 3.15), but on some
# distributions only root may write there. The choice of the folder depends only on the machine, not
# on the user, TMPDIR or the clone. Otherwise two measurements could use different locks.
CANDIDATE_FOLDERS = (Path("/run/lock"), Path("/tmp"))
FILE_NAME = "runfair-measuring"

POLL_S = 0.5


class Holder(Record):
    """The run that holds the lock and is measuring now."""

    pid: int
    run: str
    started_realtime_ns: int

    def __str__(self) -> str:
        started = datetime.fromtimestamp(self.started_realtime_ns / 1e9, UTC)
        return f"run {self.run} (process {self.pid}, since {started:%Y-%m-%d %H:%M:%S} UTC)"


class MeasurementLock:
    """The right to measure. The right is held until `release`, the end of the `with` block, or the
    end of the process."""

    def __init__(self, lock_fd: int) -> None:
        self._lock_fd: int | None = lock_fd

    def release(self) -> None:
        """Release the lock. The file is not removed. If it were removed, while a second process
        waits for the old file, a third process could lock a new file."""
        if self._lock_fd is not None:
            os.ftruncate(self._lock_fd, 0)
            # The lock is released explicitly. A program that was just started may still have a copy
            # of the descriptor, because the kernel closes close-on-exec descriptors after the
            # parent continues.
            fcntl.flock(self._lock_fd, fcntl.LOCK_UN)
            os.close(self._lock_fd)
            self._lock_fd = None

    def __enter__(self) -> MeasurementLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def lock_path() -> Path:
    """The path of the machine's lock file. The lock file lies in the first folder that all users
    may write to."""
    for folder in CANDIDATE_FOLDERS:
        if folder.is_dir() and folder.stat().st_mode & stat.S_IWOTH:
            return folder / FILE_NAME
    names = " nor ".join(map(str, CANDIDATE_FOLDERS))
    raise UserMistake(
        f"the measurement lock needs a folder in which all users can write, but neither {names} "
        f"is such a folder; type: chmod 1777 {CANDIDATE_FOLDERS[-1]}"
    )


def acquire(
    run_name: str,
    wait_s: float = 0.0,
    on_wait: Callable[[Holder | None], None] | None = None,
    path: Path | None = None,
) -> MeasurementLock:
    """Take the machine's measurement lock for `run_name`, waiting at most `wait_s` for it.

    `on_wait` is called when waiting begins and whenever the holder changes; it gets None while the
    holder is unknown. Raises UserMistake when the time is over, or if the file cannot be opened.
    """
    place = lock_path() if path is None else path
    deadline_s = time.monotonic() + wait_s
    told: list[Holder | None] = []
    while True:
        lock_fd = _try_lock(place)
        if lock_fd is not None:
            return _held(lock_fd, run_name)
        holder = read_holder(place)
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise UserMistake(
                f"{holder or 'another run'} is already measuring on this machine; start this run "
                "when the other run has ended"
            )
        if on_wait is not None and told[-1:] != [holder]:
            told.append(holder)
            on_wait(holder)
        time.sleep(min(POLL_S, left_s))


def read_holder(path: Path) -> Holder | None:
    """The holder that the file names; None if the file names no holder (yet)."""
    try:
        return Holder.model_validate_json(path.read_bytes())
    except (ValidationError, FileNotFoundError):
        return None


def _held(lock_fd: int, run_name: str) -> MeasurementLock:
    holder = Holder(pid=os.getpid(), run=run_name, started_realtime_ns=time.time_ns())
    os.ftruncate(lock_fd, 0)
    os.pwrite(lock_fd, holder.model_dump_json().encode(), 0)
    return MeasurementLock(lock_fd)


def _try_lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None if another process holds the lock."""
    while True:
        lock_fd = _open(path)
        try:
            fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock_fd)
            return None
        if _is_file_at(lock_fd, path):
            return lock_fd
        os.close(lock_fd)  # the file was removed between opening and locking


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    while True:
        try:
            # The file is first opened without O_CREAT. In a sticky folder the kernel denies O_CREAT
            # on another user's file (fs.protected_regular), although writing to the file is
            # allowed.
            return os.open(path, flags)
        except FileNotFoundError:
            try:
                lock_fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            except FileExistsError:
                continue  # another process of the lab created the file first
            except OSError as error:
                if error.errno in FULL:
                    raise
                raise UserMistake(
                    f"the lock file {path} cannot be made ({error.strerror}); let all users write "
                    f"in {path.parent}"
                ) from None
            os.fchmod(lock_fd, 0o666)  # despite the umask, because other users lock the file too
            return lock_fd
        except OSError as error:
            raise UserMistake(
                f"the lock file {path} cannot be opened ({error.strerror}); delete this file"
            ) from error


def _is_file_at(lock_fd: int, path: Path) -> bool:
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(lock_fd), there)
