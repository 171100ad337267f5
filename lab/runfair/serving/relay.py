"""The measuring relay (`relay/`): adds a network delay between a service and its database, and
times each query.

    with start(relay(), to="127.0.0.1:5432", delay_ns=1_000_000, folder=raw) as session:
        service(port=session.port)
    report, queries = session.report(), session.queries()
"""

from __future__ import annotations

import json
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.building.crate import Crate
from runfair.errors import InvalidResult, UserMistake
from runfair.formats.relay_report import RelayReport, read_queries, read_report
from runfair.loading.generator import LOADGEN, MEASURING
from runfair.machine.environment import clean_environment
from runfair.machine.kernel_files import format_processors
from runfair.machine.launching import error_line
from runfair.paths import REPOSITORY


class RelayLost(InvalidResult):
    """The relay ended unexpectedly, or its files could not be kept."""


RELAY = REPOSITORY / "relay"
NAME = "runfair-relay"
# The workspace, whose lock file and profile the relay has, is the load generator's.
BESIDE = (LOADGEN, MEASURING)
ANY_PORT = "127.0.0.1:0"

# Before the relay reports its port, it only looks names up and listens; this takes much less than a
# second.
READY_LIMIT_S = 15.0
# The relay usually ends within a second. The limit is longer because the machine may be busy.
ENDING_LIMIT_S = 10.0

_MISTAKEN = 2

Protocol = Literal["postgresql", "redis", "tcp"]


def relay() -> Path:
    """The relay's executable: `private_folder()/relay/SOURCES-COMPILER/runfair-relay`.

    Raises UserMistake if this machine has no Rust that can build the relay, and BuildFailed (naming
    the log) if the build fails.
    """
    return crate().executable()


def crate() -> Crate:
    """The relay's crate (its Rust package)."""
    return Crate(RELAY, NAME, kept_in="relay", beside=BESIDE)


def start(
    executable: Path,
    *,
    to: str,
    delay_ns: int,
    folder: Path,
    listen: str = ANY_PORT,
    protocol: Protocol = "tcp",
    processors: Sequence[int] = (),
) -> RelaySession:
    """Starts a relay that clients can connect to.

    `listen` and `to` are `HOST:PORT` or `unix:PATH`. `delay_ns` is added to each round trip, half
    in each direction. The relay's files go into `folder`, which must exist; old files of the same
    names are removed. The relay is pinned to `processors`; without them it is not pinned. The relay
    ends when this process ends, for whatever reason.

    Raises UserMistake with the relay's message if the relay cannot be started as requested, and
    RelayLost if it ended without a message.
    """
    command = [
        *(str(executable), "--watch-stdin"),
        *(f"--listen={listen}", f"--to={to}", f"--delay={delay_ns}ns", f"--protocol={protocol}"),
        *(f"--report={folder / 'relay.json'}", f"--records={folder / 'relay.records'}"),
    ]
    if processors:
        command.append(f"--cpus={format_processors(processors)}")
    complaints = folder / "relay.txt"
    try:
        for old in ("relay.json", "relay.records"):
            (folder / old).unlink(missing_ok=True)
        with complaints.open("wb") as stderr:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=clean_environment(),
                # Ctrl-C reaches only the lab, which then ends the relay in order.
                process_group=0,
            )
    except OSError as error:
        raise UserMistake(
            f"the relay (runfair's proxy before the database) cannot be started ({error.strerror}: "
            f"{error.filename})"
        ) from None
    session = RelaySession(process, folder)
    try:
        session.wait_until_ready()
    except BaseException:
        session.kill()
        raise
    return session


class RelaySession:
    """One running relay. Used as a context manager, it ends the relay when the context is left.
    `report` and `queries` also end the relay if it is still running.
    """

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._port: int | None = None
        self._killed = False

    @property
    def pid(self) -> int:
        """The relay's process ID, for accounting."""
        return self._process.pid

    @property
    def port(self) -> int:
        """The port to which clients connect. Raises ValueError if the relay listens on a unix
        socket.
        """
        if self._port is None:
            raise ValueError("a relay at a unix socket has no port")
        return self._port

    def report(self) -> RelayReport:
        """Ends the relay and returns its report. Raises RelayLost if another process had ended the
        relay, and BrokenRelayFile if the file is not a report.
        """
        self.end()
        return read_report(self._folder / "relay.json")

    def queries(self) -> npt.NDArray[np.void]:
        """Ends the relay and returns every query that ended, in the order of their ends.

        The structured array has the columns `["arrived_ns"]`, `["forwarded_ns"]`, `["answered_ns"]`
        and `["delivered_ns"]` on CLOCK_MONOTONIC (0 if the query did not come so far),
        `["request_bytes"]`, `["answer_bytes"]`, `["connection"]`, and `["outcome"]` as
        `relay_queries.Outcome`. Raises the same errors as `report`.
        """
        self.end()
        return read_queries(self._folder / "relay.records")

    def end(self) -> None:
        """Ends the relay in order. A second call has no effect. Raises RelayLost if the relay had
        ended in another way.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            status = self._process.wait(ENDING_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RelayLost(
                "the relay (runfair's proxy before the database) did not exit within "
                f"{ENDING_LIMIT_S:.0f} s"
            ) from None
        self._close()
        if status != 0:
            raise RelayLost(
                "the relay (runfair's proxy before the database) ended with status "
                f"{status}{self._error_line()}"
            )

    def kill(self) -> None:
        """Kills the relay if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._close()

    def __enter__(self) -> RelaySession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.end()
        except RelayLost:
            # If an error occurred inside the context, that error is raised. Otherwise the loss of
            # the relay is raised.
            if error is None:
                raise
        finally:
            self.kill()

    def wait_until_ready(self) -> None:
        """Waits until the relay reports where it listens."""
        assert self._process.stdout is not None
        stdout = self._process.stdout
        if not select.select([stdout], [], [], READY_LIMIT_S)[0]:
            raise RelayLost(
                "the relay (runfair's proxy before the database) was not ready within "
                f"{READY_LIMIT_S:.0f} s"
            )
        line = stdout.readline()
        if not line:
            status = self._process.wait()
            words = self._error_line().removeprefix(": ").removeprefix(f"{NAME}: ")
            if status == _MISTAKEN:
                raise UserMistake(f"the relay: {words}")
            raise RelayLost(
                "the relay (runfair's proxy before the database) ended with status "
                f"{status}: {words}"
            )
        event = json.loads(line)
        self._port = event.get("port")

    def _error_line(self) -> str:
        return error_line(self._folder / "relay.txt")

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
