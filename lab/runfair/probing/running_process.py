"""Enters a running process, and leaves it again. Only HotSpot allows this.

HotSpot loads a library on request (JVM TI, "Agent Start-Up (Live phase)"). The request goes through
a socket of the process, which HotSpot opens after a signal. jcmd, a part of a JDK, does the same.
"""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.probe import AskedMode, Mode, ProbeResult
from runfair.machine.native import LATE_PROBE, build_native
from runfair.probing.adapter import supported
from runfair.probing.interruption import interruptible
from runfair.probing.probed_command import modes_of, result_of, runs

PROC = Path("/proc")
SOCKETS = Path("/tmp")  # HotSpot does not read TMPDIR
PATIENCE_S = 10.0
POLL_S = 0.05
ANSWER_BYTES = 1 << 16
PROTOCOL = b"1"
INSTEAD = "start the program with ./runfair probe -- COMMAND"
PROBED = "another ./runfair probe already probes this process"
CPYTHON = (
    "CPython cannot be probed while it runs, because the probe is loaded only when CPython "
    f"starts; {INSTEAD}"
)
NODE = (
    "Node cannot be probed while it runs, because a probe can enter a running Node only through "
    "the debugger, and every user of the machine can connect to the debugger's port; "
    f"{INSTEAD}"
)


class RunningProcess:
    """A HotSpot process that can be entered. Raises UserMistake with the reason if the process
    cannot be entered.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._home = PROC / str(pid)
        self._check()
        self._asked = False  # to load the probe, which the process may still do
        self.library = build_native(LATE_PROBE)

    def begin(self, folder: Path, mode: Mode, bytecodes: Sequence[str]) -> None:
        """Begins to probe. The process writes its side file to `folder`, at the end, or at once if
        it cannot be probed. Raises UserMistake if the process does not load the probe.
        """
        os.chown(folder, self._user, -1)
        self._load(
            "begin",
            RUNFAIR_PROBE_FOLDER=str(folder),
            RUNFAIR_PROBE_MODE=mode,
            RUNFAIR_PROBE_BYTECODES=",".join(bytecodes),
        )

    def end(self) -> None:
        """Leaves the process. A process that ends leaves its results too."""
        try:
            if self._asked and self.runs():
                self._load("end")
        except UserMistake:
            _wait(lambda: not self.runs())
            if self.runs():
                raise

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """Keeps every other runfair from probing the process. When runfair is killed, the kernel
        ends this. Raises UserMistake if another runfair probes the process.
        """
        try:
            lock = os.open(self._home, os.O_RDONLY)
        except OSError as error:
            raise UserMistake(f"process {self.pid} cannot be read: {error.strerror}") from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserMistake(f"process {self.pid}: {PROBED}") from None
            yield
        finally:
            os.close(lock)

    def has_ended(self, folder: Path, before: int) -> bool:
        """Whether there is nothing to wait for: the process refused the probe, or it has ended. In
        `folder` there were `before` side files, which may be too large to read them often."""
        return _side_files(folder) > before or not self.runs()

    def runs(self) -> bool:
        return runs(self.pid)

    def _load(self, step: str, **variables: str) -> None:
        lines = [f"{name}={value}" for name, value in variables.items()]
        options = "\n".join([f"RUNFAIR_PROBE_STEP={step}", *lines])
        words = (PROTOCOL, b"load", os.fsencode(self.library), b"true", options.encode())
        answer = self._answer(b"".join(word + b"\0" for word in words))
        status, _, rest = answer.partition("\n")
        # The status of the request, and that of the library: "0\n0\n", or "0\nreturn code: 0\n".
        if status.strip() != "0" or not re.fullmatch(r"(return code: )?0?", rest.strip()):
            self._asked = False
            said = " ".join(rest.split()) or f"status {status}"
            raise UserMistake(f"process {self.pid} did not load the probe: {said}")

    def _answer(self, request: bytes) -> str:
        """What HotSpot answers to a request."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE_S)
            try:
                connection.connect(str(self._listening()))
                self._asked = True
                connection.sendall(request)
                answer = b""
                while part := connection.recv(ANSWER_BYTES):
                    answer += part
            except OSError as error:
                raise UserMistake(f"process {self.pid} cannot be reached: {error}") from None
        return answer.decode("utf-8", "replace")

    def _listening(self) -> Path:
        """The socket of the process. HotSpot opens it after SIGQUIT if it finds a certain file."""
        listening = SOCKETS / f".java_pid{self.pid}"
        if listening.is_socket():
            return listening
        asking = SOCKETS / f".attach_pid{self.pid}"
        asking.touch()
        try:
            os.chown(asking, self._user, -1)
            os.kill(self.pid, signal.SIGQUIT)
            _wait(listening.is_socket)
        finally:
            asking.unlink(missing_ok=True)
        if not listening.is_socket():
            raise UserMistake(
                f"process {self.pid} does not answer the request to load the probe; perhaps it "
                "was started with -XX:+DisableAttachMechanism"
            )
        return listening

    def _check(self) -> None:
        if not self._home.exists():
            raise UserMistake(f"there is no process {self.pid}")
        try:
            self._user = self._home.stat().st_uid
            words = (self._home / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
            self.command = [os.fsdecode(word) for word in words]
            executable = (self._home / "exe").readlink().name
            maps = (self._home / "maps").read_text(errors="replace")
            own, its = ((PROC / one / "ns/mnt").readlink() for one in ("self", str(self.pid)))
            status = _status(self._home)
        except OSError as error:
            raise UserMistake(f"process {self.pid} cannot be read: {error.strerror}") from None
        reason = _obstacle(maps, status) or _of_runtime(executable, maps, status)
        if not reason and own != its:
            reason = (
                "the process runs in a container, in which the probe's files are not visible; "
                "run ./runfair in the container"
            )
        if reason:
            raise UserMistake(f"process {self.pid}: {reason}")


def observed(
    process: RunningProcess,
    asked: AskedMode,
    bytecodes: Sequence[str],
    seconds: float,
    folder: Path,
) -> ProbeResult:
    """Probes a process for some seconds in each mode, or until the process or the user ends this.
    Raises UserMistake if the process cannot be probed.
    """
    interrupted = False
    try:
        with interruptible(), process.reserved():  # no process stays probed
            for mode in modes_of(asked):
                before = _side_files(folder)
                if before and not process.runs():
                    break
                try:
                    process.begin(folder, mode, bytecodes)
                    _wait(partial(process.has_ended, folder, before), seconds)
                finally:
                    process.end()
    except KeyboardInterrupt:
        interrupted = True
    if not _side_files(folder):
        raise UserMistake(f"process {process.pid} ended without results")
    return result_of(process.command, asked, 0, folder, pid=process.pid, interrupted=interrupted)


def _side_files(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*.json"))


def _obstacle(maps: str, status: Mapping[str, str]) -> str:
    """What keeps the probe out of a process of any runtime; empty if there is nothing."""
    if "/runfair-probe.so" in maps:
        return PROBED
    if status["TracerPid"] != "0":
        return (
            f"process {status['TracerPid']} (probably a debugger or strace) already traces this "
            "process; end the "
            "tracing first"
        )
    return (
        ("the process is stopped; let it continue first, with kill -CONT")
        if status["State"][0] in "Tt"
        else ""
    )


def _of_runtime(executable: str, maps: str, status: Mapping[str, str]) -> str:
    """The reason why a runtime cannot be entered; empty if it can."""
    if "/libjvm.so" in maps:
        caught = int(status["SigCgt"], 16) >> (signal.SIGQUIT - 1) & 1
        return (
            ""
            if caught
            else (
                "HotSpot cannot be probed if it runs with -Xrs, or if it has only just started; "
                "start it without -Xrs, or try again"
            )
        )
    if re.search(r"/libpython3|/python3?[\d.]*$", maps, re.MULTILINE):
        return CPYTHON
    if executable.startswith("node"):
        return NODE
    return f"the probe does not support {executable}; it supports {supported()}"


def _status(home: Path) -> Mapping[str, str]:
    lines = (home / "status").read_text(errors="replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _wait(until: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + seconds
    while not until() and time.monotonic() < deadline:
        time.sleep(POLL_S)
