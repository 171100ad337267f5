"""Slurm's commands. An error contains Slurm's own message in one line."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runfair.errors import UserMistake
from runfair.fleet.slurm_answer import (
    Job,
    Node,
    SlurmError,
    cause,
    described,
    parse_jobs,
    parse_nodes,
)

NEEDED = ("sinfo", "squeue", "salloc", "srun", "scancel", "scontrol")
ANSWER_LIMIT_S = 60.0
INSTALL = "apt-get install slurm-wlm"
NO_ANSWER = "Slurm's controller does not answer; check that slurmctld runs (scontrol ping)"
NEEDED_VERSION = "runfair needs Slurm 22.05 or newer, built with support for JSON"

# Slurm's commands would take the variables of the job in which this process runs for options of
# their own, such as SLURM_CPUS_PER_TASK. These variables choose a cluster instead.
_OF_JOB = ("SLURM_", "SRUN_")
# The user's own variables, such as SINFO_PARTITION, would hide nodes and jobs from the lab.
_OF_VIEWS = ("SINFO_", "SQUEUE_")
_OF_CLUSTER = frozenset({"SLURM_CONF", "SLURM_CLUSTERS", "SLURM_JWT"})
_IN_JOB = "SLURM_JOB_ID"
_UNKNOWN_JOB = "Invalid job id specified"
_NO_CONFIGURATION = "Could not establish a configuration source"


def require_installed(names: Iterable[str] = NEEDED) -> None:
    """Raises UserMistake if one of Slurm's commands is not installed. The message has the command
    that installs Slurm.
    """
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        raise UserMistake(
            f"Slurm's commands {', '.join(missing)} are missing on this machine; install them "
            f"with: {INSTALL}"
        )


def outside_job() -> dict[str, str]:
    """The environment of this process, without the variables of the job in which it may run, and
    without settings that hide nodes or jobs."""
    dropped = (*_OF_VIEWS, *(_OF_JOB if _IN_JOB in os.environ else ()))
    return {
        name: value
        for name, value in os.environ.items()
        if name in _OF_CLUSTER or not name.startswith(dropped)
    }


@dataclass(frozen=True)
class Slurm:
    """Slurm's commands, each preceded by the words `enter` (empty if Slurm runs on this host)."""

    enter: tuple[str, ...] = ()

    def nodes(self, partition: str = "") -> list[Node]:
        """All nodes, or those of a partition. Raises SlurmError if there is no such partition."""
        found = parse_nodes(self._json("sinfo", "--all", "--local", "--json"))
        if not partition:
            return found
        members = [one for one in found if partition in one.partitions]
        if not members:
            known = sorted({name for one in found for name in one.partitions})
            raise SlurmError(
                f"Slurm has no partition {partition}; its partitions are "
                f"{', '.join(known) or 'none'}"
            )
        return members

    def jobs(self, name: str = "") -> list[Job]:
        """The user's jobs with this name; all of the user's jobs if no name is given."""
        # Slurm 22.05 ignores `--me` together with `--json`, and answers with the jobs of all users.
        jobs = parse_jobs(
            self._json("squeue", "--all", "--local", "--me", "--states=all", "--json")
        )
        return [one for one in jobs if name in ("", one.name)]

    def job(self, number: int) -> Job | None:
        """The job with this number; None if Slurm no longer knows it."""
        return next((one for one in self.jobs() if one.number == number), None)

    def host_names(self, nodes: str) -> list[str]:
        """The host names of a list such as `host[1-3]`, one by one."""
        return self.output("scontrol", "show", "hostnames", nodes).split()

    def cancel(self, *numbers: int) -> None:
        """Cancels jobs. It is no error if Slurm no longer knows a job. Otherwise, the SlurmError
        says how the user can cancel the jobs."""
        if not numbers:
            return
        words = ["scancel", *map(str, numbers)]
        try:
            self.output(*words)
        except SlurmError as error:
            if _UNKNOWN_JOB not in str(error):
                raise SlurmError(
                    f"{error}; the job may still hold its nodes, so cancel it with: "
                    f"{shlex.join(words)}"
                ) from None

    def command(self, *words: str) -> list[str]:
        """A command behind `enter`. ssh joins the words for a shell on the other host, so they are
        quoted for this shell."""
        if self.enter and Path(self.enter[0]).name == "ssh":
            words = tuple(map(shlex.quote, words))
        return [*self.enter, *words]

    def output(self, *words: str) -> str:
        """The output of a command. Raises SlurmError if the command fails, hangs or is not
        installed."""
        return self._answered(*words).stdout

    def _answered(self, *words: str) -> subprocess.CompletedProcess[str]:
        try:
            done = subprocess.run(
                self.command(*words),
                env=outside_job(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_LIMIT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise SlurmError(
                f"{error.filename}, which `enter` of the machines file names, is missing on this "
                "machine; correct `enter`"
                if self.enter
                else f"{error.filename} is missing on this machine; install it with: {INSTALL}"
            ) from None
        except OSError as error:
            raise SlurmError(
                f"{error.filename} cannot be started ({error.strerror}); correct `enter` in the "
                "machines file"
                if self.enter
                else f"{error.filename} cannot be started ({error.strerror})"
            ) from None
        except subprocess.TimeoutExpired:
            raise SlurmError(
                f"{words[0]}: Slurm did not answer within {ANSWER_LIMIT_S:.0f} s"
            ) from None
        if done.returncode:
            raise self._refusal(words[0], done.stderr or done.stdout)
        return done

    def _refusal(self, command: str, said: str) -> SlurmError:
        own = f"{Path(self.enter[0]).name}: " if self.enter else None
        for line in said.splitlines():
            if own is not None and line.startswith(own):
                return SlurmError(
                    "the command `enter` of the machines file does not reach Slurm "
                    f"({line.removeprefix(own)}); if Slurm ran in a simulated cluster, start the "
                    "cluster again, and use the machines file that `cluster start` names"
                )
        told = cause(said)
        if told == _NO_CONFIGURATION:
            told += (
                "; write /etc/slurm/slurm.conf (docs/machines.md), or state the key `enter` in the "
                "machines file"
            )
        if "--json" in told:
            told += f"; {NEEDED_VERSION}"
        return SlurmError(f"{command}: {told}")

    def _json(self, *words: str) -> Any:
        done = self._answered(*words)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            first = next(filter(None, map(str.strip, done.stdout.splitlines())), "nothing")
            raise SlurmError(
                f"{words[0]} --json printed no JSON, but: {first[:80]}; {NEEDED_VERSION}"
            ) from None
        # The status is 0 even if Slurm does not answer. The lists of the answer are empty then.
        if isinstance(answer, dict) and answer.get("errors"):
            told = described(answer["errors"])
            raise self._refusal(words[0], done.stderr or told or NO_ANSWER)
        return answer
