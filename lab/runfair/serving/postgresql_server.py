"""A PostgreSQL server: the search for its installed programs, and functions that run a server under
the launcher.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK
from runfair.machine.environment import clean_environment
from runfair.machine.kernel_files import ROOT, read_text
from runfair.machine.launching import Launch, Launcher
from runfair.serving.database_address import DatabaseAddress
from runfair.serving.postgresql_place import ServerUser

CHOICE = "RUNFAIR_POSTGRESQL"
INSTALL_LINE = "sudo apt-get install --no-install-recommends postgresql"

# Debian, Red Hat and their derivatives do not put the server's programs on the PATH.
_PACKAGED = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin")
_NEEDED = ("postgres", "initdb")
# Older versions receive no corrections (postgresql.org, "Versioning Policy"). Every setting in
# SETTINGS exists from this version on.
_OLDEST = (12,)
_ANSWER_LIMIT_S = 20


@dataclass(frozen=True)
class ServerBinaries:
    """A folder with `postgres` and `initdb`. `version` is the version that `postgres --version`
    prints."""

    folder: Path
    version: str

    @property
    def number(self) -> tuple[int, ...]:
        match = re.search(r"\d+(\.\d+)*", self.version)
        return tuple(map(int, match[0].split("."))) if match else ()

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"

    @property
    def initdb(self) -> Path:
        return self.folder / "initdb"


def find_binaries(root: Path = ROOT) -> ServerBinaries:
    """The programs in the folder that RUNFAIR_POSTGRESQL names, otherwise those of the newest
    installed version. Raises UserMistake with the command that installs PostgreSQL if no installed
    version is found.
    """
    chosen = os.environ.get(CHOICE)
    if chosen:
        binaries = _binaries_in(Path(chosen).absolute())
        if binaries is None:
            raise UserMistake(
                f"the environment variable {CHOICE} names {chosen}, which contains no working "
                "postgres and initdb; name the bin folder of a PostgreSQL server, or unset "
                f"{CHOICE}"
            )
        if binaries.number < _OLDEST:
            raise UserMistake(
                f"the environment variable {CHOICE} names PostgreSQL {binaries.version}, which is "
                f"too old; name version {_OLDEST[0]} or newer"
            )
        return binaries
    found = {folder.resolve(): _binaries_in(folder) for folder in _candidates(root)}
    usable = [each for each in found.values() if each is not None and each.number >= _OLDEST]
    if not usable:
        raise UserMistake(
            f"no PostgreSQL server is installed on this machine; install one with: {INSTALL_LINE}"
        )
    return max(usable, key=lambda each: each.number)


def _candidates(root: Path) -> Iterator[Path]:
    for pattern in _PACKAGED:
        yield from root.glob(pattern)
    pg_config = shutil.which("pg_config")
    if pg_config is not None:
        told = _said([pg_config, "--bindir"])
        if told:
            yield Path(told)
    for folder in os.get_exec_path():
        yield Path(folder)


def _binaries_in(folder: Path) -> ServerBinaries | None:
    if not all(os.access(folder / name, os.X_OK) for name in _NEEDED):
        return None
    version = _said([str(folder / "postgres"), "--version"])
    return ServerBinaries(folder, version) if version else None


def _said(command: list[str]) -> str | None:
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


# The lab's own role. It has all rights, and can connect only through the unix socket.
OWNER = "runfair"

LOG = "postgresql.log"
REPORT = "postgresql.json"

# Only settings that a private instance requires are set. All other settings are PostgreSQL's
# defaults. The effective settings are read from the running server and recorded.
SETTINGS: Mapping[str, str] = {
    "autovacuum": "off",  # the tables are vacuumed when they are loaded; later it would disturb
    # in its own folder, so that a killed server leaves no files elsewhere
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",  # the data is a copy and can be made again
    "full_page_writes": "off",
    "jit": "off",  # JIT would compile query plans during a measurement
    "log_connections": "off",
    "log_disconnections": "off",
    "log_min_duration_statement": "-1",
    "log_statement": "none",
    "logging_collector": "off",
    "max_connections": "200",
    "restart_after_crash": "off",  # a restart after a crash would hide the crash
    "shared_buffers": "128MB",
    "ssl": "off",
    "synchronous_commit": "off",
}

START_LIMIT_S = 60.0
_LOOK_MS = 20
# index of the line in postmaster.pid: PostgreSQL's miscadmin.h, LOCK_FILE_LINE_PM_STATUS
_STATUS_LINE = 7


class RunningServer:
    """A server that accepts sessions."""

    def __init__(self, launch: Launch, folder: Path, port: int) -> None:
        self.launch = launch
        self.folder = folder
        self.port = port

    def address(self, database: str) -> DatabaseAddress:
        """The address for the lab's own sessions."""
        return DatabaseAddress(host=str(self.folder), port=self.port, user=OWNER, database=database)

    def has_ended(self) -> bool:
        return _ended_within(self.launch, 0)


@contextlib.contextmanager
def running_server(
    launcher: Launcher,
    binaries: ServerBinaries,
    user: ServerUser,
    folder: Path,
    *,
    processors: Sequence[int],
    records: Path,
    listen: bool,
) -> Iterator[RunningServer]:
    """A running server for the data in `folder`/data. The server is shut down in order when the
    context is left.

    The server listens on a unix socket in `folder` and, if `listen`, on a free port of 127.0.0.1.
    The server's log and the launcher's report are kept in the folder `records`. Raises UserMistake
    with PostgreSQL's own message if the server does not start.
    """
    reserved, port = _reserved_port()
    settings = {
        **SETTINGS,
        "listen_addresses": LOOPBACK if listen else "",
        "port": str(port),
        "unix_socket_directories": f'"{folder}"',
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with (
        reserved,
        launcher.start(
            user.command([binaries.postgres, "-D", folder / "data", *options]),
            report=records / REPORT,
            environment=clean_environment(),
            directory=folder,
            processors=processors,
            stdout=records / LOG,
            stderr=records / LOG,
        ) as launch,
    ):
        pid = _wait_until_ready(launch, folder / "data", records / LOG)
        reserved.close()
        # The kernel may reuse a process number, but a pidfd always refers to the same process.
        server = os.pidfd_open(pid)
        try:
            yield RunningServer(launch, folder, port)
        finally:
            try:
                _shut_down(launch, server)
            finally:
                os.close(server)


def run_to_end(
    launcher: Launcher,
    user: ServerUser,
    command: Sequence[str | Path],
    folder: Path,
    records: Path,
) -> None:
    """Runs one of the server's tools. Raises UserMistake with the last line of its output if the
    tool fails.
    """
    log = records / f"{Path(command[0]).name}.log"
    with launcher.start(
        user.command(command),
        report=records / REPORT,
        environment=clean_environment(),
        directory=folder,
        processors=(),
        stdout=log,
        stderr=log,
        timeout_s=START_LIMIT_S,
    ) as launch:
        outcome = launch.wait().outcome
    if outcome.exit_status != 0:
        raise UserMistake(f"{Path(command[0]).name} failed: {outcome.error or _last_line(log)}")


def _wait_until_ready(launch: Launch, data: Path, log: Path) -> int:
    """Waits until the server accepts sessions, and returns its process number."""
    until_s = time.monotonic() + START_LIMIT_S
    while True:
        lines = (read_text(data, "postmaster.pid") or "").splitlines()
        if len(lines) > _STATUS_LINE and lines[_STATUS_LINE].strip() == "ready":
            return int(lines[0])
        if _ended_within(launch, _LOOK_MS):
            error = launch.wait().outcome.error
            raise UserMistake(
                f"runfair's private PostgreSQL did not start; {error or _last_line(log)}"
            )
        if time.monotonic() > until_s:
            raise UserMistake(
                f"runfair's private PostgreSQL was not ready within {START_LIMIT_S:.0f} s; "
                f"{_last_line(log)}"
            )


def _ended_within(launch: Launch, limit_ms: int) -> bool:
    ended = os.pidfd_open(launch.launcher_pid)
    try:
        poller = select.poll()
        poller.register(ended, select.POLLIN)
        return bool(poller.poll(limit_ms))
    finally:
        os.close(ended)


def _shut_down(launch: Launch, server: int) -> None:
    """Shuts the server down in order.

    SIGINT requests a fast shutdown: sessions are ended, and the data stay consistent (PostgreSQL
    manual, 19.5). The launcher's own signal is SIGTERM, for which PostgreSQL would wait until all
    sessions end. SIGTERM is sent too, because it starts the grace period after which all remaining
    processes are killed.
    """
    launch.ask_end()  # first: the launcher must not see the server end before it is asked
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(server, signal.SIGINT)
    launch.wait()


def _reserved_port() -> tuple[socket.socket, int]:
    """A free port, and the socket that reserves this port.

    While this socket is open without listening, the kernel does not give the port to processes that
    request any free port. A server can still bind the port by its number, because both sockets set
    SO_REUSEADDR.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind((LOOPBACK, 0))
    return reserved, reserved.getsockname()[1]


def _last_line(log: Path) -> str:
    """The last line of the log that gives a reason, without the time and process number at its
    beginning."""
    lines = (read_text(log.parent, log.name) or "").splitlines()
    fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
    return f"its log says: {[*lines, *fatal][-1]}" if lines else "it printed no error message"
