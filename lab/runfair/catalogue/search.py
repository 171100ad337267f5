"""Where runtimes may be: the `search` patterns of a family made into candidate programs."""

from __future__ import annotations

import fnmatch
import glob
import os
import pwd
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.paths import private_folder

# A version manager's shim only asks the manager which program it stands for.
SHIM_FOLDER = "shims"


@dataclass(frozen=True)
class Candidate:
    """A program that may be a runtime, as it stood when it was looked at."""

    path: str
    real: str
    size_bytes: int
    modified_ns: int

    @classmethod
    def at(cls, path: str) -> Candidate | None:
        """The program at `path`, or None if there is no file that may be executed."""
        real = os.path.realpath(path)
        try:
            status = Path(real).stat()
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or not os.access(real, os.X_OK):
            return None
        return cls(path, real, status.st_size, status.st_mtime_ns)


class PathFolders:
    """The folders of PATH and the names in them, read once."""

    def __init__(self) -> None:
        self.folders = list(dict.fromkeys(f for f in _path() if f.startswith("/")))
        self._names: dict[str, list[str]] = {}

    def matching(self, name: str) -> Iterator[str]:
        """Programs on PATH whose name matches the glob, in PATH's order."""
        for folder in self.folders:
            if Path(folder).name == SHIM_FOLDER:
                continue
            if not glob.has_magic(name):
                yield f"{folder}/{name}"
            else:
                matches = fnmatch.filter(self._listing(folder), name)
                yield from (f"{folder}/{match}" for match in sorted(matches))

    def _listing(self, folder: str) -> list[str]:
        if folder not in self._names:
            try:
                self._names[folder] = [entry.name for entry in os.scandir(folder)]
            except OSError:
                self._names[folder] = []
        return self._names[folder]


def candidates(
    patterns: Sequence[str], ignored: Sequence[str], path: PathFolders
) -> list[Candidate]:
    """Every program that the patterns lead to, each real file once, in the patterns' order.

    A pattern without a slash is a name on PATH; `{path}`, `{private}`, `~` and `${VARIABLE}` open
    a longer one. `ignored` are names of real files that are never meant (a rustup proxy).
    """
    found: dict[str, Candidate] = {}
    for pattern in patterns:
        for place in _places(pattern, path):
            candidate = Candidate.at(place)
            if candidate is None or Path(candidate.real).name in ignored:
                continue
            if Path(candidate.path).parent.name == SHIM_FOLDER:
                continue
            found.setdefault(candidate.real, candidate)
    return list(found.values())


def _places(pattern: str, path: PathFolders) -> Iterator[str]:
    if "/" not in pattern:
        yield from path.matching(pattern)
        return
    for opened in _opened(pattern, path):
        # Resolved first, so that the same file is not reached by two spellings.
        spelled = os.path.normpath(opened)
        if glob.has_magic(spelled):
            yield from sorted(glob.glob(spelled))  # noqa: PTH207 - Path.glob takes no absolute pattern
        else:
            yield spelled


def _opened(pattern: str, path: PathFolders) -> Iterator[str]:
    variable = re.match(r"\$\{(\w+)\}", pattern)
    if variable:
        value = os.environ.get(variable.group(1), "")
        if value:
            yield glob.escape(value) + pattern[variable.end() :]
    elif pattern.startswith("~/"):
        yield from (glob.escape(home) + pattern[1:] for home in _homes())
    elif pattern.startswith("{path}/"):
        yield from (glob.escape(folder) + pattern[len("{path}") :] for folder in path.folders)
    elif pattern.startswith("{private}/"):
        yield glob.escape(str(private_folder())) + pattern[len("{private}") :]
    else:
        yield pattern


def _homes() -> list[str]:
    """HOME, which may be empty or borrowed, and the home that the system knows of."""
    try:
        system = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        system = ""
    return list(dict.fromkeys(h for h in (os.environ.get("HOME", ""), system) if h))


def _path() -> list[str]:
    return os.environ.get("PATH", os.defpath).split(os.pathsep)
