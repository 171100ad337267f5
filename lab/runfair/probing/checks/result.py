"""The result of a measurement of the checks in V8's optimised code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runfair.errors import InvalidResult
from runfair.formats.checks import ChecksResult
from runfair.probing.checks.cost import Effort, measure
from runfair.probing.checks.known_check import negative_control
from runfair.probing.checks.patched_process import PatchedProcess, Start


def measured_checks(
    start: Start, names: Sequence[str], effort: Effort, scratch: Path
) -> ChecksResult:
    """The costs of the checks in the functions with these names, from the start of the program to
    its end. Raises UserMistake or InvalidResult with the reason if there is no result."""
    with PatchedProcess(start) as process:
        control = negative_control(process.executable, scratch / "control")
        measured = measure(process, names, effort)
        if (status := process.end()) != 0:
            raise InvalidResult(f"{start.command[0]} ended with status {status}")
        return ChecksResult(
            command=list(start.command),
            runtime="node",
            version=process.version,
            functions=list(names),
            rounds=measured.rounds,
            iterations_each=measured.iterations_each,
            cpu_ns=measured.cpu_ns,
            restored_bytes=measured.restored_bytes,
            differing=measured.selection.differing,
            codes=measured.selection.summaries(names),
            places=measured.selection.places(),
            costs=measured.costs,
            control=control,
        )
