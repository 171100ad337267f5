"""A program's output, kept whole, with the instant at which each line arrived."""

from __future__ import annotations

import array
import os
import select
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

READ_BYTES = 1 << 16
LONGEST_LINE_BYTES = 1 << 14
"""Of a longer line only so much is given to a parser; the file has it whole."""


@dataclass(frozen=True)
class StampedLine:
    """`arrived_ns` is when its first byte was here; the line may have been written before."""

    arrived_ns: int
    text: str


class StampedLines:
    """Reads a pipe or FIFO in a thread until it ends or `close` is called.

    Every byte goes to the file `kept`; the stamps go to a file beside it (pairs of little-endian
    64-bit integers: offset of the line, monotonic nanoseconds), so that memory stays bounded
    however much a program says. A line is stamped with the arrival of its first byte, because
    some runtimes write one line in dozens of pieces.
    """

    def __init__(self, fd: int, kept: Path) -> None:
        """Takes over `fd`. Raises OSError where `kept` cannot be written."""
        self.kept = kept
        self.stamps = kept.with_name(kept.name + ".stamps")
        self._fd = fd
        self._kept_file = kept.open("wb", buffering=0)
        self._stamps_file = self.stamps.open("wb", buffering=0)
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._read, name=f"stamping {kept.name}")
        self._failure: OSError | None = None
        self._closed = False
        self._thread.start()

    @staticmethod
    def of_fifo(fifo: Path, kept: Path) -> StampedLines:
        """Reads a FIFO that may be opened and closed by its writers many times over."""
        # Open for writing as well, so that it neither waits for a writer nor ends with one.
        return StampedLines(os.open(fifo, os.O_RDWR | os.O_CLOEXEC), kept)

    def close(self) -> None:
        """Takes what is in the pipe already, then stops. Raises OSError where keeping failed."""
        if not self._closed:
            self._closed = True
            os.close(self._wake_write)
            self._thread.join()
            for fd in (self._fd, self._wake_read):
                os.close(fd)
            self._kept_file.close()
            self._stamps_file.close()
        if self._failure is not None:
            raise self._failure

    def __enter__(self) -> StampedLines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lines(self) -> Iterator[StampedLine]:
        """The lines that arrived, to be read after `close`; the last one may be unfinished."""
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
                return  # asked to stop, and nothing is left in the pipe
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
            offset += len(data)
            self._keep(data, starts)

    def _keep(self, data: bytes, starts: array.array[int]) -> None:
        """Writes both files. After a failure the pipe is still emptied: a full one would stop
        the program."""
        if self._failure is None:
            try:
                self._kept_file.write(data)
                self._stamps_file.write(starts.tobytes())
            except OSError as error:
                self._failure = error


def stamped_lines(kept: Path, stamps: Path) -> Iterator[StampedLine]:
    """What StampedLines kept, read again. OSError where a file is missing."""
    with kept.open("rb") as lines, stamps.open("rb") as times:
        while len(pair := times.read(16)) == 16:
            start, arrived_ns = array.array("q", pair)
            lines.seek(start)
            line = lines.readline(LONGEST_LINE_BYTES)
            yield StampedLine(arrived_ns, line.rstrip(b"\r\n").decode("utf-8", "replace"))
