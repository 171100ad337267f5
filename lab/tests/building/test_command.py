"""What takes too long is ended whole."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

import pytest

from runfair.building.command import run_command

PATIENCE_S = 20.0


def run(folder: Path, *command: str, limit_s: float = PATIENCE_S) -> tuple[int, str, str]:
    done = run_command(
        command,
        directory=folder,
        environment=os.environ,
        limit_s=limit_s,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_output_and_the_status_are_kept(tmp_path: Path) -> None:
    assert run(tmp_path, "sh", "-c", "echo said; echo why >&2; exit 3") == (3, "said\n", "why\n")


def test_an_output_that_is_no_utf_8_is_kept(tmp_path: Path) -> None:
    """A tool may write in the encoding of the user's locale."""
    assert run(tmp_path, "printf", r"ung\374ltig") == (0, "ung\ufffdltig", "")


def test_no_process_of_a_command_outlives_its_limit(tmp_path: Path) -> None:
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    # The inner process holds the pipe open until it ends.
    holding = "sleep 600 3>held & wait"
    with pytest.raises(subprocess.TimeoutExpired):
        run(tmp_path, "sh", "-c", holding, limit_s=2.0)
    ended, _, _ = select.select([reader], [], [], PATIENCE_S)
    os.close(reader)
    assert ended


def test_an_interruption_ends_every_process(tmp_path: Path) -> None:
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    # The inner process interrupts the lab, and holds the pipe open until it ends.
    holding = f"exec 3>held; (sleep 600) & sleep 1; kill -INT {os.getpid()}; wait"
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "sh", "-c", holding)
    ended, _, _ = select.select([reader], [], [], PATIENCE_S)
    os.close(reader)
    assert ended
