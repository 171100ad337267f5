"""The observation of one execution of a run by a probe: of its bytecodes, or of its instructions if
it executes native code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from runfair.formats.plan import Cell
from runfair.probing.bytecode_observation import BytecodeObservation
from runfair.probing.instruction_counts import NATIVE_LANGUAGES, valgrind
from runfair.probing.instruction_observation import InstructionObservation
from runfair.probing.probed_command import probe_library


class ProbeObservation(Protocol):
    """How the probe enters an execution, and what it leaves."""

    def command(self, command: Sequence[str]) -> list[str]:
        """The command that executes `command` under the probe."""
        ...

    def entering(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment of the execution under the probe."""
        ...

    def keep(self, cell: Cell, path: Path) -> str:
        """Writes what the probe recorded to `path`. If the record is incomplete, it returns the
        reason, otherwise "".
        """
        ...


def begin_observation(cell: Cell, folder: Path) -> ProbeObservation:
    """The observation of an execution of the cell's program or service, which records to `folder`.
    Raises UserMistake if a tool is missing."""
    begun: ProbeObservation = (
        InstructionObservation(folder, valgrind())
        if native(cell)
        else BytecodeObservation(folder, probe_library())
    )
    folder.mkdir(exist_ok=True)
    if cell.user is not None:
        cell.user.own(folder)
    return begun


def native(cell: Cell) -> bool:
    """Whether the cell's program is native code, which executes no bytecodes. A service of a
    native language may be a command that starts another runtime."""
    return cell.language in NATIVE_LANGUAGES and cell.mode != "service"
