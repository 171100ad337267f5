"""The kernel's page cache: functions that empty it, and the list of files that should be cold."""

from __future__ import annotations

import os
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.plan import Cell

# Documentation/admin-guide/sysctl/vm.rst: 1 frees the clean pages of the page cache.
DROP = Path("/proc/sys/vm/drop_caches")
PAGES = "1\n"


def cannot_empty(control: Path = DROP) -> str:
    """The reason why the page cache cannot be emptied here; empty if it can."""
    if os.access(control, os.W_OK):
        return ""
    return (
        "runfair cannot empty the page cache, because only root may write to "
        "/proc/sys/vm/drop_caches"
    )


def empty_page_cache(control: Path = DROP) -> None:
    """Empty the page cache of the whole machine. Raises UserMistake if the kernel refuses."""
    os.sync()  # otherwise pages that are not yet written to disk would stay in memory
    try:
        control.write_text(PAGES)
    except OSError as error:
        raise UserMistake(f"the page cache cannot be emptied: {error.strerror}") from None


def cold_files(cell: Cell) -> list[Path]:
    """The files that must not be in memory when a program starts; the launcher checks this. The
    files are the program's inputs and, if the page cache is to be empty, also the program and its
    runtime."""
    factor = cell.factors.page_cache
    if factor == "warm":
        return []
    started = [cell.artefact.command[0], *cell.artefact.files] if factor == "empty" else []
    return [path for path in map(Path, [*cell.inputs, *started]) if path.is_absolute()]
