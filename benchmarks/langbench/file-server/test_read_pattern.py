"""Tests that every program of the standard tier reads a file by one call, and that the study's
iterators do not."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from built_program import built

from . import read_pattern
from .programs import NAME, standard_languages

SIZE = 1_000_000


def traced(language: str, tier: str) -> dict[str, float]:
    if shutil.which("strace") is None:
        pytest.skip("strace is missing: apt-get install strace")
    allowed = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False)
    if allowed.returncode != 0:
        pytest.skip("ptrace is not allowed here")
    return read_pattern.pattern(built(NAME, language, tier).timed, SIZE)


@pytest.mark.long
@pytest.mark.parametrize("language", standard_languages())
def test_one_read_a_file(language: str) -> None:
    calls = traced(language, "standard")
    assert (calls["open"], calls["read"], calls["map"], calls["send"]) == (1, 1, 0, 0)
    assert 1 <= calls["stat"] <= 2


@pytest.mark.long
def test_iterators_read_piece_by_piece() -> None:
    assert traced("c++", "iterators")["read"] > 50


def test_only_calls_on_the_file_are_counted() -> None:
    trace = """\
7 openat(AT_FDCWD</>, "/in/files/served.log", O_RDONLY) = 9</in/files/served.log>
7 read(8<socket:[1]>, "GET /served.log HTTP/1.1\\r\\nHost: "..., 65536) = 88
7 pread64(9</in/files/served.log>,  <unfinished ...>
8 openat(AT_FDCWD</>, "/in/files/other.log", O_RDONLY) = 10</in/files/other.log>
7 <... pread64 resumed>"xxx"..., 1000000, 0) = 1000000
[pid 7] sendfile(5<socket:[1]>, 9</in/files/served.log>, [0], 1000) = 1000
"""
    assert read_pattern.of_the_file(trace) == {"open": 1, "read": 1, "send": 1}
