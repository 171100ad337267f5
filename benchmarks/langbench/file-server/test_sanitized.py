"""The C++ and the Go program under race detectors and sanitizers, and all under the same stress."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runfair.building.workshop import surroundings
from runfair.paths import BENCHMARKS

from .conversation import Site, connect, told
from .programs import Program
from .stress import CONNECTIONS, stress

FOLDER = Path(__file__).parent
BUILD_LIMIT_S = 300
CPP = ("g++", "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS")
# Where the kernel randomises more bits of an address than the thread sanitizer of gcc 12 knows, it
# cannot start.
STILL = ("setarch", "-R")
ROUNDS = 40
BIG = b"GET /unread.bin HTTP/1.1\r\nHost: x\r\n\r\n"


def cpp(to: Path, folder: str, *flags: str) -> list[str]:
    sources = [str(path) for path in sorted((FOLDER / folder).glob("*.cpp"))]
    include = str(BENCHMARKS / "harness" / "cpp")
    return [*CPP, *flags, "-I", include, *sources, "-pthread", "-o", str(to)]


def go(to: Path) -> list[str]:
    return ["go", "build", "-race", "-o", str(to), f"./{(FOLDER / 'go').relative_to(BENCHMARKS)}"]


def built(build: list[str], to: Path, *before: str) -> Program:
    if shutil.which(build[0]) is None:
        pytest.skip(f"no {build[0]} here")
    subprocess.run(
        build,
        cwd=BENCHMARKS,
        env=surroundings({"CGO_ENABLED": "1"}),
        timeout=BUILD_LIMIT_S,
        check=True,
    )
    # What they find ends the program with another status, and is on standard error.
    return Program("", "", [*before, str(to)], {"GORACE": "halt_on_error=1 exitcode=66"})


def survive(program: Program, folder: Path, site: Site, said: Path) -> None:
    """64 connections and more on two threads, one of whose clients never reads, to the end."""
    (folder / "files" / "unread.bin").write_bytes(bytes(4_000_000))
    with (
        program.serving(folder, said, "--threads", "2") as running,
        connect(running.port) as unread,
    ):
        unread.sendall(BIG * 20)
        for path in sorted((FOLDER / "corpus").iterdir()):
            told(running.port, path.read_bytes())
        assert stress(running.port, site, ROUNDS) > CONNECTIONS * ROUNDS / 2
        running.end()


@pytest.mark.long
def test_every_language_under_stress(
    program: Program, folder: Path, site: Site, tmp_path: Path
) -> None:
    survive(program, folder, site, tmp_path / "said")


@pytest.mark.long
@pytest.mark.parametrize("tier", ["cpp", "cpp-iterators"])
def test_races_of_cpp(tier: str, folder: Path, site: Site, tmp_path: Path) -> None:
    to = tmp_path / "program"
    program = built(cpp(to, tier, "-fsanitize=thread"), to, *STILL)
    survive(program, folder, site, tmp_path / "said")


@pytest.mark.long
@pytest.mark.parametrize("tier", ["cpp", "cpp-iterators"])
def test_memory_of_cpp(tier: str, folder: Path, site: Site, tmp_path: Path) -> None:
    to = tmp_path / "program"
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    survive(built(cpp(to, tier, *flags), to), folder, site, tmp_path / "said")


@pytest.mark.long
def test_races_of_go(folder: Path, site: Site, tmp_path: Path) -> None:
    to = tmp_path / "program"
    survive(built(go(to), to), folder, site, tmp_path / "said")
