"""A program that runs out of memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 300


@pytest.mark.usefixtures("interpreted")
def test_an_actor_without_memory_breaks_its_promise_and_the_program_goes_on() -> None:
    done = subprocess.run(
        [HERE / "newspeak", "-t", "1", HERE / "tests" / "Memory.ns"],
        env={
            **os.environ,
            "NEWSPEAK_JAVA_FLAGS": f"{os.environ['NEWSPEAK_JAVA_FLAGS']} -Xmx160m",
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "OutOfMemory\nOutOfMemory\n"), done.stderr
