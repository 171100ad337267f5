"""The place where a private PostgreSQL server runs: the user that it runs as, and its folders.

PostgreSQL refuses to run as root. The user that the server runs as must have access to every folder
above the data. The private folder may lie where only its owner has access (below /root, for
example). The path of a unix socket may have 107 bytes at most. If one of these conditions rules out
the private folder, the databases lie in the system's temporary folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import pwd
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.build_folder import locked
from runfair.errors import UserMistake
from runfair.machine.kernel_files import ROOT, read_text
from runfair.paths import private_folder

# The distributions' own account for PostgreSQL, otherwise the account that owns nothing.
_UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class ServerUser:
    """The user that the server runs as. `changed`: this is not the user that the lab runs as."""

    name: str
    uid: int
    gid: int
    changed: bool

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """The command that runs `words` as this user.

        When a process changes its user, the kernel clears the setting by which the process dies
        with its launcher (prctl(2), PR_SET_PDEATHSIG). The command therefore sets it again.
        """
        plain = [str(word) for word in words]
        if not self.changed:
            return plain
        become = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        return ["setpriv", *become, "--no-new-privs", "--pdeathsig=KILL", "--", *plain]

    def own(self, path: Path) -> None:
        """Makes the user the owner of the file or folder."""
        if self.changed:
            os.chown(path, self.uid, self.gid)


def server_user() -> ServerUser:
    """The current user; for root, an unprivileged user. Raises UserMistake if there is no
    unprivileged user."""
    if os.geteuid() != 0:
        # Containers often have no entry for the user. PostgreSQL does not need the entry, because
        # the lab names a role.
        return ServerUser(str(os.geteuid()), os.geteuid(), os.getegid(), changed=False)
    if shutil.which("setpriv") is None:
        raise UserMistake(
            "PostgreSQL refuses to run as root, and the program setpriv, with which runfair "
            "starts PostgreSQL as another user, is missing; type: apt-get install util-linux"
        )
    for name in _UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return ServerUser(name, entry.pw_uid, entry.pw_gid, changed=True)
    raise UserMistake(
        f"PostgreSQL refuses to run as root, and there is no user {' or '.join(_UNPRIVILEGED)}; "
        "create a user with useradd --system postgres"
    )


# unix(7): sun_path has 108 bytes, the last of them a zero.
_SOCKET_PATH_BYTES = 107
_LONGEST_BELOW = "/instances/abcdefgh/.s.PGSQL.65535"
# Other users can enter a folder whose name they know, but cannot list it, whatever the umask.
_ENTERED_BY_ALL = 0o711
_ENDING_LIMIT_S = 10.0
_ENDING_STEP_S = 0.02
_IPC_RMID = 0  # shmctl(2), Linux on every architecture


def database_place(user: ServerUser) -> Path:
    """The folder for databases, which is created if necessary. The folder lies in the private
    folder, otherwise in the system's temporary folder. Raises UserMistake if the folder belongs to
    another user.
    """
    wanted = private_folder() / "databases"
    wanted.mkdir(parents=True, exist_ok=True)
    wanted.chmod(_ENTERED_BY_ALL)
    if _is_reachable(wanted, user):
        return wanted
    fallback = Path(tempfile.gettempdir()) / f"runfair-databases-{os.geteuid()}"
    if not _is_reachable(fallback, user):
        raise UserMistake(
            f"the user {user.name} cannot enter {fallback}, or this path is too long; set the "
            "environment variable TMPDIR to a folder with a short path that all users may enter"
        )
    # Another user may already have created a folder of this name there.
    with contextlib.suppress(FileExistsError):
        fallback.mkdir()
        fallback.chmod(_ENTERED_BY_ALL)
    found = fallback.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise UserMistake(
            f"the folder {fallback} belongs to another user, or other users can change it; delete "
            "the folder, or set the environment variable TMPDIR to another folder"
        )
    return fallback


@contextlib.contextmanager
def instance_folder(place: Path, user: ServerUser) -> Iterator[Path]:
    """A new folder for one running server, owned by the user. When the context is left, processes
    that work in it are ended, and it is removed.

    Before this, the folders of killed processes of the lab (kill -9) are cleared.
    """
    instances = place / "instances"
    with contextlib.ExitStack() as claimed:
        with locked(place / "instances.lock"):
            instances.mkdir(exist_ok=True)
            instances.chmod(_ENTERED_BY_ALL)
            _clear_stale(instances)
            folder = Path(tempfile.mkdtemp(prefix="", dir=instances))
            # The lock is held while this process lives. The kernel releases it, however the process
            # ends.
            claim = claimed.enter_context(_claim_file(folder).open("a"))
            fcntl.flock(claim, fcntl.LOCK_EX)
        user.own(folder)
        try:
            yield folder
        finally:
            clear(folder)
            _claim_file(folder).unlink(missing_ok=True)


def clear(folder: Path) -> None:
    """Ends the processes in the folder, and removes the folder and its shared memory segment."""
    _end_processes_in(folder)
    segment = _shared_memory(folder / "data")
    if segment is not None:
        # If the server was shut down in order, the segment is already gone.
        ctypes.CDLL(None).shmctl(segment, _IPC_RMID, None)
    if folder.exists():
        shutil.rmtree(folder)


def _clear_stale(instances: Path) -> None:
    for name in {entry.name.removesuffix(".lock") for entry in instances.iterdir()}:
        folder = instances / name
        with _claim_file(folder).open("a") as claim:
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # the process of the lab that owns the folder is alive
                continue
            clear(folder)
            _claim_file(folder).unlink()


def _claim_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _end_processes_in(folder: Path) -> None:
    """Kills all processes that work in this folder: a server and its children. Usually the launcher
    has already ended them. This function is needed if the launcher was killed.
    """
    until_s = time.monotonic() + _ENDING_LIMIT_S
    while running := [pid for pid in _numbers() if _works_in(pid, folder)]:
        if time.monotonic() > until_s:
            raise UserMistake(
                f"the processes {running} of a database in {folder} do not exit; end these "
                "processes by hand"
            )
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_ENDING_STEP_S)


def _numbers() -> list[int]:
    return [int(entry) for entry in os.listdir(ROOT / "proc") if entry.isdigit()]  # noqa: PTH208 - a name is all that is needed


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return (ROOT / f"proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:  # the process is gone, a zombie, or somebody else's
        return False


def _shared_memory(data: Path) -> int | None:
    """The key and the identifier of the System V memory segment that guards a data folder. The key
    and the identifier are read from line 7 of PostgreSQL's postmaster.pid.

    A killed server leaves the segment behind. After a reboot the identifier may belong to another
    program's segment, so the key must match too.
    """
    lines = (read_text(data, "postmaster.pid") or "").splitlines()
    told = lines[6].split() if len(lines) > 6 else []
    for line in (read_text(ROOT, "proc/sysvipc/shm") or "").splitlines()[1:]:
        if line.split()[:2] == told:
            return int(told[1])
    return None


def _is_reachable(folder: Path, user: ServerUser) -> bool:
    """Whether the user has access to every existing folder above this path, and whether the paths
    of its sockets are short enough.
    """
    if len(os.fsencode(folder)) + len(_LONGEST_BELOW) > _SOCKET_PATH_BYTES:
        return False
    return not user.changed or all(
        _may_enter(each.stat(), user) for each in (folder, *folder.parents) if each.exists()
    )


def _may_enter(found: os.stat_result, user: ServerUser) -> bool:
    if found.st_uid == user.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == user.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)
