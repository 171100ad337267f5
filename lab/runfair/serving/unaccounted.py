"""The accounting of a server whose processes nobody took account of."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.launch import LaunchOutcome, LaunchReport
from runfair.formats.plan import Cell


def unaccounted(cell: Cell, failure: str, processors: Sequence[int]) -> LaunchReport:
    """What stands in the place of an accounting that nobody took: of a service that was found
    running, or of one that there was no starting."""
    found = cell.service is not None and cell.service.kind == "url"
    outcome = LaunchOutcome(state="found_running")
    if not found:
        outcome = LaunchOutcome(state="not_started", error=failure)
    return LaunchReport.unaccounted(outcome, processors)
