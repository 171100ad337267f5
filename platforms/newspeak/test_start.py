"""How the command starts: from a cache of classes on a copy of the JDK, else on the JDK itself."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMAND = HERE / "newspeak"
HELLO = HERE / "tests" / "snippets" / "Hello.ns"
LIMIT_S = 600  # ends a command that hangs; on a busy machine the slowest takes minutes


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end. If it hangs, the test fails."""
    return subprocess.run(
        [COMMAND, *words], capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


@pytest.fixture
def jdk(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The JDK that the command starts."""
    given = os.environ.get("NEWSPEAK_JAVA_HOME")
    found = Path(given) if given else next(Path("/usr/lib/jvm").glob("temurin-25*"))
    monkeypatch.setenv("NEWSPEAK_JAVA_HOME", str(found))
    return found


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private folder of the test. It contains what was built, but no copy of the JDK."""
    built = Path(os.environ.get("RUNFAIR_PRIVATE", HERE.parents[1] / ".runfair")) / "newspeak"
    own = tmp_path / "private" / "newspeak"
    own.mkdir(parents=True)
    for kept in (one for name in ("classes-*", "lib", "tools") for one in built.glob(name)):
        (own / kept.name).symlink_to(kept)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    return own


def test_the_classes_come_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Almost all of the implementation and of Truffle's compiler, not only of the JDK."""
    monkeypatch.setenv("NEWSPEAK_JAVA_FLAGS", "-Xlog:class+load")
    done = run(HELLO)
    ours = re.findall(r"\] (?:newspeak|jdk\.graal)\.\S+ source: (.+)", done.stdout)
    assert len(ours) > 1000
    assert ours.count("shared objects file") > 0.9 * len(ours)


def test_where_no_copy_of_the_jdk_can_be_made_the_jdk_itself_starts(
    tmp_path: Path, jdk: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JDK without jlink stands for all reasons."""
    poor = tmp_path / "jdk"
    (poor / "bin").mkdir(parents=True)
    for name in ("release", "bin/java", "bin/javac"):
        (poor / name).symlink_to(jdk / name)
    monkeypatch.setenv("NEWSPEAK_JAVA_HOME", str(poor))
    with subprocess.Popen([COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
        assert session.stdin and session.stdout
        session.stdin.write(b"3 + 4\n")
        session.stdin.flush()
        assert session.stdout.readline() == b"7\n"
        with (own / "lock").open() as lock:  # a program that runs does not keep it
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        session.stdin.close()
        assert session.wait(LIMIT_S) == 0
    assert not list(own.glob("java-*"))


def copy_of_jdk(jdk: Path, own: Path, script: str) -> Path:
    """Makes a script the java of the copy of the JDK, and answers its path."""
    name = hashlib.sha256((jdk / "release").read_bytes()).hexdigest()[:16]
    java = own / f"java-{name}" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    java.chmod(0o755)
    return java


def test_where_the_jvm_writes_no_cache_the_jdk_itself_starts(jdk: Path, own: Path) -> None:
    """The JVM succeeds if only the process that was to write the cache failed."""
    copy_of_jdk(jdk, own, "exit 0")
    done = run(HELLO)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hi\n1\n", "")


def test_what_an_interrupted_start_left_does_not_become_the_cache(jdk: Path, own: Path) -> None:
    half = 'for word; do case $word in *Output=*) echo half >"${word#*=}" ;; esac; done'
    java = copy_of_jdk(jdk, own, f"{half}\nexit 1")
    assert run(HELLO).returncode == 0
    java.write_text("#!/bin/sh\n", encoding="utf-8")
    done = run(HELLO)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hi\n1\n", "")
    assert not list(own.glob("fast-*/cache.aot"))
