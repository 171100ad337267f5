"""The unprivileged user that programs run as when the lab itself runs as root.

Debian and most other distributions have the user `nobody`, who owns nothing; if the name is
missing, its number is used. The launcher changes the user just before it executes the program,
after the steps that need root: control groups, the page cache, counters.
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
# Debian's home folder of `nobody`: nothing can be read or written there.
HOME = "/nonexistent"
# Other users can pass through a folder whose name they know, but not list it.
ENTERED_BY_ALL = 0o711


def unprivileged_user() -> User | None:
    """The user that programs run as; None if the lab is not root, because programs then run as the
    lab's own user."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_NAME)
    except KeyError:
        return User(uid=_NUMBER, gid=_NUMBER)
    return User(uid=entry.pw_uid, gid=entry.pw_gid)


def can_become(user: User) -> bool:
    """Whether this root may change to the user; in a container the capability, or the user's
    number, may be missing."""
    try:
        subprocess.run(["/bin/true"], user=user.uid, group=user.gid, extra_groups=[], check=False)
    except (OSError, ValueError):
        return False
    return True


def unreachable(user: User, files: Iterable[Path]) -> Path | None:
    """The first file or folder that the user may not read or pass on the way to one of the `files`,
    by their modes; None if all can be reached. Missing files are ignored."""
    for file in files:
        for path in dict.fromkeys((Path(os.path.abspath(file)), file.resolve())):  # noqa: PTH100 - links are kept
            for each in [*reversed(path.parents), path]:
                if each.exists() and not _may_use(each.stat(), user):
                    return each
    return None


def _may_use(found: os.stat_result, user: User) -> bool:
    """Whether the user may pass a folder, or read a file."""
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
