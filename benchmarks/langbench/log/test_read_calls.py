"""Tests that the program of every language reads a log as a whole. A program that reads a log in
pieces also copies the pieces, which is work that the other programs do not do."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from built_program import BuiltProgram, built
from runfair.building.build_folder import changed_environment
from runfair.catalogue.benchmark import STANDARD, benchmarks

LOG_BYTES = 1_000_000
LIMIT_S = 60
# A call with data. The last call of some libraries has none, because they look for the end.
READ = re.compile(r"\b(?:read|pread64|readv|preadv2?)\(\d+<(?P<path>[^>]*)>.* = [1-9]\d*$")
# The call for the data, and one for a rest that an internal buffer takes.
MOST_CALLS = 2
LANGUAGES = [one.language for one in benchmarks()["log-indexed"].programs if one.tier == STANDARD]


def read_calls(program: BuiltProgram, log: Path, trace: Path) -> int:
    """The number of calls that read the log in one iteration of the form `indexed`."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace here: apt-get install strace")
    calls = "trace=read,pread64,readv,preadv,preadv2"
    watched = [strace, "-f", "-y", "-e", calls, "-o", str(trace), *program.timed.command]
    subprocess.run(
        [*watched, *program.options(input=log.parent, form="indexed")],
        cwd=program.timed.directory,
        env=changed_environment(program.timed.environment),
        stdout=subprocess.DEVNULL,
        timeout=LIMIT_S,
        check=True,
    )
    found = map(READ.search, trace.read_text(errors="replace").splitlines())
    return sum(one is not None and one["path"] == str(log) for one in found)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_log_is_read_by_one_call(language: str, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "one.log"
    log.parent.mkdir()
    line = "17/06/09 20:10:40 INFO one: two=3 4\n"
    log.write_text(line * (LOG_BYTES // len(line)))
    calls = read_calls(built("log-indexed", language), log, tmp_path / "trace")
    assert 1 <= calls <= MOST_CALLS
