"""Sanitizers and the race detector, which take longer than the budget: `./check --long`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from checking.cpp import SANITIZERS, self_testing_programs
from checking.step import Step, command
from checking.testing import pytest, verify
from checking.toolchain import toolchain
from runfair.paths import BENCHMARKS, private_folder

CATALOGUE = Path(__file__).with_name("sanitized.toml")


def sanitizing() -> Iterator[Step]:
    compiler = toolchain("gcc")
    for program in self_testing_programs():
        yield program.step(compiler, SANITIZERS)
    # A private folder of its own: what is in the catalogue here alone would otherwise be
    # remembered as having vanished.
    yield verify(
        "verify C++ under sanitizers",
        [sys.executable, "-m", "runfair", "verify", "--runtimes", "gcc-sanitized"],
        environment={
            **os.environ,
            "RUNFAIR_RUNTIMES": str(CATALOGUE),
            "RUNFAIR_PRIVATE": str(private_folder() / "check" / "sanitized"),
        },
    )
    yield pytest(
        "launcher under sanitizers",
        ["lab/tests/launcher"],
        environment={**os.environ, "RUNFAIR_LAUNCHER_FLAGS": " ".join(SANITIZERS)},
    )
    go = toolchain("go")
    yield command(
        "races of Go", [go.path, "test", "-race", "./..."], needs=go, directory=BENCHMARKS
    )
