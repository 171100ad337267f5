"""The place in memory at which each version of CPython keeps the instruction that a thread runs.

The numbers are offsets in bytes in the structures of x86-64 release builds, which do not change
within a minor version. The offsets are used only after `confirmed` has checked that they lead to
the right place.
"""

import ctypes
import sys


class Layout(ctypes.Structure):
    """The layout of a version, with the same fields as `probes::cpython::Layout`."""

    _fields_ = [
        (name, ctypes.c_int32)
        for name in ("frame", "c_frame", "code", "instruction", "bytecode", "first")
    ]


BYTES_HEADER = 32
_LAYOUTS = {
    (3, 10): (24, -1, 32, 96, 48, BYTES_HEADER),
    (3, 11): (8, 56, 32, 56, -1, 0),
    (3, 12): (0, 56, 0, 56, -1, 0),
    (3, 13): (72, -1, 0, 56, -1, 0),
    (3, 14): (72, -1, 0, 56, -1, 0),
}


def layout():
    """The layout of the running version; None if the version is not known."""
    known = _LAYOUTS.get(sys.version_info[:2])
    if known is None:
        return None
    found = Layout(*known)
    if found.bytecode < 0:
        # The variable part of a code object is its bytecode (from CPython 3.11 on).
        found.first = type((lambda: 0).__code__).__basicsize__
    return found


def confirmed(native):
    """Whether the layout leads from two running functions to their own code and instructions."""
    place = (ctypes.c_uint64 * 3)()

    def first():
        native.probe_here(place)
        return first.__code__, place[0], place[1]

    def second():
        for _ in (1, 2):
            native.probe_here(place)
        return second.__code__, place[0], place[1]

    seen = [first(), second()]
    return all(
        address == id(code) and 0 < offset < len(code.co_code) for code, address, offset in seen
    )
