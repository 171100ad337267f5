"""The user that a private PostgreSQL runs as. PostgreSQL refuses to run as root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake

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
            "PostgreSQL refuses to run as root, and setpriv, which runfair needs to start it "
            "as another user, is missing: apt-get install util-linux"
        )
    for name in _UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return ServerUser(name, entry.pw_uid, entry.pw_gid, changed=True)
    raise UserMistake(
        f"PostgreSQL does not run as root, and there is no user {' or '.join(_UNPRIVILEGED)}: "
        "create one with useradd --system postgres"
    )
