"""Files that survive an interruption and a full disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EEXIST, EFBIG, ENAMETOOLONG, ENOSPC, ENOTDIR, EROFS
from pathlib import Path

from runfair.errors import UserMistake

FULL = frozenset({ENOSPC, EDQUOT})  # the errors of a disk without free space
_NO_SPACE = FULL | {EFBIG}
_NO_FOLDER = (ENOTDIR, EEXIST, EROFS, ENAMETOOLONG)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: after an interruption the file has either the old or the new
    content."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextmanager
def keeping(path: Path) -> Iterator[None]:
    """Within this context, a full or read-only disk is reported in one line; the data recorded so
    far are kept."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise UserMistake(
                f"{path}: no space left on the disk; finished executions are kept, so free some "
                "space, and then use ./runfair resume"
            ) from None
        if isinstance(error, PermissionError) or error.errno in _NO_FOLDER:
            raise UserMistake(
                f"{path}: the file cannot be written ({error.strerror}); choose another folder "
                "with --results"
            ) from None
        raise
