"""Builds C++ and Go programs with sanitizers and race detectors, for their tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runfair.building.build_folder import changed_environment
from runfair.paths import BENCHMARKS

BUILD_LIMIT_S = 300
THREADS = ("-fsanitize=thread",)
MEMORY = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# The thread sanitizer of gcc 12 cannot start if the kernel randomises more bits of an address than
# it supports.
STILL = ("setarch", "-R")
# If the detector finds an error, it prints it to standard error and ends the program with another
# status.
GO_ENVIRONMENT = {"GORACE": "halt_on_error=1 exitcode=66"}
_CPP = ("g++", "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS")


def build_cpp(folder: Path, to: Path, sanitizers: tuple[str, ...]) -> None:
    """Builds the sources of the folder as one program. Skips the test if there is no compiler."""
    sources = sorted(folder.glob("*.cpp"))
    harness = BENCHMARKS / "harness" / "cpp"
    _build([*_CPP, *sanitizers, "-I", harness, *sources, "-pthread", "-o", to])


def build_go(folder: Path, to: Path, tags: str = "") -> None:
    """Builds the program of the folder with the race detector. Skips the test if there is no
    compiler."""
    package = f"./{folder.relative_to(BENCHMARKS)}"
    _build(["go", "build", "-race", "-buildvcs=false", "-tags", tags, "-o", to, package])


def _build(command: list[str | Path]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    subprocess.run(
        command,
        cwd=BENCHMARKS,
        env=changed_environment({"CGO_ENABLED": "1"}),
        timeout=BUILD_LIMIT_S,
        check=True,
    )
