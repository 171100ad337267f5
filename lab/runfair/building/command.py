"""Commands that leave no process behind when they take too long or are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO


def run_command(
    command: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    limit_s: float,
    stdout: int | IO[bytes],
    stderr: int,
) -> subprocess.CompletedProcess[str]:
    """Runs a command without input. If it takes longer than `limit_s`, or if runfair is
    interrupted, every process that the command started is killed. Raises OSError if the command
    cannot be started, and TimeoutExpired.
    """
    with subprocess.Popen(
        list(command),
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit_s)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()  # `with` does not wait after an interruption
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)
