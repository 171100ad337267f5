"""The figures of every stored run, as Parquet files that DuckDB asks one question of.

Judging a run takes seconds, and its records do not change: so its figures are kept in the private
folder, under a name that tells the records and the code that judged them. The run's folder stays
the only truth; without the kept files everything is judged again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from runfair.errors import RunfairError
from runfair.export.figures import figures
from runfair.export.parquet import write_parquet
from runfair.formats.run_folder import RunFolder
from runfair.paths import REPOSITORY, private_folder
from runfair.result.judged_run import JudgedRun

CODE = REPOSITORY / "lab" / "runfair"


def stored_figures(
    results: Path, on_judging: Callable[[str], None] = lambda _run: None
) -> tuple[list[Path], list[str]]:
    """A Parquet file a run of the folder, in the order of their names, and a line for each run
    that cannot be read: of another version, or with a damaged file."""
    kept = private_folder() / "history"
    kept.mkdir(parents=True, exist_ok=True)
    code = _stamp(sorted(CODE.rglob("*.py")))
    files, unreadable = [], []
    for plan in sorted(results.glob("*/experiment.json")):
        folder = RunFolder(plan.parent)
        stem = hashlib.sha256(str(plan.parent.resolve()).encode()).hexdigest()[:16]
        wanted = kept / f"{stem}-{_stamp(_records(folder))}-{code}.parquet"
        if not wanted.exists():
            on_judging(folder.path.name)
            try:
                run = JudgedRun.read(folder)
            except RunfairError as reason:
                unreadable.append(str(reason))
                continue
            for old in kept.glob(f"{stem}-*.parquet"):
                old.unlink(missing_ok=True)
            write_parquet(figures(run), wanted)
        files.append(wanted)
    return files, unreadable


def _records(folder: RunFolder) -> list[Path]:
    """What figures are made of: a folder's own time tells of files that came or went."""
    inside = ("machines", "machines/*.json", "iterations", "latency", "events", "raw", "raw/*")
    found = [path for pattern in inside for path in folder.path.glob(pattern)]
    return [folder.plan_file, folder.executions_file, *sorted(found)]


def _stamp(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.exists():
            status = path.stat()
            digest.update(f"{path}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    return digest.hexdigest()[:16]
