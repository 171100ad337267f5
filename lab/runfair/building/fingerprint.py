"""Whether what a plan will start is still what it was when the plan was made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from runfair.building.content import files_of
from runfair.formats.variant import Artefact


def fingerprint(artefact: Artefact, inputs: Sequence[str]) -> str:
    """SHA-256 over what the artefact's files and the inputs hold, and over the size and
    time of change of the executable, which may be large and is replaced as a whole."""
    total = hashlib.sha256()
    for name in (*artefact.files, *inputs):
        total.update(f"{name}\0{_told(Path(name))}\0".encode())
    executable = Path(artefact.command[0])
    if executable.is_absolute():
        seen = executable.stat()
        total.update(f"{seen.st_size} {seen.st_mtime_ns}".encode())
    return total.hexdigest()


def _told(path: Path) -> str:
    """A file's checksum. A folder may hold gigabytes, and is looked at before every execution: its
    files' names, sizes and times of change stand for them."""
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    seen = [(file.relative_to(path), file.stat()) for file in files_of([f"{path}/**"])]
    return "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in seen)
