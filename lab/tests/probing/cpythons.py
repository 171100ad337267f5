"""The CPythons of this machine, and programs run in them under the probe."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from runfair.catalogue.runtime import variants
from runfair.formats.probe import Mode, ProbedProcess
from runfair.machine.native import PROBE, build_native
from runfair.probing.probed_command import probing_variables, read_side_files

PROGRAMS = Path(__file__).with_name("programs")
MIXED = PROGRAMS / "mixed.py"
MODES: tuple[Mode, ...] = ("count", "mark", "pairs", "latency")
LIMIT_S = 120.0

on_x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="probes need x86-64")


def cpythons() -> list[str]:
    """One executable of each supported version and builder, and those that the variable
    RUNFAIR_PROBED_CPYTHONS names, such as builds with tail calls. Colons separate their paths.
    """
    named = os.environ.get("RUNFAIR_PROBED_CPYTHONS", "").split(":")
    return [
        *filter(None, named),
        *(
            variant.executable
            for variant in variants()
            if variant.family == "cpython"
            and variant.state == "ready"
            and variant.executable is not None
            and variant.name == variant.runtime
            and (3, 10) <= _version(variant.version) < (3, 15)
        ),
    ]


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def probed(
    command: Sequence[str | Path],
    folder: Path,
    mode: Mode = "mark",
    bytecodes: Sequence[str] = (),
    limit_s: float = LIMIT_S,
) -> tuple[subprocess.CompletedProcess[str], list[ProbedProcess]]:
    """The command run to its end, and what its processes left."""
    folder.mkdir(exist_ok=True)
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    library = build_native(PROBE)
    done = subprocess.run(
        list(map(str, command)),
        env=given | probing_variables(library, folder, mode, bytecodes, given),
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    return done, read_side_files(folder)


def executions(process: ProbedProcess) -> dict[str, int]:
    return {each.name: each.executions for each in process.bytecodes}


def version_of(process: ProbedProcess) -> str:
    return ".".join(process.version.split(".")[:2])


def line_of(program: str, mark: str) -> int:
    """The number of the program's line that ends with the mark."""
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(mark))
