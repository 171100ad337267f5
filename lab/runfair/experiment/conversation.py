"""One whole run of a program that nobody measures: what it says, from its start to its end."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from runfair.experiment.executor import environment_of
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.formats.variant import Artefact
from runfair.machine.last_words import last_words
from runfair.machine.launching import Launcher

TIMEOUT_S = 600.0


def converse(
    artefact: Artefact,
    options: Sequence[str],
    launcher: Launcher,
    processors: Sequence[int],
    timeout_s: float = TIMEOUT_S,
) -> Transcript:
    """One whole run of a program; ContractBroken where it ends or speaks otherwise than it must."""
    transcript = Transcript()
    with tempfile.TemporaryDirectory(prefix="runfair-verify-") as scratch:
        folder = Path(scratch)
        with launcher.start(
            [*artefact.command, *options],
            report=folder / "launch.json",
            stdout=folder / "stdout",
            stderr=folder / "stderr",
            environment=environment_of(artefact),
            directory=Path(artefact.directory),
            processors=processors,
            timeout_s=timeout_s,
        ) as launch:
            report = launch.wait()
        end = report.outcome
        if end.state != "exited" or end.exit_status != 0:
            how = end.error or (
                f"exit status {end.exit_status}"
                if end.state == "exited"
                else f"{end.state.replace('_', ' ')} {end.signal or ''}".strip()
            )
            raise ContractBroken(f"{how}{last_words(folder / 'stderr')}")
        transcript.feed((folder / "stdout").read_bytes())
        transcript.finish()
    return transcript
