"""Tests the C++ and the Go program under race detectors and sanitizers, and all programs under the
same stress."""

from __future__ import annotations

from pathlib import Path

import pytest

from sanitized_build import GO_ENVIRONMENT, MEMORY, STILL, THREADS, build_cpp, build_go

from .conversation import Site, connect, told
from .programs import NAME, Program
from .stress import CONNECTIONS, stress

FOLDER = Path(__file__).parent
ROUNDS = 40
BIG = b"GET /unread.bin HTTP/1.1\r\nHost: x\r\n\r\n"


def survive(program: Program, folder: Path, site: Site, said: Path) -> None:
    """Runs at least 64 connections on two threads to their end. One of the clients never reads."""
    (folder / "files" / "unread.bin").write_bytes(bytes(4_000_000))
    with (
        program.serving(folder, said, threads=2) as running,
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
@pytest.mark.parametrize("sanitizers", [THREADS, MEMORY], ids=["threads", "memory"])
@pytest.mark.parametrize("tier", ["cpp", "cpp-iterators", "plain/cpp"])
def test_cpp_under_sanitizers(
    tier: str, sanitizers: tuple[str, ...], folder: Path, site: Site, tmp_path: Path
) -> None:
    to = tmp_path / "program"
    build_cpp(FOLDER / tier, to, sanitizers)
    program = Program(NAME, "c++", tier, [*STILL, str(to)])
    survive(program, folder, site, tmp_path / "said")


@pytest.mark.long
@pytest.mark.parametrize("tier", ["go", "plain/go"])
def test_races_of_go(tier: str, folder: Path, site: Site, tmp_path: Path) -> None:
    to = tmp_path / "program"
    build_go(FOLDER / tier, to)
    program = Program(NAME, "go", "", [str(to)], GO_ENVIRONMENT)
    survive(program, folder, site, tmp_path / "said")
