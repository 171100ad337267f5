"""Whose turn it is to measure on this machine: one at a time."""

from __future__ import annotations

from rich.markup import escape

from runfair.cli.terminal import errors
from runfair.machine.measurement_lock import Holder, MeasurementLock, acquire


def turn(run: str, wait_s: float) -> MeasurementLock:
    """The machine's measurement lock for `run`, after at most `wait_s`; who is waited for is
    named. UserMistake where it is not free by then."""

    def tell(holder: Holder | None) -> None:
        errors.print(f"waiting for {escape(str(holder or 'another run'))}", soft_wrap=True)

    return acquire(run, wait_s=wait_s, on_wait=tell)
