"""What files hold, as one hash: names relative to a folder, and bytes."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

# Made beside sources by the languages' own tools; never part of a program.
MADE_BY_TOOLS = ("__pycache__", "target", "node_modules")


def files_of(patterns: Iterable[str]) -> list[Path]:
    """The files that the globs lead to, sorted, without what tools made beside them."""
    found: set[Path] = set()
    for pattern in patterns:
        names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
        found.update(Path(name) for name in names)
    return sorted(
        path for path in found if path.is_file() and not set(MADE_BY_TOOLS) & set(path.parts)
    )


def sha256_of(files: Sequence[Path], relative_to: Path) -> str:
    """SHA-256 over each file's relative name, length and bytes, in the order given; a file from
    elsewhere (a user's own runtime) goes by its bare name."""
    total = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        inside = file.is_relative_to(relative_to)
        name = file.relative_to(relative_to).as_posix() if inside else file.name
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()
