"""The version of runfair that a plan records."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import runfair
from runfair.experiment.own_version import own_version

COMMIT = re.compile(rf"{re.escape(runfair.__version__)} \(commit [0-9a-f]{{12}}(-dirty)?\)")
IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]


def git(folder: Path, *words: str) -> str:
    command = ["git", *IDENTITY, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def clone(folder: Path) -> Path:
    folder.mkdir()
    (folder / "file").write_text("1")
    git(folder, "init", "-q")
    git(folder, "add", "file")
    git(folder, "commit", "-qm", "first")
    git(folder, "tag", "-am", "v1", "v1")
    return folder


def test_a_clone_names_its_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    folder = clone(tmp_path / "clone")
    commit = git(folder, "rev-parse", "--short=12", "HEAD").strip()
    assert own_version(folder) == f"{runfair.__version__} (commit {commit})"
    (folder / "file").write_text("2")
    assert own_version(folder) == f"{runfair.__version__} (commit {commit}-dirty)"


def test_the_clone_is_not_written(tmp_path: Path) -> None:
    folder = clone(tmp_path / "clone")
    index = folder / ".git" / "index"
    before = index.stat()
    (folder / "file").touch()
    assert not own_version(folder).endswith("-dirty)")
    assert (index.stat().st_ino, index.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_clone_without_a_commit_names_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert own_version(tmp_path) == runfair.__version__


def test_a_worktree_is_a_clone_too(tmp_path: Path) -> None:
    folder = clone(tmp_path / "clone")
    git(folder, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert own_version(tmp_path / "tree") == own_version(folder)
    assert COMMIT.fullmatch(own_version(folder))


def test_an_unpacked_archive_has_no_commit_even_below_a_repository(tmp_path: Path) -> None:
    folder = clone(tmp_path / "clone") / "unpacked"
    folder.mkdir()
    assert own_version(folder) == runfair.__version__


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_the_repository_of_a_hook_is_not_taken_for_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = clone(tmp_path / "clone")
    version = own_version(folder)
    assert COMMIT.fullmatch(version)
    monkeypatch.setenv(name, str(tmp_path / "another"))
    assert own_version(folder) == version


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = clone(tmp_path / "clone")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_version(folder) == runfair.__version__
