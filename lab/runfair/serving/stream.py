"""What a running program writes, kept byte for byte and heard as it comes."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

KEPT_BYTES = 64 << 20
_READ_BYTES = 1 << 16

# What came, and the instant at which it was read (monotonic, nanoseconds).
Hearer = Callable[[bytes, int], None]


class Stream:
    """A named pipe that a program writes to; a thread copies it into `kept` and tells `hearer`.

    The launcher opens `pipe` as the program's standard output or error. More than KEPT_BYTES are
    read, so that the program is not held up, but not kept. As a context manager it ends when every
    writer has, and leaves no pipe behind.
    """

    def __init__(self, pipe: Path, kept: Path, hearer: Hearer | None = None) -> None:
        self.pipe = pipe
        self._kept = kept
        self._hearer = hearer
        os.mkfifo(pipe, 0o600)
        # Not blocking, as the writer comes later; and a writer of our own, so that the pipe is not
        # at its end before the program has opened it.
        self._reading_fd = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._writing_fd: int | None = os.open(pipe, os.O_WRONLY | os.O_CLOEXEC)
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._read, name=f"reads {pipe.name}", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Reads what is left, until the last writer has closed the pipe. Raises what the hearer
        raised."""
        if self._writing_fd is not None:
            os.close(self._writing_fd)
            self._writing_fd = None
        self._thread.join()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.finish()
        finally:
            self.pipe.unlink(missing_ok=True)

    def _read(self) -> None:
        kept_bytes = 0
        poller = select.poll()
        poller.register(self._reading_fd, select.POLLIN)
        with self._kept.open("wb", buffering=0) as file:
            while True:
                poller.poll()
                try:
                    data = os.read(self._reading_fd, _READ_BYTES)
                except BlockingIOError:
                    continue
                if not data:
                    break
                arrived_ns = time.monotonic_ns()
                file.write(data[: max(0, KEPT_BYTES - kept_bytes)])
                kept_bytes += len(data)
                if self._hearer is not None and self._failure is None:
                    try:
                        self._hearer(data, arrived_ns)
                    except BaseException as failure:  # noqa: BLE001 - raised again by finish
                        self._failure = failure
        os.close(self._reading_fd)
