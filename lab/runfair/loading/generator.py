"""The load generator: builds its executable, starts a load, follows it and reads its result.

with start(generator(), load, LoadFiles.below(folder)) as session:
    for progress in session:
        show(progress)
    result = session.result()
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from pydantic import ValidationError

from runfair.building.crate import Crate
from runfair.errors import InvalidResult, UserMistake
from runfair.formats.load_result import LoadResult, read_result
from runfair.formats.record import Record
from runfair.loading.load import Load
from runfair.machine.environment import clean_environment
from runfair.paths import REPOSITORY


class GeneratorLost(InvalidResult):
    """The generator ended without a result, because it was killed or its files could not be
    kept."""


class Progress(Record):
    """A load at one moment.

    Counts are since the load's start. The percentiles cover the interval that has just ended; they
    are None if this interval had no good answer. `horizon_ns` is the end of the schedule; it is
    None if only the number of requests ends the load. `overdue` is the number of requests that are
    due but not yet sent.
    """

    event: Literal["progress"]
    loop: Literal["open", "closed"]
    elapsed_ns: int
    horizon_ns: int | None
    scheduled: int
    sent: int
    completed: int
    failed: int
    overdue: int
    p50_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    achieved_per_s: float

    @classmethod
    def together(cls, parts: Sequence[Progress]) -> Progress:
        """The progress of several generators that send one load. Each percentile is the greatest of
        theirs; the times are those of the first."""

        def greatest(name: str) -> int | None:
            told = [getattr(one, name) for one in parts]
            return max((one for one in told if one is not None), default=None)

        added = {name: sum(getattr(one, name) for one in parts) for name in _ADDED}
        longest = {name: greatest(name) for name in ("p50_ns", "p99_ns", "max_ns")}
        return parts[0].model_copy(update={**added, **longest})


_MOST_COMPLAINTS = 20
_ADDED = ("scheduled", "sent", "completed", "failed", "overdue", "achieved_per_s")


class StandardError:
    """The standard error of a generator, which has its progress and its complaints."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self._rest = b""

    def add(self, data: bytes) -> list[Progress]:
        """The progress in the lines that these bytes complete. Other lines are complaints."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [one for line in lines if (one := self._understood(line)) is not None]

    def _understood(self, line: bytes) -> Progress | None:
        if line.startswith(b"{"):
            try:
                return Progress.model_validate_json(line)
            except ValidationError as error:
                raise RuntimeError(
                    f"the load generator printed progress lines that runfair cannot read: {error}"
                ) from error
        text = line.decode(errors="replace").strip()
        if text and len(self.complaints) < _MOST_COMPLAINTS:
            self.complaints.append(text)
        return None


LOADGEN = REPOSITORY / "loadgen"
# What the load generator and the relay share, a crate of the workspace in `LOADGEN`.
MEASURING = REPOSITORY / "measuring"
NAME = "runfair-load"


def crate(folder: Path = LOADGEN) -> Crate:
    """The generator's crate (its Rust package)."""
    return Crate(folder, NAME, kept_in="loadgen", beside=(MEASURING,))


def generator(folder: Path = LOADGEN) -> Path:
    """The executable built from `folder`: `private_folder()/loadgen/SOURCES-COMPILER/runfair-load`.

    Raises UserMistake if this machine has no Rust that can build the generator, and BuildFailed
    (naming the log) if the build fails.
    """
    return crate(folder).executable()


def minimum_rust(folder: Path = LOADGEN) -> str:
    """The oldest Rust that builds the generator."""
    return crate(folder).minimum_rust()


# After an interrupt the generator waits for open answers (at most for the load's time-out) and
# writes its files. This grace is for the writing.
WRITING_LIMIT_S = 20.0

_FAIR_OR_FLAGGED = 0
_MISTAKEN = 2
_VOID = 3


@dataclass(frozen=True)
class LoadFiles:
    """The paths of a load's files; a file whose path is None is not written. `table` is the table
    that the generator itself prints, for people.
    """

    result: Path
    table: Path
    hlog: Path | None = None
    records: Path | None = None
    hgrm: Path | None = None

    @classmethod
    def below(cls, folder: Path, *, records: bool = False) -> LoadFiles:
        """The files of a load, with their usual names, in an existing folder. Records take 64 bytes
        per request."""
        return cls(
            result=folder / "load.json",
            table=folder / "load.txt",
            hlog=folder / "load.hlog",
            records=folder / "load.records" if records else None,
        )

    def arguments(self) -> list[str]:
        named = (("hlog", self.hlog), ("records", self.records), ("hgrm", self.hgrm))
        words = [f"--{name}={path}" for name, path in named if path is not None]
        return [f"--json={self.result}", *words]


def start(executable: Path, load: Load, files: LoadFiles) -> Session:
    """Starts a load.

    Old files of the same names are removed first, so that no old file is mistaken for a file of
    this load. Raises UserMistake if a folder cannot be written or the executable cannot be started.
    """
    command = [
        *(str(executable), "--progress=json"),
        *files.arguments(),
        *load.arguments(),
    ]
    try:
        for old in (files.result, files.hlog, files.records, files.hgrm):
            if old is not None:
                old.unlink(missing_ok=True)
        with files.table.open("wb") as table:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=table,
                stderr=subprocess.PIPE,
                env=clean_environment(),
                # Ctrl-C reaches only the lab, which then ends the load in order.
                process_group=0,
            )
    except OSError as error:
        raise UserMistake(
            f"the load generator cannot be started ({error.strerror}: {error.filename})"
        ) from None
    return Session(process, load, files)


class Session:
    """A running load. Used as a context manager, it leaves no process behind. If the context is
    left early (by Ctrl-C, for example), the load's files are still written.
    """

    def __init__(self, process: subprocess.Popen[bytes], load: Load, files: LoadFiles) -> None:
        self.files = files
        self._process = process
        self._grace_s = load.timeout_ns / 1e9 + WRITING_LIMIT_S
        self._error = StandardError()
        self._interrupted = False

    def __iter__(self) -> Iterator[Progress]:
        """Yields the load's progress, several times a second, until the load has ended."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            yield from self._error.add(line)

    def interrupt(self) -> None:
        """Asks the generator to end now and to write what it has measured. The signal is sent only
        once: a second signal would end the generator before it has written its files.
        """
        if not self._interrupted and self._process.poll() is None:
            self._interrupted = True
            self._process.send_signal(signal.SIGINT)

    def result(self) -> LoadResult:
        """Waits for the end of the load and returns its result. If the run is void, its result is
        returned too, and the verdict in the result is `void`.

        Raises UserMistake with the generator's message if the load could not be carried out as
        asked. Raises GeneratorLost if the generator ended without a result.
        """
        for _ in self:
            pass
        status = self._process.wait()
        if status in (_FAIR_OR_FLAGGED, _VOID):
            return read_result(self.files.result)
        complaint = [*self._error.complaints, "it printed no error message"][0]
        if status == _MISTAKEN:
            raise UserMistake(complaint)
        if status < 0:
            raise GeneratorLost(f"the load generator was ended by signal {-status}")
        raise GeneratorLost(f"the load generator ended with status {status}: {complaint}")

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stderr is not None
        try:
            self.interrupt()
            # The remaining output is read, so that a full pipe cannot block the generator.
            self._process.communicate(timeout=self._grace_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # This line is also reached if a second Ctrl-C interrupted the waiting.
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._process.stderr.close()
