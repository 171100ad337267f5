"""The environment of measured programs, and the unprivileged user as which they run. The
environment has only the variables of an allow-list, which is the same for every caller.

Environment variables that the user has forgotten may change a runtime's behaviour. Even the size of
the environment moves the stack and changes timings (Mytkowicz et al., "Producing wrong data without
doing anything obviously wrong", ASPLOS 2009). Programs therefore inherit only the variables that
they need to find files.

If the lab itself runs as root, programs run as an unprivileged user. Debian and most other
distributions have the user `nobody`, who owns nothing. If the name is missing, the number of this
user is used. The launcher changes the user just before it executes the program, that is, after the
steps that need root: cgroups, the page cache, counters.
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from runfair.formats.place import User
from runfair.paths import REPOSITORY

INHERITED = ("PATH", "HOME", "TMPDIR")
FIXED = {"LANG": "C.UTF-8", "TZ": "UTC"}
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

# Variables that change how a runtime, its allocator or the loader behaves.
STEERING = (
    "BUN_*",
    "CLASSPATH",
    "GLIBC_TUNABLES",
    "GODEBUG",
    "GOEXPERIMENT",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOTRACEBACK",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LC_*",
    "LD_*",
    "MALLOC_*",
    "MIMALLOC_*",
    "NODE_*",
    "OMP_*",
    "PYPY*",
    "PYTHON*",
    "RUST_*",
    "TCMALLOC_*",
    "UV_*",
    "_JAVA_OPTIONS",
    "_RJEM_*",
)


def clean_environment(inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a program, selected from `inherited`. If `inherited` is None, the
    environment of this process is used."""
    given = os.environ if inherited is None else inherited
    kept = {name: given[name] for name in INHERITED if name in given}
    return {"PATH": DEFAULT_PATH, **kept, **FIXED}


def dropped_variables(inherited: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The sorted names of the variables that are set, would change a runtime's behaviour, and are
    therefore withheld. The variable with which `./runfair` finds the lab is not among them."""
    given = dict(os.environ if inherited is None else inherited)
    if given.get("PYTHONPATH") == str(REPOSITORY / "lab"):
        del given["PYTHONPATH"]
    return tuple(
        sorted(name for name in given if any(fnmatchcase(name, each) for each in STEERING))
    )


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
