"""Makes psycopg work on PyPy, where it calls libpq through ctypes."""

from __future__ import annotations

import sys
import weakref


class Reference(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that can itself be referenced weakly, as weak references of CPython can.

    psycopg passes a weak reference to ctypes. PyPy's ctypes keeps only weak references to its
    arguments.
    """


def adapt() -> None:
    """Adapts psycopg to PyPy. The function must be called before the first connection."""
    if sys.implementation.name == "pypy":
        # This import loads the system's libpq, which psycopg on CPython does not need.
        from psycopg.pq import pq_ctypes  # noqa: PLC0415

        pq_ctypes.ref = Reference
