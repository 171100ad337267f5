"""The figures of every stored run, as Parquet files that DuckDB reads.

Judging a run takes seconds, and its records do not change. The figures of a run are therefore
cached in the private folder. The name of a cached file is derived from the records and from the
code that judged them. The run's folder remains the only source: if the cached files are missing,
everything is judged again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import duckdb

from runfair.errors import RunfairError
from runfair.export.dataset import write_parquet
from runfair.export.figures import figures
from runfair.formats.run_folder import RunFolder
from runfair.paths import REPOSITORY, private_folder
from runfair.result.judged_run import JudgedRun
from runfair.wording.text import plain

CODE = REPOSITORY / "lab" / "runfair"


def stored_figures(
    results: Path, on_judging: Callable[[str], None] = lambda _run: None
) -> tuple[list[Path], list[str]]:
    """A Parquet file for each run in the folder, in the order of the runs' names, and a line for
    each run that cannot be read (because of another version or a damaged file).
    """
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
    """The files and folders that a run's figures depend on. A folder's time changes when files are
    added or removed.
    """
    inside = ("machines", "machines/*.json", "iterations", "latency", "events", "raw", "raw/*")
    found = [path for pattern in inside for path in folder.path.glob(pattern)]
    return [folder.plan_file, folder.executions_file, folder.reference_file, *sorted(found)]


def _stamp(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.exists():
            status = path.stat()
            digest.update(f"{path}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    return digest.hexdigest()[:16]


LONGEST_COMMIT = 100


def commit_of(run: Path) -> str:
    """The commit that a run measured: the first line of the file `commit` in its folder, or "".

    The measured programs may be in no repository, or in several, so the commit is not guessed. A CI
    job can state the commit: `git rev-parse HEAD >RUN/commit`.
    """
    try:
        with (run / "commit").open(encoding="utf-8", errors="replace") as file:
            return plain(file.readline(LONGEST_COMMIT))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""


Row = dict[str, Any]


@dataclass(frozen=True)
class Filter:
    """The selection of figures and cells. Patterns are written as in a shell (`temurin-*`); ""
    matches all. `figures` are names.
    """

    benchmark: str = ""
    workload: str = ""
    size: str = ""
    mode: str = ""
    variant: str = ""
    machine: str = ""
    figures: tuple[str, ...] = ()


def matching_rows(files: Sequence[Path], wanted: Filter) -> list[Row]:
    """Every selected figure of every run, with the oldest run first. Smoke runs are left out,
    because they are never fair.
    """
    if not files:
        return []
    conditions = ["figure IS NOT NULL", "profile <> 'smoke'"]
    values: list[object] = [[str(path) for path in files]]
    for field in fields(wanted):
        asked = getattr(wanted, field.name)
        if field.name == "figures" and asked:
            conditions.append("list_contains(?, figure)")
            values.append(list(asked))
        elif field.name != "figures" and asked:
            conditions.append(f"{field.name} GLOB ?")
            values.append(asked)
    text = (
        f"SELECT * FROM read_parquet(?) WHERE {' AND '.join(conditions)} "
        "ORDER BY created_realtime_ns, run"
    )
    with duckdb.connect() as connection:
        found = connection.execute(text, values)
        columns = [one[0] for one in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]


def smoke_runs(files: Sequence[Path]) -> list[str]:
    """The runs that belong to no series because their profile is `smoke`."""
    if not files:
        return []
    text = "SELECT DISTINCT run FROM read_parquet(?) WHERE profile = 'smoke' ORDER BY run"
    with duckdb.connect() as connection:
        return [
            run for (run,) in connection.execute(text, [[str(path) for path in files]]).fetchall()
        ]
