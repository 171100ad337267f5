"""The version of runfair that makes a plan, with the commit of its sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import runfair
from runfair.paths import REPOSITORY

GIT_SECONDS = 30  # more than git needs to read the state of a clone on a slow disk


def own_version(repository: Path = REPOSITORY) -> str:
    """The version, and in a clone also the commit, such as `0.1.0 (commit b1f77bf959dc-dirty)`.
    The commit ends with `-dirty` if tracked files were changed. Without git, or without the
    folder `.git`, the version stands alone."""
    commit = _commit(repository)
    return f"{runfair.__version__} (commit {commit})" if commit else runfair.__version__


def _commit(repository: Path) -> str:
    # The stated folders keep git from another repository around this one, and from refusing a
    # clone that belongs to another user than root.
    git = ["git", f"--git-dir={repository / '.git'}", f"--work-tree={repository}"]
    describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(
            [*git, *describe],
            cwd=repository,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
