"""The observation of one execution of a run by a probe: of its bytecodes, of its instructions if it
executes native code, or of V8's checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from runfair.formats.plan import Cell
from runfair.formats.probe import Mode
from runfair.probing.bytecode_observation import BytecodeObservation
from runfair.probing.checks_observation import ChecksObservation
from runfair.probing.instruction_counts import COUNTED_EXECUTIONS, NATIVE_LANGUAGES, valgrind
from runfair.probing.instruction_observation import InstructionObservation
from runfair.probing.probed_command import modes_of, probe_library


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


def probed_executions(cell: Cell) -> int:
    """The number of executions of the cell under a probe."""
    return _under_probe(cell) + bool(cell.checks)


def removes_checks(cell: Cell, position: int) -> bool:
    """Whether V8's checks are removed in the execution at this position, which is then the last."""
    return bool(cell.checks) and position == _under_probe(cell)


def _under_probe(cell: Cell) -> int:
    if not cell.probe:
        return 0
    return COUNTED_EXECUTIONS if native(cell) else len(_modes(cell))


def _modes(cell: Cell) -> tuple[Mode, ...]:
    return modes_of("all" if cell.probe == "all" else "profile")


def begin_observation(cell: Cell, position: int, folder: Path) -> ProbeObservation:
    """The observation of the execution at this position among the cell's executions under the
    probe. The observation records to `folder`. Raises UserMistake if a tool is missing."""
    begun: ProbeObservation
    if removes_checks(cell, position):
        begun = ChecksObservation(folder, cell.checks)
    elif native(cell):
        begun = InstructionObservation(folder, valgrind())
    else:
        begun = BytecodeObservation(folder, probe_library(), _modes(cell)[position])
    folder.mkdir(exist_ok=True)
    if cell.user is not None:
        cell.user.own(folder)
    return begun


def native(cell: Cell) -> bool:
    """Whether the cell's program is native code, which executes no bytecodes. A service of a
    native language may be a command that starts another runtime."""
    return cell.language in NATIVE_LANGUAGES and cell.mode != "service"
