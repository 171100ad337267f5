"""The observation of one execution of a run by the bytecode probe: how the probe is loaded, and
what it records.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.formats.plan import Cell
from runfair.formats.probe import Mode, ProbedExecution, ProbedProcess, write_probed
from runfair.formats.record import BrokenFile
from runfair.formats.source_lines import MAX_SOURCE_BYTES
from runfair.probing.probed_command import (
    probing_variables,
    read_side_files,
    unfinished,
    why_nothing,
)

MOST_SOURCES = 8
# The observed process supplies the path. Therefore only sources of the program may be read, and no
# other files.
SOURCE_SUFFIXES = frozenset(
    (".py", ".java", ".kt", ".scala", ".js", ".cjs", ".mjs", ".ts", ".jsx", ".tsx")
)


@dataclass(frozen=True)
class BytecodeObservation:
    """The observation of one execution. The processes write their side files to `folder`."""

    folder: Path
    library: Path
    mode: Mode

    def command(self, command: Sequence[str]) -> list[str]:
        """The command as it is: the environment loads the probe."""
        return list(command)

    def entering(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment with the variables that load the probe."""
        return {
            **environment,
            **probing_variables(self.library, self.folder, self.mode, (), environment),
        }

    def keep(self, cell: Cell, path: Path) -> str:
        """Writes the records of the processes to `path`. If no process was probed, it returns the
        reason, otherwise "".
        """
        try:
            processes = read_side_files(self.folder)
        except BrokenFile as broken:
            return str(broken)
        if nothing := why_nothing(cell.artefact.command, processes):
            return f"nothing was probed, because {nothing}"
        probed = ProbedExecution(
            processes=processes,
            sources=_sources(cell, processes),
            unfinished=unfinished(self.folder),
        )
        write_probed(path, probed)
        shutil.rmtree(self.folder, ignore_errors=True)
        return ""


def _sources(cell: Cell, processes: Sequence[ProbedProcess]) -> dict[str, str]:
    """The texts of those files with the most samples that belong to the program."""
    samples: Counter[str] = Counter()
    for process in processes:
        if process.sampling is not None:
            for place in process.sampling.places:
                if place.path and place.line is not None:
                    samples[place.path] += place.samples
    homes = _homes(cell)
    found: dict[str, str] = {}
    for path, _ in samples.most_common():
        if len(found) == MOST_SOURCES:
            break
        text = _text(path, homes)
        if text is not None:
            found[path] = text
    return found


def _homes(cell: Cell) -> list[Path]:
    """The folders that contain the program's own files."""
    artefact = cell.artefact
    named = [Path(artefact.directory) / word for word in (*artefact.command[1:], *artefact.files)]
    folders = [Path(artefact.sources)] if artefact.sources else []
    folders += [path.parent for path in named if path.suffix in SOURCE_SUFFIXES and path.is_file()]
    return [Path(os.path.realpath(folder)) for folder in dict.fromkeys(folders)]


def _text(path: str, homes: Iterable[Path]) -> str | None:
    """The text of a source file; None if it does not lie below one of the program's folders."""
    for home in homes:
        file = Path(os.path.realpath(home / path.removeprefix("file://")))
        if not file.is_file() and not path.startswith("/"):
            # A path that HotSpot reports contains the folders of the package, but the sources may
            # all lie in one folder.
            file = Path(os.path.realpath(home / Path(path).name))
        if file.suffix in SOURCE_SUFFIXES and file.is_relative_to(home) and file.is_file():
            with file.open("rb") as opened:
                content = opened.read(MAX_SOURCE_BYTES + 1)
            if len(content) <= MAX_SOURCE_BYTES:
                return content.decode("utf-8", "replace")
    return None
