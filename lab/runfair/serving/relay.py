"""The measuring relay (`relay/`): a longer wire to a database, which times each query.

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
from runfair.machine.environment import clean_environment
from runfair.machine.kernel_files import format_processors
from runfair.machine.launching import error_line
from runfair.paths import REPOSITORY


class RelayLost(InvalidResult):
    """The relay ended on its own, or its files could not be kept."""


RELAY = REPOSITORY / "relay"
NAME = "runfair-relay"
# Its clocks, sockets and files are the load generator's.
BESIDE = (REPOSITORY / "loadgen",)
ANY_PORT = "127.0.0.1:0"

# It listens before it says so, and looks names up: a second is long.
READY_LIMIT_S = 15.0
# It ends within a second; the rest is for a machine that is busy.
ENDING_LIMIT_S = 10.0

_MISTAKEN = 2

Protocol = Literal["postgresql", "redis", "tcp"]


def relay(folder: Path = RELAY) -> Path:
    """The executable built from `folder`, `private_folder()/relay/KEY/runfair-relay`.

    Raises UserMistake if no Rust is here that can build it, BuildFailed (naming the log) where
    the build fails.
    """
    return crate(folder).executable()


def crate(folder: Path = RELAY) -> Crate:
    """The crate that it is built from."""
    return Crate(folder, NAME, kept_in="relay", beside=BESIDE)


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
    """A relay that clients can connect to.

    `listen` and `to` are `HOST:PORT` or `unix:PATH`; `delay_ns` is added to each round trip, half
    each way. Its files go into `folder`, which is there; old ones of the same names are removed.
    It is kept on `processors`; none: anywhere. It ends with this process, however that ends.

    Raises UserMistake with the relay's own line where it cannot be had as asked, RelayLost if
    it ended without one.
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
                # Ctrl-C reaches the lab alone, which then ends the relay in order.
                process_group=0,
            )
    except OSError as error:
        raise UserMistake(
            f"the relay cannot be started: {error.strerror}: {error.filename}"
        ) from None
    session = RelaySession(process, folder)
    try:
        session.wait_until_ready()
    except BaseException:
        session.kill()
        raise
    return session


class RelaySession:
    """One relay. As a context manager it ends the relay, whose report and queries can be read
    afterwards; both end it themselves where it still runs."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._port: int | None = None
        self._killed = False

    @property
    def pid(self) -> int:
        """For accounting for it."""
        return self._process.pid

    @property
    def port(self) -> int:
        """Where clients connect. ValueError of a relay that listens at a unix socket."""
        if self._port is None:
            raise ValueError("a relay at a unix socket has no port")
        return self._port

    def report(self) -> RelayReport:
        """What it saw, from its start to its end, which this is. RelayLost if it had been ended
        by somebody else, BrokenRelayFile if the file is none."""
        self.end()
        return read_report(self._folder / "relay.json")

    def queries(self) -> npt.NDArray[np.void]:
        """Every query that came to an end, in the order in which they did: a structured array,
        `["arrived_ns"]`, `["forwarded_ns"]`, `["answered_ns"]` and `["delivered_ns"]` on
        CLOCK_MONOTONIC (0 if it did not come so far), `["request_bytes"]`, `["answer_bytes"]`,
        `["connection"]`, and `["outcome"]` as `relay_queries.Outcome`. Errors as `report`."""
        self.end()
        return read_queries(self._folder / "relay.records")

    def end(self) -> None:
        """Ends it in order; again does nothing. Raises RelayLost if it had ended otherwise."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            status = self._process.wait(ENDING_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RelayLost(f"the relay did not end within {ENDING_LIMIT_S:.0f} s") from None
        self._close()
        if status != 0:
            raise RelayLost(f"the relay ended with status {status}{self._error_line()}")

    def kill(self) -> None:
        """Leaves no process behind."""
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
            # What failed inside matters more; otherwise reading its files would tell as well.
            if error is None:
                raise
        finally:
            self.kill()

    def wait_until_ready(self) -> None:
        """Reads where it listens."""
        assert self._process.stdout is not None
        stdout = self._process.stdout
        if not select.select([stdout], [], [], READY_LIMIT_S)[0]:
            raise RelayLost(f"the relay was not ready within {READY_LIMIT_S:.0f} s")
        line = stdout.readline()
        if not line:
            status = self._process.wait()
            words = self._error_line().removeprefix(": ").removeprefix(f"{NAME}: ")
            if status == _MISTAKEN:
                raise UserMistake(f"the relay: {words}")
            raise RelayLost(f"the relay ended with status {status}: {words}")
        event = json.loads(line)
        self._port = event.get("port")

    def _error_line(self) -> str:
        return error_line(self._folder / "relay.txt")

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
