"""The unprivileged user as which programs run if the lab itself runs as root.

Debian and most other distributions have the user `nobody`, who owns nothing. If the name is
missing, the number of this user is used. The launcher changes the user just before it executes the
program, that is, after the steps that need root: control groups, the page cache, counters.
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path

from runfair.formats.place import User

_NAME, _NUMBER = "nobody", 65534
# The home folder of `nobody` on Debian. It does not exist, so nothing can be read or written there.
HOME = "/nonexistent"
# Other users can enter the folder if they know its name, but cannot list it.
ENTERED_BY_ALL = 0o711


def unprivileged_user() -> User | None:
    """The unprivileged user as which programs run; None if the lab is not root, because programs
    then run as the lab's own user."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_NAME)
    except KeyError:
        return User(uid=_NUMBER, gid=_NUMBER)
    return User(uid=entry.pw_uid, gid=entry.pw_gid)


def can_become(user: User) -> bool:
    """Whether this process, which runs as root, may change to the user. In a container the
    capability or the user's number may be missing."""
    try:
        subprocess.run(["/bin/true"], user=user.uid, group=user.gid, extra_groups=[], check=False)
    except (OSError, ValueError):
        return False
    return True


def unreachable(user: User, files: Iterable[Path]) -> Path | None:
    """The first file or folder that keeps the user from reaching one of the `files`, judged by
    modes; None if the user can reach all of them. Missing files are ignored."""
    for file in files:
        for path in dict.fromkeys((Path(os.path.abspath(file)), file.resolve())):  # noqa: PTH100 - links are kept
            for each in [*reversed(path.parents), path]:
                if each.exists() and not _may_use(each.stat(), user):
                    return each
    return None


def _may_use(found: os.stat_result, user: User) -> bool:
    """Whether the user may enter a folder, or read a file."""
    owner, group, others = (
        (stat.S_IXUSR, stat.S_IXGRP, stat.S_IXOTH)
        if stat.S_ISDIR(found.st_mode)
        else (stat.S_IRUSR, stat.S_IRGRP, stat.S_IROTH)
    )
    if found.st_uid == user.uid:
        return bool(found.st_mode & owner)
    if found.st_gid == user.gid:
        return bool(found.st_mode & group)
    return bool(found.st_mode & others)
