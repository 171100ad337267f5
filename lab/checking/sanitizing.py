"""Steps under sanitizers and race detectors. The steps exceed the time budget and run only in
`./check --long`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from checking.cpp import SANITIZERS, self_testing_programs
from checking.step import Step, command
from checking.testing import pytest, threaded, verify
from checking.toolchain import GO, toolchain
from runfair.paths import BENCHMARKS, private_folder

CATALOGUE = Path(__file__).with_name("sanitized.toml")
SANITIZED = "gcc-sanitized-*+sanitized"
RACED = ("gcc-sanitized-*+raced", "go-sanitized-*+raced")


def sanitizing() -> Iterator[Step]:
    compiler = toolchain("gcc")
    for program in self_testing_programs():
        yield program.step(compiler, SANITIZERS)
    # These steps have a separate private folder. Otherwise runtimes that only this catalogue
    # contains would later be reported as vanished.
    environment = {
        **os.environ,
        "RUNFAIR_RUNTIMES": str(CATALOGUE),
        "RUNFAIR_PRIVATE": str(private_folder() / "check" / "sanitized"),
    }
    whole = [sys.executable, "-m", "runfair", "verify"]
    yield verify(
        "verify C++ under sanitizers", [*whole, "--runtimes", SANITIZED], environment=environment
    )
    races = [word for name in RACED for word in ("--runtimes", name)]
    yield verify(
        "verify C++ and Go under race detectors",
        # The detector of gcc 12 cannot start if the kernel randomises more bits of an address than
        # it supports.
        ["setarch", "-R", *whole, *threaded(), "--threads", "4", *races],
        environment=environment,
    )
    yield pytest(
        "launcher under sanitizers",
        ["lab/tests/launcher"],
        environment={**os.environ, "RUNFAIR_LAUNCHER_FLAGS": " ".join(SANITIZERS)},
    )
    go = toolchain("go", GO)
    yield command(
        "races of Go", [go.path, "test", "-race", "./..."], needs=go, directory=BENCHMARKS
    )
