"""System packages: seen by their files, named in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runfair.catalogue.candidate import PathFolders
from runfair.errors import UserMistake
from runfair.installing import system


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    (tmp_path / "there").touch()
    file = tmp_path / "packages.toml"
    file.write_text(
        f"""
        [here]
        package = "here-pkg"
        wanted = "one thing"
        present = ["sh"]
        [file]
        package = "file-pkg"
        wanted = "another"
        present = ["{tmp_path}/th?re"]
        [absent]
        package = "b-pkg"
        wanted = "a third"
        present = ["no-such-program", "{tmp_path}/no*"]
        [absent-too]
        package = "a-pkg"
        wanted = "a fourth"
        present = ["no-such-program-[0-9]"]
        """
    )
    return file


def test_missing_ones_and_their_line(listed: Path) -> None:
    lacking = system.missing(listed)
    assert [package.name for package in lacking] == ["absent", "absent-too"]
    line = system.apt_line(lacking)
    assert line.endswith("--no-install-recommends a-pkg b-pkg")
    assert system.apt_line([]) == ""


def test_a_folder_of_path_whose_name_is_a_glob(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "[a]"
    folder.mkdir()
    (folder / "tool").touch()
    monkeypatch.setenv("PATH", str(folder))
    package = system.SystemPackage(name="a", package="a", wanted="a", present=["tool"])
    assert package.is_present(PathFolders())


def test_missing_ones_of_those_named(listed: Path) -> None:
    assert [one.name for one in system.missing(listed, ["absent-too", "here"])] == ["absent-too"]
    assert system.missing(listed, ["here"]) == []


def test_unknown_name_is_told_the_known_ones(listed: Path) -> None:
    with pytest.raises(
        UserMistake, match="for 'nonsense'; it installs packages for absent, absent-too, file, here"
    ):
        system.missing(listed, ["absent", "nonsense"])


def test_without_root_the_line_is_said(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        UserMistake, match=r"type as root: apt-get update && apt-get install .* a-pkg b-pkg"
    ):
        system.install(system.missing(listed))


def test_apt_that_fails_is_said(
    listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = system.missing(listed)
    asked = tmp_path / "asked"
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> {asked}\n[ "$1" = update ]\n')
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UserMistake, match=r"apt-get install .* failed"):
        system.install(lacking)
    assert [line.split()[:2] for line in asked.read_text().splitlines()] == [
        ["noninteractive", "update"],
        ["noninteractive", "install"],
    ]


def test_malformed_list_names_the_key(tmp_path: Path) -> None:
    file = tmp_path / "packages.toml"
    file.write_text('[a]\npackage = "a"\nwanted = 3\npresent = []\n')
    with pytest.raises(UserMistake, match=r"wanted"):
        system.packages(file)


def test_the_real_list_is_sound() -> None:
    packages = system.packages()
    assert {"clang", "gccgo", "pypy", "zero"} <= {package.name for package in packages}
    assert all(package.present and package.wanted for package in packages)
