"""A process on a processor of its own, with its CPU time, and with the probe's results if it runs
under the probe.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runfair.formats.probe import Mode, ProbedProcess
from runfair.machine.processors import assign
from runfair.probing.probed_command import (
    probe_library,
    probing_variables,
    read_side_files,
    why_nothing,
)


@dataclass(frozen=True)
class Ended:
    """A process that ended with status 0. `cpu_ns` is the user and system time of the process and
    of its child processes. `probed` has the side files of the probed processes."""

    cpu_ns: int
    output: bytes
    probed: list[ProbedProcess] = field(default_factory=list)


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    mode: Mode | None = None,
    directory: str | None = None,
) -> Ended:
    """Runs the command to its end, under the probe if `mode` is given. Ends this program with the
    reason if the command fails or is not probed."""
    if mode is None:
        return _run(command, environment, directory)
    with tempfile.TemporaryDirectory(prefix="runfair-probe-") as name:
        folder = Path(name)
        loading = probing_variables(probe_library(), folder, mode, (), environment)
        ended = _run(command, {**environment, **loading}, directory)
        processes = read_side_files(folder)
    refused = [process.refused for process in processes if process.refused]
    if reason := refused[0] if refused else why_nothing(command, processes):
        raise SystemExit(f"{command[0]} was not probed: {reason}")
    return Ended(ended.cpu_ns, ended.output, processes)


def _run(command: Sequence[str], environment: Mapping[str, str], directory: str | None) -> Ended:
    processors = assign(1).measured
    before_ns = _cpu_ns()
    done = subprocess.run(
        list(command),
        cwd=directory,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
        check=False,
    )
    if done.returncode != 0:
        errors = done.stderr.decode(errors="replace")
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}\n{errors}")
    return Ended(_cpu_ns() - before_ns, done.stdout)


def _cpu_ns() -> int:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((usage.ru_utime + usage.ru_stime) * 1e9)
