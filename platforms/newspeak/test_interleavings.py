"""Races of the implementation, each replayed in the one order of steps that once was wrong.

Each program in `tests/interleavings` is part of the package that it tests. A hook of the tested
class runs the other thread's steps at the critical place.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMAND = HERE / "newspeak"
PROGRAMS = sorted((HERE / "tests" / "interleavings").glob("*.java"))
BUILDING_LIMIT_S = 300
LIMIT_S = 60  # a receiver that waits for a message that it cannot reach waits for ever


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the implementation's classes."""
    folder = tmp_path_factory.mktemp("staged")
    subprocess.run([COMMAND, "--stage", folder], check=True, timeout=BUILDING_LIMIT_S)
    return folder


@pytest.fixture(scope="module")
def jdk() -> Path:
    """The JDK that the command found."""
    done = subprocess.run(
        [COMMAND, "--version"],
        env={**os.environ, "NEWSPEAK_JAVA_FLAGS": "-XshowSettings:properties"},
        capture_output=True,
        text=True,
        check=True,
        timeout=BUILDING_LIMIT_S,
    )
    home = re.search(r"^ +java\.home = (.*)$", done.stderr, re.MULTILINE)
    assert home, done.stderr
    return Path(home[1])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_interleaving(program: Path, staged: Path, jdk: Path, tmp_path: Path) -> None:
    path = f"{tmp_path}:{staged / 'classes'}:{staged / 'lib'}/*"
    subprocess.run(
        [jdk / "bin" / "javac", "-proc:none", "-cp", path, "-d", tmp_path, program],
        check=True,
        timeout=BUILDING_LIMIT_S,
    )
    text = program.read_text(encoding="utf-8")
    package = re.search(r"^package (.*);$", text, re.MULTILINE)
    assert package
    done = subprocess.run(
        [jdk / "bin" / "java", "-cp", path, f"{package[1]}.{program.stem}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
