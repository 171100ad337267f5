"""The observation of one execution of a run in which V8's checks are removed and restored."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.formats.checks import ChecksResult
from runfair.formats.plan import Cell
from runfair.formats.probe import BrokenProbeFile, ProbedExecution, write_probed
from runfair.formats.record import BrokenFile
from runfair.formats.records_file import read_record
from runfair.paths import REPOSITORY

RESULT = "checks.json"


@dataclass(frozen=True)
class ChecksObservation:
    """The observation of one execution. The checks are those of the `functions` with these names.
    A process of the lab starts the program, and writes the result to `folder`."""

    folder: Path
    functions: Sequence[str]

    def command(self, command: Sequence[str]) -> list[str]:
        """The command that starts `command` and measures its checks."""
        module = [sys.executable, "-P", "-m", "runfair.probing.checks"]
        return [*module, str(self.folder), *self.functions, "--", *command]

    def entering(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment in which Python finds the lab."""
        return {**environment, "PYTHONPATH": str(REPOSITORY / "lab")}

    def keep(self, cell: Cell, path: Path) -> str:  # noqa: ARG002 - as the bytecode probe's
        """Writes the result to `path`. If it is malformed, it returns the reason, otherwise ""."""
        try:
            checks = read_record(
                self.folder / RESULT, ChecksResult, BrokenProbeFile, "cost of V8's checks"
            )
        except BrokenFile as broken:
            return str(broken)
        write_probed(path, ProbedExecution(processes=[], checks=checks))
        shutil.rmtree(self.folder, ignore_errors=True)
        return ""
