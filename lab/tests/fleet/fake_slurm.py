"""Slurm's command line without a cluster: scripts that answer from files in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runfair.fleet.slurm import Slurm

RECORDED = Path(__file__).parent / "recorded"

States = str | list[str]  # a list since Slurm 23.11


def until(condition: str) -> str:
    """A script that waits until a condition of the shell holds, for at most some minutes."""
    return f"for _ in $(seq 5000); do {condition} && break; sleep 0.02; done"


class FakeSlurm:
    """The commands of a Slurm with at most one job. Each command appends its words to a log."""

    def __init__(self, folder: Path, number: int = 7, name: str = "run") -> None:
        self.folder = folder
        self.number = number
        self.name = name
        self._write("sinfo", f"cat {RECORDED / 'sinfo-22.05.json'}")
        self._write("scontrol", "echo host1; echo host2")
        self._write("srun", "echo stepped")
        self._write("scancel", "if [ -e cancelled.json ]; then mv cancelled.json squeue.json; fi")
        self._write("squeue", "cat squeue.json")
        self.queue("")
        self.salloc(f"salloc: Granted job allocation {number}")

    @property
    def slurm(self) -> Slurm:
        return Slurm(("env", f"PATH={self.folder}:/usr/bin:/bin"))

    def salloc(
        self,
        *lines: str,
        state: str = "RUNNING",
        reason: str = "None",
        then: str = "",
        status: int = 0,
    ) -> None:
        """When salloc is called, the job gets this state, and these lines go to standard error."""
        (self.folder / "asked.json").write_text(self._job(state, reason))
        said = "".join(f"echo '{line}' >&2\n" for line in lines)
        self._write("salloc", f"mv asked.json squeue.json\n{said}{then}\nexit {status}")

    def queue(self, state: States, reason: str = "None", after_cancel: States = "") -> None:
        """The job's state until another command changes it; no job if the state is empty."""
        (self.folder / "squeue.json").write_text(self._job(state, reason))
        if after_cancel:
            (self.folder / "cancelled.json").write_text(self._job(after_cancel, "None"))

    def called(self, command: str) -> list[str]:
        """The words of each call of this command, in order."""
        log = self.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.split()[0] == command]

    def _job(self, state: States, reason: str) -> str:
        """What squeue answers if there is a job in this state."""
        entry: dict[str, Any] = {
            "job_id": self.number,
            "name": self.name,
            "job_state": state,
            "state_reason": reason,
            "state_description": "",
            "nodes": "host[1-2]",
        }
        return json.dumps({"jobs": [entry] if state else []})

    def _write(self, name: str, script: str) -> None:
        program = self.folder / name
        program.write_text(f'#!/bin/sh\ncd {self.folder}\necho {name} "$@" >>calls\n{script}\n')
        program.chmod(0o755)
