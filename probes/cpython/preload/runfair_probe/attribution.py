"""Finds the functions, lines and columns for the addresses that the sampler recorded."""

import ctypes
import gc
import types


def codes_by_address(kept):
    """All code objects that can be found, by address: the code objects that were `kept`, and those
    of live functions."""
    found = {}
    todo = [*kept]
    todo += [each.__code__ for each in gc.get_objects() if isinstance(each, types.FunctionType)]
    while todo:
        code = todo.pop()
        if id(code) in found:
            continue
        found[id(code)] = code
        todo += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return found


def objects_at(addresses):
    """The objects at these addresses. Each object must be alive."""
    return [ctypes.cast(address, ctypes.py_object).value for address in addresses]


def function_of(code):
    """The path and the name of a function; empty if its code object was not found."""
    if code is None:
        return "", ""
    return code.co_filename, getattr(code, "co_qualname", code.co_name)


class Positions:
    """The lines and columns of code objects. Each code object is read once."""

    def __init__(self):
        self._known = {}

    def of(self, code, offset):
        """The line, end line, column and end column of the instruction at `offset` bytes. A value
        is None if the compiler did not record it. Columns are counted in bytes of UTF-8, from 0."""
        positions = self._known.get(id(code))
        if positions is None:
            positions = self._known[id(code)] = _positions(code)
        at = offset // 2
        return positions[at] if at < len(positions) else (None, None, None, None)


def _positions(code):
    if hasattr(code, "co_positions"):
        return list(code.co_positions())
    found = [(None, None, None, None)] * (len(code.co_code) // 2)
    for begin, end, line in code.co_lines():
        for at in range(begin // 2, end // 2):
            found[at] = (line, line, None, None)
    return found
