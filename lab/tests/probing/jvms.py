"""The HotSpots of this machine, and the compiled programs that tests run in them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS
from runfair.catalogue.runtime import variants

INTERPRETED = "-Xint"


def hotspots() -> list[str]:
    """One executable of each version, the default first."""
    found = [
        variant
        for variant in variants()
        if variant.language == "java" and variant.state == "ready" and variant.executable
    ]
    found.sort(key=lambda variant: not variant.default)
    return list(dict.fromkeys(str(variant.executable) for variant in found))


def first_quickly(executables: list[str]) -> list[object]:
    """The first in `./check`, the others in `./check --long`."""
    return [
        pytest.param(executable, marks=[pytest.mark.long] if at else [])
        for at, executable in enumerate(executables)
    ]


def compiled(folder: Path) -> Path:
    """A folder with the classes of all programs, for every supported version."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("apt-get install openjdk-17-jdk-headless")
    sources = sorted(PROGRAMS.glob("*.java"))
    subprocess.run([javac, "--release", "17", "-d", folder, *sources], check=True)
    return folder
