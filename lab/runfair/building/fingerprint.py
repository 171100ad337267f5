"""Whether what a plan will start is still what it was when the plan was made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from runfair.formats.variant import Artefact


def fingerprint(artefact: Artefact, inputs: Sequence[str]) -> str:
    """SHA-256 over the bytes of the artefact's files and of the inputs, and over the size and
    time of change of the executable, which may be large and is replaced as a whole."""
    total = hashlib.sha256()
    for name in (*artefact.files, *inputs):
        total.update(f"{name}\0".encode())
        with Path(name).open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    executable = Path(artefact.command[0])
    if executable.is_absolute():
        seen = executable.stat()
        total.update(f"{seen.st_size} {seen.st_mtime_ns}".encode())
    return total.hexdigest()
