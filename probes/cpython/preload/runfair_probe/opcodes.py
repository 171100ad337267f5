"""The opcodes of the running CPython by number, including specialised opcodes."""

import opcode
import sys

OPCODES = 256
INSTRUMENTED = "INSTRUMENTED_"


def names():
    """The 256 names of opcodes by number; None if no opcode has the number."""
    found = [None] * OPCODES
    for name, number in {**_specialised(), **opcode.opmap}.items():
        if number < OPCODES:
            found[number] = name
    return found


def families():
    """A dictionary from each specialised opcode to the general opcode that `dis` shows for it."""
    return {
        special: general
        for general, specials in getattr(opcode, "_specializations", {}).items()
        for special in specials
    }


def _specialised():
    """A dictionary from name to number, for the opcodes that the interpreter writes into running
    code."""
    version = sys.version_info[:2]
    if version < (3, 11):
        return {}
    if version < (3, 13):
        # As in `dis`, these opcodes have the numbers that no other opcode has, in this order.
        free = [number for number, name in enumerate(opcode.opname) if name.startswith("<")]
        found = dict(zip(opcode._specialized_instructions, free, strict=False))
        if version == (3, 11):
            found["DO_TRACING"] = 255
        return found
    import _opcode_metadata  # noqa: PLC0415

    return {**_opcode_metadata._specialized_opmap, **_opcode_metadata.opmap}
