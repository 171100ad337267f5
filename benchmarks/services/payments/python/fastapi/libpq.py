"""libpq on PyPy, which psycopg reaches through ctypes."""

from __future__ import annotations

import sys
import weakref


class Reference(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that can itself be referred to weakly, as those of CPython can.

    psycopg gives one to ctypes, whose form in PyPy keeps only weak references to what it is given.
    """


def adapt() -> None:
    """Has psycopg work on PyPy. To be called before the first connection."""
    if sys.implementation.name == "pypy":
        # It loads the system's libpq, which CPython's psycopg does without.
        from psycopg.pq import pq_ctypes  # noqa: PLC0415

        pq_ctypes.ref = Reference
