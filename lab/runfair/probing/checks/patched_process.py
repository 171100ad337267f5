"""A Node process whose optimised code is read and written between its iterations.

`probes/v8/preload/runfair_checks.cjs` runs inside the process. It waits for requests before each
iteration of the program, and answers through a pair of named pipes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from runfair.errors import InvalidResult, UserMistake
from runfair.paths import REPOSITORY
from runfair.probing.checks.check import Patch
from runfair.probing.checks.listing import Listing, NotUnderstood

PRELOAD = REPOSITORY / "probes" / "v8" / "preload" / "runfair_checks.cjs"
SILENCE_S = 600.0
"""The longest iteration. A process that is silent for longer is ended."""
ENDING_S = 60.0
_POLL_S = 0.2
_LINE_BYTES = 1 << 16


class CodeChanged(Exception):
    """The code at an address is not what it should be: V8 has moved it or thrown it away."""


@dataclass(frozen=True)
class Start:
    """How to start the process. `folder` is a new folder for the pipes and the listing.
    `stoppable`: the program ends when its standard input does."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    output: IO[bytes] | int | None
    directory: Path | None = None
    stoppable: bool = False


class PatchedProcess:
    """The process, which waits before an iteration. `listing` has all code that V8 compiled so
    far. Leaving the context ends the process."""

    def __init__(self, start: Start) -> None:
        """Starts the process, which then runs to its first iteration. Raises UserMistake if there
        is none."""
        self.listing = Listing()
        self.version = ""
        self.pid = self.cpu_ns = 0
        self._start = start
        self._read_bytes = 0
        self._unread = b""
        start.folder.mkdir()
        pipes = [start.folder / name for name in ("answers", "requests")]
        for pipe in pipes:
            os.mkfifo(pipe)
        # Opened for both directions, a pipe neither waits for the other side nor ends with it.
        self._answers, self._requests = (os.open(pipe, os.O_RDWR) for pipe in pipes)
        options = start.environment.get("NODE_OPTIONS", "")
        variables = {
            **start.environment,
            "NODE_OPTIONS": f"--require={json.dumps(str(PRELOAD))} {options}".strip(),
            "RUNFAIR_CHECKS_FOLDER": str(start.folder),
        }
        try:
            self._process = subprocess.Popen(
                list(start.command),
                cwd=start.directory,
                env=variables,
                stdin=subprocess.PIPE if start.stoppable else None,
                stdout=start.output,
            )
        except OSError as error:
            self._close()
            raise UserMistake(f"{start.command[0]} cannot be started: {error.strerror}") from None
        try:
            begun = self._boundary()
        except BaseException:
            self.__exit__()
            raise
        if not begun:
            self.__exit__()
            raise UserMistake(
                f"{Path(start.command[0]).name} ended with status {self.status} before it "
                "measured an iteration; --checks needs a program on Node that calls "
                "process.cpuUsage() before each iteration, and process.cpuUsage(before) after it"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._close()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def executable(self) -> str:
        """The Node that runs; it waits before an iteration."""
        return str(Path(f"/proc/{self.pid}/exe").readlink())

    @property
    def status(self) -> int:
        """The exit status, as a shell reports it, of the process that has ended."""
        status = self._process.wait()
        return status if status >= 0 else 128 - status

    def iteration(self) -> int | None:
        """Lets the program run its current iteration to the end. Returns the CPU time of this
        iteration in nanoseconds; None if the process ended instead."""
        self._send({"go": True})
        return self.cpu_ns if self._boundary() else None

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes at each (address, length). Raises CodeChanged if nothing is there."""
        return [bytes.fromhex(each) for each in self._ask({"read": ranges})["bytes"]]

    def write(self, patches: Sequence[Patch]) -> None:
        """Writes all patches and reads them back. If any address does not hold the old bytes,
        nothing is written. Raises CodeChanged."""
        rows = [(one.address, one.old.hex(), one.new.hex()) for one in patches]
        self._ask({"patches": rows})

    def end(self) -> int:
        """Lets the program run to its end, unobserved. Returns its exit status."""
        self._send({"leave": True})
        if self._process.stdin is not None:
            self._process.stdin.close()
            try:
                self._process.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                raise InvalidResult(
                    f"{self._start.command[0]} did not end within {ENDING_S:.0f} s"
                ) from None
        return self.status

    def _boundary(self) -> bool:
        """Waits until the program is about to begin an iteration. False if the process ends."""
        answer = self._receive()
        if answer is not None:
            self.pid, self.version = int(answer["pid"]), str(answer["version"])
            self.cpu_ns = int(answer["cpu_us"]) * 1_000
        self._read_listing(self._start.folder / f"code-{self.pid}")
        return answer is not None

    def _read_listing(self, path: Path) -> None:
        if not path.exists():
            return
        with path.open("rb") as file:
            file.seek(self._read_bytes)
            added = file.read()
        self._read_bytes += len(added)
        if added:
            try:
                self.listing.feed(added.decode("utf-8", "replace"))
            except NotUnderstood as error:
                raise UserMistake(f"node {self.version}: {error}") from None

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._send(request)
        answer = self._receive()
        if answer is None:
            raise InvalidResult(f"{self._start.command[0]} ended with status {self.status}")
        if "differs" in answer:
            raise CodeChanged(
                f"the machine code at address {answer['differs']:#x} is not the code that V8 "
                "printed when it compiled the function"
            )
        if "failed" in answer:
            raise CodeChanged(f"the code cannot be read or written: {answer['failed']}")
        return answer

    def _send(self, request: dict[str, Any]) -> None:
        rest = json.dumps(request).encode() + b"\n"
        while rest:
            rest = rest[os.write(self._requests, rest) :]

    def _receive(self) -> dict[str, Any] | None:
        """The next answer; None if the process has ended."""
        deadline = time.monotonic() + SILENCE_S
        while b"\n" not in self._unread:
            ended = self._process.poll() is not None
            if select.select([self._answers], [], [], 0 if ended else _POLL_S)[0]:
                self._unread += os.read(self._answers, _LINE_BYTES)
            elif ended:
                return None
            elif time.monotonic() > deadline:
                self._process.send_signal(signal.SIGKILL)
                raise InvalidResult(
                    f"{self._start.command[0]} ran for {SILENCE_S:.0f} s without an iteration"
                )
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _close(self) -> None:
        for pipe in (self._answers, self._requests):
            os.close(pipe)
