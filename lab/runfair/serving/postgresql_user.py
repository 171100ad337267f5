"""The user that a private PostgreSQL runs as: it refuses to run as root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake

# The distributions' own account for it, else the one that owns nothing.
_UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class ServerUser:
    """The user that the server runs as; `changed` if it is not the lab's own."""

    name: str
    uid: int
    gid: int
    changed: bool

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """The command that runs `words` as this user.

        The kernel forgets at a change of user that the program is to die with its launcher
        (prctl(2), PR_SET_PDEATHSIG), so it is told again.
        """
        plain = [str(word) for word in words]
        if not self.changed:
            return plain
        become = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        return ["setpriv", *become, "--no-new-privs", "--pdeathsig=KILL", "--", *plain]

    def own(self, path: Path) -> None:
        """Makes the file or folder this user's."""
        if self.changed:
            os.chown(path, self.uid, self.gid)


def server_user() -> ServerUser:
    """The current user; instead of root, an unprivileged user. UserMistake if there is none."""
    if os.geteuid() != 0:
        # A user without an entry is usual in containers; PostgreSQL's own name for it is ours.
        return ServerUser(str(os.geteuid()), os.geteuid(), os.getegid(), changed=False)
    if shutil.which("setpriv") is None:
        raise UserMistake(
            "PostgreSQL does not run as root, and setpriv is not here to start it as another user: "
            "apt-get install util-linux"
        )
    for name in _UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return ServerUser(name, entry.pw_uid, entry.pw_gid, changed=True)
    raise UserMistake(
        f"PostgreSQL does not run as root, and there is no user {' or '.join(_UNPRIVILEGED)}: "
        "useradd --system postgres"
    )
