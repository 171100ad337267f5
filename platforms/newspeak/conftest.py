"""What all tests of Newspeak need: its command, built once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

COMMAND = Path(__file__).parent / "newspeak"
QUICKLY_STARTED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
BUILDING_LIMIT_S = 900  # the first start fetches Truffle and compiles, while other processes run


@pytest.fixture(scope="session", autouse=True)
def version() -> str:
    """The version that the command prints. The tests are skipped if the command cannot be built."""
    done = subprocess.run(
        [COMMAND, "--version"],
        capture_output=True,
        text=True,
        timeout=BUILDING_LIMIT_S,
        check=False,
    )
    if done.returncode == 2 and ("JDK" in done.stderr or "fetch" in done.stderr):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def quickly_started_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of a test runs for seconds, too short for the JVM's optimising compiler and for a
    concurrent collector. Graal still compiles hot Newspeak methods."""
    monkeypatch.setenv("NEWSPEAK_JAVA_FLAGS", QUICKLY_STARTED)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same JVM without Graal, for programs that run for a moment."""
    flags = f"{QUICKLY_STARTED} -Dpolyglot.engine.Compilation=false"
    monkeypatch.setenv("NEWSPEAK_JAVA_FLAGS", flags)


@pytest.fixture
def default_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The JVM that users have."""
    monkeypatch.delenv("NEWSPEAK_JAVA_FLAGS")
