"""`lab/environment.sh` and `check`, with an interpreter that only pretends to install."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from runfair.paths import REPOSITORY

PATIENCE_S = 60.0

# Answers as Python does to what the shell asks of it; `venv` copies it to where the environment's
# interpreter belongs. A line for each call goes to $FAKE/calls.
FAKE_PYTHON = """#!/bin/sh
set -eu
option=
case "$1" in -I | -P) option=$1; shift ;; esac
case "$1 $2" in "-X utf8") option="$option $1 $2"; shift 2 ;; esac
case "$1 $2" in
    "-c import sys, venv"*) ;;
    "-c import sys, sysconfig"*) [ -e "$0.optimised" ] ;;
    "-c import sys; print"*) echo "$0" ;;
    "-c import rich") [ ! -e "$FAKE/another-version" ] ;;
    "-m venv") echo venv >>"$FAKE/calls"
        [ ! -e "$FAKE/venv-fails" ] || { echo "no space left"; exit 1; }
        mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    "-m pip") echo "pip ${PIP_TARGET:-}" >>"$FAKE/calls"
        while [ -e "$FAKE/pip-waits" ]; do sleep 0.02; done
        [ ! -e "$FAKE/pip-fails" ] || { echo "ERROR: no such host"; exit 1; } ;;
    "-m runfair") echo "$option $PYTHONPATH $RUNFAIR_GIVEN_PYTHONPATH" ;;
    "-m checking") echo "$PYTHONPATH"; pwd; shift 2; printf '<%s>' "$@" ;;
    *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""
USE = '. "$1/lab/environment.sh"; environment "$1" run; echo "$python"; echo "$RUNFAIR_PRIVATE"'


@dataclass
class Clone:
    """A repository as far as the shell is concerned, below a folder whose name has spaces."""

    repository: Path
    fake: Path
    environment: dict[str, str]
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def private(self) -> Path:
        return self.repository / ".runfair"

    @property
    def calls(self) -> list[str]:
        file = self.fake / "calls"
        return [line.strip() for line in file.read_text().splitlines()] if file.exists() else []

    def switch(self, name: str, on: bool = True) -> None:
        if on:
            (self.fake / name).touch()
        else:
            (self.fake / name).unlink()

    def start(self, **changes: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            ["sh", "-euc", USE, "sh", str(self.repository)],
            env=self.environment | changes,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def use(self, **changes: str) -> tuple[int, str, str]:
        process = self.start(**changes)
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def refused(self, **changes: str) -> str:
        """The one line of ours, where there must be a mistake of the user's."""
        status, out, err = self.use(**changes)
        assert (status, out) == (2, "")
        (line,) = (
            line
            for line in err.splitlines()
            if line.startswith("runfair: ") and "makes its private Python environment" not in line
        )
        return line

    def wait_for_call(self, call: str, times: int = 1) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.calls.count(call) < times:
            assert time.monotonic() < deadline, f"{call} was not called"
            time.sleep(0.01)


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    repository = tmp_path / "a place with spaces" / "clone"
    (repository / "lab").mkdir(parents=True)
    for name in ("check", "runfair", "lab/environment.sh"):
        shutil.copy(REPOSITORY / name, repository / name)
    for use in ("run", "check"):
        (repository / "lab" / f"requirements-{use}.lock").write_text("numpy==1\n")
    fake = tmp_path / "fake"
    fake.mkdir()
    python = fake / "python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    # HOME is not there at all.
    environment = {"PATH": os.defpath, "FAKE": str(fake), "RUNFAIR_PYTHON": str(python)}
    made = Clone(repository, fake, environment)
    yield made
    for process in made.started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_the_environment_is_made_once(clone: Clone) -> None:
    status, out, err = clone.use()
    python = clone.private / "environment-run" / "bin" / "python"
    assert (status, out.splitlines()) == (0, [str(python), str(clone.private)])
    assert "about a minute" in err
    assert clone.use() == (0, out, "")
    assert clone.calls == ["venv", "pip"]


def test_an_optimised_interpreter_is_preferred(clone: Clone) -> None:
    for name in ("python3", "python3.12", "python3.11"):
        shutil.copy(clone.fake / "python", clone.fake / name)
    only_these = {"RUNFAIR_PYTHON": "", "PATH": f"{clone.fake}:{os.defpath}"}
    chosen = 'cd "$1"; . lab/environment.sh; interpreter'

    def interpreter() -> str:
        command = ["sh", "-euc", chosen, "sh", str(clone.repository)]
        environment = clone.environment | only_these
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip()).name

    (clone.fake / "python3.11.optimised").touch()
    assert interpreter() == "python3.11"
    (clone.fake / "python3.optimised").touch()
    assert interpreter() == "python3"


def test_another_lock_or_a_broken_interpreter_makes_it_anew(clone: Clone) -> None:
    clone.use()
    (clone.repository / "lab" / "requirements-run.lock").write_text("numpy==2\n")
    assert clone.use()[0] == 0
    assert clone.calls.count("venv") == 2
    (clone.private / "environment-run" / "bin" / "python").unlink()
    assert clone.use()[0] == 0
    assert clone.calls.count("venv") == 3


def test_an_interpreter_that_became_another_version_gets_its_packages(clone: Clone) -> None:
    clone.use()
    clone.switch("another-version")
    assert clone.use()[0] == 0
    assert clone.calls == ["venv", "pip"] * 2


def test_without_a_registry_one_line_says_so_and_the_next_use_tries_again(clone: Clone) -> None:
    clone.switch("pip-fails")
    line = clone.refused()
    assert "whether a package registry is reachable" in line
    assert str(clone.private / "environment.log") in line
    clone.switch("pip-fails", on=False)
    assert clone.use()[0] == 0
    assert clone.calls == ["venv", "pip"] * 2


def test_an_environment_that_cannot_be_made_is_said(clone: Clone) -> None:
    clone.switch("venv-fails")
    assert "the Python environment could not be made" in clone.refused()
    assert clone.calls == ["venv"]


def test_an_interrupted_one_is_made_anew(clone: Clone) -> None:
    clone.switch("pip-waits")
    process = clone.start()
    clone.wait_for_call("pip")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE_S)
    clone.switch("pip-waits", on=False)
    assert clone.use()[0] == 0
    assert clone.calls == ["venv", "pip"] * 2


def test_two_at_once_make_one(clone: Clone) -> None:
    clone.switch("pip-waits")
    first = clone.start()
    clone.wait_for_call("pip")
    second = clone.start()
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(0.3)
    clone.switch("pip-waits", on=False)
    outcomes = [process.communicate(timeout=PATIENCE_S)[0] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert outcomes[0] == outcomes[1]
    assert clone.calls == ["venv", "pip"]


def test_a_private_folder_that_cannot_be_written_is_said(clone: Clone) -> None:
    file = clone.fake / "file"
    file.touch()
    line = clone.refused(RUNFAIR_PRIVATE=str(file / "private"))
    said = "cannot be written; set the environment variable RUNFAIR_PRIVATE"
    assert f"{file / 'private'} {said}" in line


def test_a_private_folder_elsewhere_leaves_the_repository_alone(clone: Clone) -> None:
    before = sorted(clone.repository.rglob("*"))
    elsewhere = clone.fake / "private folder"
    status, out, _ = clone.use(RUNFAIR_PRIVATE=str(elsewhere))
    assert (status, out.splitlines()[1]) == (0, str(elsewhere))
    assert sorted(clone.repository.rglob("*")) == before


def test_an_interpreter_that_does_not_suit_is_named(clone: Clone) -> None:
    assert "RUNFAIR_PYTHON names /bin/false, which is not Python 3.11" in clone.refused(
        RUNFAIR_PYTHON="/bin/false"
    )


def test_a_users_settings_do_not_lead_packages_elsewhere(clone: Clone) -> None:
    assert clone.use(PIP_TARGET="/elsewhere", PYTHONHOME="/nowhere")[0] == 0
    assert clone.calls == ["venv", "pip"]


@pytest.mark.parametrize("own", ["", "/own"])
def test_the_users_own_modules_do_not_change_the_lab(clone: Clone, own: str) -> None:
    """Neither those of the current folder nor those of PYTHONPATH."""
    done = subprocess.run(
        [clone.repository / "runfair"],
        env=clone.environment | ({"PYTHONPATH": own} if own else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"-P -X utf8 {clone.repository / 'lab'} {own}\n"


def test_check_starts_from_anywhere_and_through_a_link(clone: Clone, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(clone.repository / "check")
    for command in (str(link), str(clone.repository / "check")):
        done = subprocess.run(
            [command, "--only", "two words"],
            cwd="/",
            env=clone.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == [
            str(clone.repository / "lab"),
            str(clone.repository),
            "<--only><two words>",
        ]
