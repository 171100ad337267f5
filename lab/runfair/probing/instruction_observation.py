"""The observation of one execution of a native program in a run: its instructions, counted under
valgrind.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.formats.callgrind import read_callgrind
from runfair.formats.place import User
from runfair.formats.plan import Cell
from runfair.formats.probe import ProbedExecution, write_probed
from runfair.formats.record import BrokenFile
from runfair.probing.instruction_counts import (
    NATIVE_LANGUAGES,
    counted,
    instruction_table,
    valgrind,
    valgrind_version,
)
from runfair.probing.observation import ProbeObservation

COUNTS = "callgrind.out"


@dataclass(frozen=True)
class InstructionObservation:
    """The observation of one execution. Callgrind writes its counts to a file in `folder`."""

    folder: Path
    valgrind: str

    @classmethod
    def begin(cls, folder: Path, user: User | None) -> InstructionObservation:
        """Creates the folder and returns the observation. `user` is the user that the program runs
        as, if this is not the lab's own user. Raises UserMistake if valgrind is missing.
        """
        executable = valgrind()
        folder.mkdir(exist_ok=True)
        if user is not None:
            user.own(folder)
        return cls(folder, executable)

    def command(self, command: Sequence[str]) -> list[str]:
        """The command that executes `command` under callgrind."""
        return counted(self.valgrind, command, self.folder / COUNTS)

    def entering(self, environment: Mapping[str, str]) -> dict[str, str]:
        return dict(environment)

    def keep(self, cell: Cell, path: Path) -> str:  # noqa: ARG002 - as the bytecode probe's
        """Writes the table of the program's functions to `path`. If the counts are incomplete, it
        returns the reason, otherwise "".
        """
        try:
            counts = read_callgrind(self.folder / COUNTS)
        except BrokenFile as broken:
            return str(broken)
        table = instruction_table(counts, valgrind_version(self.valgrind))
        write_probed(path, ProbedExecution(processes=[], instructions=table))
        shutil.rmtree(self.folder, ignore_errors=True)
        return ""


def begin_observation(cell: Cell, folder: Path) -> ProbeObservation | InstructionObservation:
    """The observation of an execution of the cell's program."""
    kind = InstructionObservation if native(cell) else ProbeObservation
    return kind.begin(folder, cell.user)


def native(cell: Cell) -> bool:
    """Whether the cell's program is native code, which executes no bytecodes."""
    return cell.language in NATIVE_LANGUAGES
