"""Where things are: the repository, the private folder, the results."""

from __future__ import annotations

import os
from pathlib import Path

from runfair.errors import UserMistake

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = REPOSITORY / "benchmarks"
PLATFORMS = REPOSITORY / "platforms"
EXPERIMENTS = REPOSITORY / "experiments"
SCHEMAS = REPOSITORY / "schemas"


def private_folder() -> Path:
    """What the lab makes for itself: environment, builds, inputs, installed runtimes, caches.
    Without links, which npm takes for another folder than the one that it is in."""
    return Path(os.environ.get("RUNFAIR_PRIVATE") or REPOSITORY / ".runfair").resolve()


def stated_path(text: str | Path) -> Path:
    """The absolute path of a file that the user states. Raises UserMistake if the path begins with
    the name of a user whose home folder is unknown (`~name/file`)."""
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise UserMistake(
            f"{text}: the home folder {Path(text).parts[0]} is unknown; state the path without ~"
        ) from None
    return path.resolve()


def results_folder() -> Path:
    """Where runs are written unless `--results` says otherwise."""
    return Path(os.environ.get("RUNFAIR_RESULTS") or REPOSITORY / "results").absolute()
