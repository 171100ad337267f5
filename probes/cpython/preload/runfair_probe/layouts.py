"""The place in memory at which each version of CPython keeps the instruction that a thread runs,
and the callers of its function.

The numbers are offsets in bytes in the structures of x86-64 release builds, which do not change
within a minor version. The offsets are used only after `confirmed` has checked that they lead to
the right place.
"""

import ctypes
import sys
import types


class Layout(ctypes.Structure):
    """The layout of a version, with the same fields as `probes::cpython::Layout`."""

    _fields_ = [
        (name, ctypes.c_int32)
        for name in (
            "frame",
            "c_frame",
            "code",
            "instruction",
            "bytecode",
            "first",
            "previous",
            "owner",
            "first_traced",
        )
    ] + [("code_type", ctypes.c_uint64)]


BYTES_HEADER = 32
MOST_CALLERS = 64
_LAYOUTS = {
    (3, 10): (24, -1, 32, 96, 48, BYTES_HEADER, 24, -1, -1),
    (3, 11): (8, 56, 32, 56, -1, 0, 48, 69, 168),
    (3, 12): (0, 56, 0, 56, -1, 0, 8, 70, 176),
    (3, 13): (72, -1, 0, 56, -1, 0, 8, 70, 184),
    (3, 14): (72, -1, 0, 56, -1, 0, 8, 74, 192),
}


def layout():
    """The layout of the running version; None if the version is not known."""
    known = _LAYOUTS.get(sys.version_info[:2])
    if known is None:
        return None
    found = Layout(*known, id(types.CodeType))
    if found.bytecode < 0:
        # The variable part of a code object is its bytecode (from CPython 3.11 on).
        found.first = type((lambda: 0).__code__).__basicsize__
    return found


def unknown():
    """The reason why there is no layout, as the end of a sentence."""
    oldest, newest = (".".join(map(str, found(_LAYOUTS))) for found in (min, max))
    return (
        f"the probe does not know where CPython {sys.version_info[0]}.{sys.version_info[1]} keeps "
        f"its frames; it knows CPython {oldest} to {newest}"
    )


def confirmed(native):
    """Whether the layout leads from two running functions to their own code and instructions, and
    to their callers."""
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
    ) and _callers_confirmed(native)


def _callers_confirmed(native):
    """Whether the callers are those of `sys._getframe`, also across a C function and a generator.
    Beyond the probe's limit there are more callers."""
    found = (ctypes.c_uint64 * MOST_CALLERS)()

    def generator():
        count = native.probe_callers_here(found, MOST_CALLERS)
        yield list(found)[:count], _callers(sys._getframe(1))

    def called(_):
        return next(generator())

    ((seen, expected),) = map(called, [0])
    return seen == expected[:MOST_CALLERS]


def _callers(frame):
    """The addresses of the code of a frame and its callers."""
    codes = []
    while frame is not None:
        codes.append(id(frame.f_code))
        frame = frame.f_back
    return codes
