"""The observation of one execution of a native program in a run: its instructions, counted under
valgrind.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.formats.instructions import CountedPlace, InstructionCounts
from runfair.formats.plan import Cell
from runfair.formats.probe import ProbedExecution, write_probed
from runfair.formats.record import BrokenFile
from runfair.probing.instruction_counts import counted, read_counts, valgrind_version


@dataclass(frozen=True)
class InstructionObservation:
    """The observation of one execution by the executable `valgrind`, which writes the counts to
    `folder`."""

    folder: Path
    valgrind: str

    def command(self, command: Sequence[str]) -> list[str]:
        """The command that executes `command` under callgrind."""
        return counted(self.valgrind, command, self.folder)

    def entering(self, environment: Mapping[str, str]) -> dict[str, str]:
        return dict(environment)

    def keep(self, cell: Cell, path: Path) -> str:  # noqa: ARG002 - as the bytecode probe's
        """Writes the counts to `path`. If the counts are incomplete, it returns the reason,
        otherwise "".
        """
        try:
            counts = read_counts(self.folder)
        except BrokenFile as broken:
            return str(broken)
        kept = InstructionCounts(
            valgrind=valgrind_version(self.valgrind),
            places=[CountedPlace(place=place, instructions=n) for place, n in counts.items()],
        )
        write_probed(path, ProbedExecution(processes=[], instructions=kept))
        shutil.rmtree(self.folder, ignore_errors=True)
        return ""
