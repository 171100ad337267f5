"""The kernel's cache of files' pages, and emptying it."""

from __future__ import annotations

import os
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.plan import Cell

# Documentation/admin-guide/sysctl/vm.rst: 1 frees the page cache, as far as it is clean.
DROP = Path("/proc/sys/vm/drop_caches")
PAGES = "1\n"


def cannot_empty(control: Path = DROP) -> str:
    """Why the page cache cannot be emptied here; empty if it can."""
    if os.access(control, os.W_OK):
        return ""
    return "an empty page cache needs root, who may write to /proc/sys/vm/drop_caches"


def empty_page_cache(control: Path = DROP) -> None:
    """Every file is read from storage again, on the whole machine. Raises UserMistake if the
    kernel does not let."""
    os.sync()  # pages that are not written yet would stay
    try:
        control.write_text(PAGES)
    except OSError as error:
        raise UserMistake(f"the page cache cannot be emptied: {error.strerror}") from None


def cold_files(cell: Cell) -> list[Path]:
    """What must not be in memory when a program starts, which the launcher looks at: its inputs; of
    an empty page cache the program and its runtime as well."""
    factor = cell.factors.page_cache
    if factor == "warm":
        return []
    started = [cell.artefact.command[0], *cell.artefact.files] if factor == "empty" else []
    return [path for path in map(Path, [*cell.inputs, *started]) if path.is_absolute()]
