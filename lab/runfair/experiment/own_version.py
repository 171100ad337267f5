"""The version of runfair that makes a plan, with the commit of its sources."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import runfair
from runfair.paths import REPOSITORY

_COMMIT = re.compile(r"^# branch\.oid ([0-9a-f]{12})", re.MULTILINE)
GIT_SECONDS = 30  # more than git needs to read the state of a clone on a slow disk


def own_version(repository: Path = REPOSITORY) -> str:
    """The version, and in a clone also the commit, such as `0.1.0 (commit b1f77bf959dc-dirty)`.
    The commit ends with `-dirty` if tracked files were changed. Without git, or without the
    folder `.git`, the version stands alone."""
    commit = _commit(repository)
    return f"{runfair.__version__} (commit {commit})" if commit else runfair.__version__


def _commit(repository: Path) -> str:
    # The stated folders keep git from another repository around this one, and from refusing a
    # clone that belongs to another user than root. `git describe --dirty` would write the index.
    # In a hook, variables name the files of the hook's repository, such as its index.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    git = ["git", "--no-optional-locks", f"--git-dir={repository / '.git'}"]
    status = ["status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        done = subprocess.run(
            [*git, f"--work-tree={repository}", *status],
            cwd=repository,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _COMMIT.search(done.stdout)
    if done.returncode != 0 or found is None:
        return ""
    changed = any(not line.startswith("#") for line in done.stdout.splitlines())
    return f"{found[1]}-dirty" if changed else found[1]
