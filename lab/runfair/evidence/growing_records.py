"""The records of a run in progress."""

from __future__ import annotations

from runfair.evidence.reading import evidence_from
from runfair.evidence.run import RunEvidence
from runfair.formats.appended_lines import AppendedLines
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder


class GrowingRecords:
    """The records in a run's folder, to which the run still appends. Each record is read once."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._new_attempts = AppendedLines(folder.executions_file, Execution)
        self._new_readings = AppendedLines(folder.reference_file, ReferenceReading)
        self._attempts: list[Execution] = []
        self._readings: list[ReferenceReading] = []

    def evidence_of(self, part: Plan) -> RunEvidence:
        """The evidence of a part of the run's plan, from the records so far. Raises UserMistake if
        this version of runfair cannot read the folder."""
        self._attempts += self._new_attempts.read()
        self._readings += self._new_readings.read()
        return evidence_from(self.folder, part, self._attempts, self._readings)
