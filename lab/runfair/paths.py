"""Where things are: the repository, the private folder, the results."""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = REPOSITORY / "benchmarks"
EXPERIMENTS = REPOSITORY / "experiments"
SCHEMAS = REPOSITORY / "schemas"


def private_folder() -> Path:
    """What the lab makes for itself: environment, builds, inputs, installed runtimes, caches."""
    return Path(os.environ.get("RUNFAIR_PRIVATE", REPOSITORY / ".runfair")).absolute()


def results_folder() -> Path:
    """Where runs are written unless `--results` says otherwise."""
    return Path(os.environ.get("RUNFAIR_RESULTS", REPOSITORY / "results")).absolute()
