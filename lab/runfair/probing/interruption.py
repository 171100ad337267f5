"""The signals by which a user or a supervisor ends runfair while a program is probed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible(
    act: Callable[[int, FrameType | None], object] = signal.default_int_handler,
) -> Iterator[None]:
    """Calls `act` at signals that would end runfair. By default they act like Ctrl-C."""
    ending = [one for one in ENDING if signal.getsignal(one) is signal.SIG_DFL]
    for one in ending:
        signal.signal(one, act)
    try:
        yield
    finally:
        for one in ending:
            signal.signal(one, signal.SIG_DFL)
