"""Measures the honest experiments, and stores what the checks read of each run beside itself.

    PYTHONPATH=lab:lab/tests python lab/tests/fairness/stored/record.py [NAME…]

On a quiet machine about 35 minutes for all. A run is replaced by its new measurement whatever the
checks say of it: nothing is selected. Whole runs are kept in `results/`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairness.stored.archive import pack
from fairness.stored.experiments import (
    EXPERIMENTS,
    FOUND_RUNNING_PORT,
    TIMED,
    write_traffic,
)
from runfair.formats.run_folder import RunFolder
from runfair.paths import REPOSITORY

STORED = Path(__file__).parent
RESULTS = REPOSITORY / "results" / "stored"
MEASURED_BUT = 3  # the exit status of a run with a figure that is void


def main() -> None:
    names = sys.argv[1:] or list(EXPERIMENTS)
    with tempfile.TemporaryDirectory() as scratch, _service_that_runs():
        folder = Path(scratch)
        write_traffic(folder)
        for name in names:
            experiment = folder / f"{name}.toml"
            experiment.write_text(EXPERIMENTS[name].replace("{traffic}", scratch))
            measured = _measure(experiment, RESULTS / name)
            path = STORED / f"{name}.tar.xz"
            pack(measured, path, {str(folder): "/traffic"})
            print(f"{path.name:32} {path.stat().st_size:>9,} bytes", flush=True)


def _measure(experiment: Path, results: Path) -> RunFolder:
    command: list[str | Path] = [
        REPOSITORY / "runfair",
        "run",
        experiment,
        "--results",
        results,
        "--wait",
        "3600",
    ]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, MEASURED_BUT):
        raise SystemExit(f"{experiment.name}: ended with status {done.returncode}")
    return RunFolder.find("latest", results)


@contextmanager
def _service_that_runs() -> Iterator[None]:
    """The one that an experiment finds by its URL; off the processors that are measured it would
    be no honest service."""
    command: list[str | Path] = [
        sys.executable,
        TIMED,
        "--port",
        str(FOUND_RUNNING_PORT),
        "--each-ms",
        "8",
    ]
    with subprocess.Popen(command, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as service:
        try:
            yield
        finally:
            service.terminate()


if __name__ == "__main__":
    main()
