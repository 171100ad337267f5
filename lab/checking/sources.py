"""Finds the files of the repository by their names. Files that tools have made are left out."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

from runfair.paths import REPOSITORY, private_folder, results_folder

# Folders that tools write. Hidden files are left out too. Git is not used, because it may not be
# installed and refuses repositories of another user.
LEFT_OUT = frozenset({"__pycache__", "node_modules", "results", "target"})


def sources(*patterns: str, root: Path = REPOSITORY) -> list[Path]:
    """Every file below `root` whose name matches one of the patterns, in order."""
    strangers = {private_folder(), results_folder()}
    found = []
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = [
            name
            for name in subfolders
            if name not in LEFT_OUT
            and not name.startswith(".")
            and Path(folder, name) not in strangers
        ]
        found += [
            Path(folder, name)
            for name in files
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        ]
    return sorted(found)
