"""Whether a time service (NTP or PTP) keeps this host's clock."""

from __future__ import annotations

import ctypes

_TIMEX_BYTES = 208  # struct timex; all zero, it changes nothing
_TIME_ERROR = 5  # the kernel's clock is not synchronised (adjtimex(2))


def clock_is_kept() -> bool | None:
    """Whether a service synchronises the kernel's clock; None if the kernel does not tell."""
    library = ctypes.CDLL(None, use_errno=True)
    state = library.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    return None if state < 0 else state != _TIME_ERROR
