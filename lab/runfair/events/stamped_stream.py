"""The output of a running program. The output is stored, stamped as it arrives, and passed on to
listeners."""

from __future__ import annotations

import array
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

READ_BYTES = 1 << 16
LONGEST_LINE_BYTES = 1 << 14
"""The greatest length of a line that a parser gets. The file contains the whole line."""

OnData = Callable[[bytes, int], None]
"""A listener. The listener is called with each piece of the output and the instant at which the
piece was read (monotonic, ns).
"""


@dataclass(frozen=True)
class StampedLine:
    """A line of output. `arrived_ns` is the arrival of its first byte; the line may have been
    written earlier.
    """

    arrived_ns: int
    text: str


class StampedStream:
    """Reads a pipe or FIFO in a thread until it ends or `close` is called.

    The first `limit_bytes` bytes are written to the file `kept`. All further bytes are read and
    discarded, so that the program is not blocked. If `stamps` is given, the arrival of each line is
    written to that file, so that memory stays bounded. An arrival is a pair of little-endian 64-bit
    integers: the offset of the line, and monotonic nanoseconds. A line is stamped with the arrival
    of its first byte, because some runtimes write one line in dozens of pieces.
    """

    def __init__(
        self,
        fd: int,
        kept: Path,
        on_data: OnData | None = None,
        *,
        stamps: Path | None = None,
        limit_bytes: int | None = None,
    ) -> None:
        """Takes over the descriptor `fd`. Raises OSError if `kept` or `stamps` cannot
        be written.
        """
        self.kept = kept
        self.stamps = stamps
        self._fd = fd
        self._fifo: Path | None = None
        self._on_data = on_data
        self._limit_bytes = limit_bytes
        self._kept_file = kept.open("wb", buffering=0)
        self._stamps_file = None if stamps is None else stamps.open("wb", buffering=0)
        self._wake_read, self._wake_write = os.pipe()
        self._keeps = True
        self._failure: Exception | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._read, name=f"stamping {kept.name}")
        self._thread.start()

    @classmethod
    def of_fifo(
        cls,
        fifo: Path,
        kept: Path,
        on_data: OnData | None = None,
        *,
        stamps: Path | None = None,
        limit_bytes: int | None = None,
    ) -> StampedStream:
        """Makes a FIFO and reads it. Writers may open and close the FIFO many times. `close`
        removes it.
        """
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo, 0o600)
        # The FIFO is also opened for writing. Opening then does not wait for a writer, and reading
        # does not end when a writer closes the FIFO.
        fd = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        stream = cls(fd, kept, on_data, stamps=stamps, limit_bytes=limit_bytes)
        stream._fifo = fifo
        return stream

    def close(self) -> None:
        """Reads the bytes that are already in the pipe, and then stops. Raises OSError if storing
        failed, and any error that `on_data` raised.
        """
        if not self._closed:
            self._closed = True
            os.close(self._wake_write)
            self._thread.join()
            for fd in (self._fd, self._wake_read):
                os.close(fd)
            self._kept_file.close()
            if self._stamps_file is not None:
                self._stamps_file.close()
            if self._fifo is not None:
                self._fifo.unlink(missing_ok=True)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def __enter__(self) -> StampedStream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lines(self) -> Iterator[StampedLine]:
        """The lines that arrived. The lines are read after `close`. The last line may be
        incomplete. Raises ValueError if the stream has no `stamps`.
        """
        if self.stamps is None:
            raise ValueError(f"the lines of {self.kept} have no time stamps")
        yield from stamped_lines(self.kept, self.stamps)

    def _read(self) -> None:
        offset = 0
        at_line_start = True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._wake_read, select.POLLHUP)
        while True:
            ready = dict(poll.poll())
            if self._fd not in ready:
                return  # `close` was called, and the pipe is empty
            data = os.read(self._fd, READ_BYTES)
            arrived_ns = time.monotonic_ns()
            if not data:
                return
            starts = array.array("q")
            position = 0 if at_line_start else data.find(b"\n") + 1 or len(data)
            while position < len(data):
                starts.extend((offset + position, arrived_ns))
                position = data.find(b"\n", position) + 1 or len(data)
            at_line_start = data.endswith(b"\n")
            self._take(data, arrived_ns, offset, starts)
            offset += len(data)

    def _take(self, data: bytes, arrived_ns: int, offset: int, starts: array.array[int]) -> None:
        """Stores a piece and passes it on. After a failure the pipe is still emptied, because a
        full pipe would block the program.
        """
        if self._keeps:
            try:
                limit = len(data) if self._limit_bytes is None else self._limit_bytes - offset
                self._kept_file.write(data[: max(0, limit)])
                if self._stamps_file is not None:
                    self._stamps_file.write(starts.tobytes())
            except OSError as failure:
                self._keeps, self._failure = False, failure
        if self._on_data is not None:
            try:
                self._on_data(data, arrived_ns)
            except Exception as failure:  # noqa: BLE001 - raised again by close
                self._on_data, self._failure = None, failure


def stamped_lines(kept: Path, stamps: Path) -> Iterator[StampedLine]:
    """The lines that a StampedStream stored in files. Raises OSError if a file is missing."""
    with kept.open("rb") as lines, stamps.open("rb") as times:
        while len(pair := times.read(16)) == 16:
            start, arrived_ns = array.array("q", pair)
            lines.seek(start)
            line = lines.readline(LONGEST_LINE_BYTES)
            yield StampedLine(arrived_ns, line.rstrip(b"\r\n").decode("utf-8", "replace"))
