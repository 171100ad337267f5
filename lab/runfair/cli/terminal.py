"""The two output streams, and a function that waits for the machine's lock. Results are printed to
standard output, all other texts to standard error.
"""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape

from runfair.machine.measurement_lock import Holder, MeasurementLock, acquire

FILE_WIDTH = 160  # the width of tables if there is no terminal to measure


class Output(Console):
    """A console whose reader may stop reading. No error is reported if a pager or `head` is
    closed."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


output = Output(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False)
errors = Output(stderr=True, highlight=False)


def lock_machine(run: str, wait_s: float) -> MeasurementLock:
    """The machine's measurement lock for `run`. This function waits at most `wait_s`, and names the
    process that it waits for. Raises UserMistake if the lock is not free by then.
    """

    def tell(holder: Holder | None) -> None:
        errors.print(f"waiting for {escape(str(holder or 'another run'))}", soft_wrap=True)

    return acquire(run, wait_s=wait_s, on_wait=tell)
