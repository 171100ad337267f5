"""Builds the launcher once, and starts it with little Python programs as what is measured."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runfair.machine.native import LAUNCHER, build_native

SOURCES = Path(__file__).resolve().parents[2] / "launcher"
PATIENCE_S = 60.0

Report = dict[str, Any]


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs `code` in an interpreter that starts fast and imports little."""
    return [sys.executable, "-I", "-S", "-c", code, *arguments]


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Returns when the condition holds; fails the test when it does not in PATIENCE_S."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"not in {PATIENCE_S} s: {what}")
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether the process runs; one that waits to be reaped does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def numbers_in(file: Path) -> list[int]:
    """The process numbers a program has written to the file, one a line."""
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@dataclass
class Launcher:
    """The built launcher and the folder its reports go to."""

    binary: Path
    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def report_file(self) -> Path:
        return self.folder / "report.json"

    def command(self, options: Iterable[str], program: Iterable[str]) -> list[str]:
        return [str(self.binary), "--report", str(self.report_file), *options, "--", *program]

    def start(
        self, program: list[str], *options: str, pass_fds: Iterable[int] = ()
    ) -> subprocess.Popen[bytes]:
        """Starts it with a lifeline, whose write end is the returned process's `stdin`."""
        process = subprocess.Popen(
            self.command(options, program), stdin=subprocess.PIPE, pass_fds=tuple(pass_fds)
        )
        self.started.append(process)
        return process

    def finish(self, process: subprocess.Popen[bytes]) -> Report:
        """Waits for the launcher's end and returns its report."""
        assert process.wait(PATIENCE_S) == 0
        return self.read_report()

    def read_report(self) -> Report:
        report: Report = json.loads(self.report_file.read_text())
        assert report["schema_version"] == 1
        return report

    def run(self, program: list[str], *options: str) -> Report:
        """Starts it without a lifeline, and returns its report."""
        process = subprocess.Popen(self.command(options, program), stdin=subprocess.DEVNULL)
        self.started.append(process)
        return self.finish(process)


@pytest.fixture(scope="session")
def launcher_binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab's own launcher, or one that is built here if RUNFAIR_LAUNCHER_CXX (default g++) or
    RUNFAIR_LAUNCHER_FLAGS is set."""
    if not {"RUNFAIR_LAUNCHER_CXX", "RUNFAIR_LAUNCHER_FLAGS"} & os.environ.keys():
        return build_native(LAUNCHER)
    binary = tmp_path_factory.mktemp("launcher") / "runfair-launch"
    compiler = shlex.split(os.environ.get("RUNFAIR_LAUNCHER_CXX", "g++"))
    extra = shlex.split(os.environ.get("RUNFAIR_LAUNCHER_FLAGS", ""))
    sources = [str(path) for path in sorted(SOURCES.glob("*.cpp"))]
    flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, *flags, *extra, *sources, "-o", str(binary)], check=True)
    return binary


@pytest.fixture
def launcher(launcher_binary: Path, tmp_path: Path) -> Iterator[Launcher]:
    built = Launcher(launcher_binary, tmp_path)
    yield built
    for process in built.started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
        if process.stdin:
            process.stdin.close()
