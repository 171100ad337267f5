"""Loops in Python. The compiler keeps statements whose result is not used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

from benchmarks.bytecode_loops.loop import Language, Loop, Statement

_TEMPLATE = """\
import sys

module_variable = 1


class Thing:
    def __init__(self):
        self.a = 1

    def method(self):
        pass


def function():
    pass


def function_of_one(argument):
    return argument


def generator():
    while True:
        yield


def scope():
    cell = 1

    def loop(times):
        x, y, z, big = 1, 2, 0, 1 << 40
        v, t, s, other = [1, 2, 3], (1, 2), "text", "test"
        d, q = {{1: 1}}, {{1, 2}}
        o, g = Thing(), generator()
        nothing, none, empty, one = None, range(0), [], [1]
        single = (1,)
        for _ in range(times):
{body}
        return cell

    return loop


scope()(int(sys.argv[1]))
"""

_OPERATORS = ("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>")
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")

_TEXTS = (
    "x",
    "x = 1",
    "x = 1000000",
    "x = y",
    "x, y = y, x",
    *(f"x {operator} y" for operator in _OPERATORS),
    *(f"y {operator} 1" for operator in _OPERATORS),
    *(f"big {operator} x" for operator in _OPERATORS),
    "z += 1",
    "s + other",
    "-x",
    "not x",
    "x or y",
    "x and y",
    *(f"x {comparison} y" for comparison in _COMPARISONS),
    "s == other",
    "x is y",
    "nothing is None",
    "x in t",
    "x in v",
    "x in q",
    "x in d",
    "s in other",
    "x not in t",
    "if x: y",
    "if z: y",
    "if not x: y",
    "if not z: y",
    "if x < y: y",
    "if y < x: y",
    "if x == y: y",
    "if not x < y: y",
    "if nothing is None: y",
    "if nothing is not None: y",
    "while z: pass",
    "for n in (): pass",
    "for n in empty: pass",
    "for n in none: pass",
    "for n in one: pass",
    "for n in single: pass",
    "for n in d: pass",
    "v[x]",
    "v[0]",
    "v[-1]",
    "t[x]",
    "s[x]",
    "d[x]",
    "v[x] = y",
    "d[x] = y",
    "v[x] += 1",
    "v[x:y]",
    "s[x:y]",
    "o.a",
    "o.a = x",
    "o.a += 0",
    "o.method()",
    "function()",
    "function_of_one(x)",
    "module_variable",
    "len",
    "len(v)",
    "isinstance(x, int)",
    "ord('a')",
    "min(x, y)",
    "range(x)",
    "str(x)",
    "s.isdigit()",
    "s.startswith(other)",
    "d.get(x)",
    "one.append(x); one.pop()",
    "cell",
    "x, n = t",
    "n, = single",
    "[x, y]",
    "(x, y)",
    "[n for n in single]",
    "f'{s}{other}'",
    "next(g)",
    "try: x\nexcept KeyError: pass",
)


def _text(loop: Loop) -> str:
    copies = "\n".join([loop.statement.text] * loop.copies)
    return _TEMPLATE.format(body=indent(copies, " " * 12))


def _file(folder: Path, loop: Loop) -> Path:
    return folder / f"{loop.name}.py"


def _write(folder: Path, loops: Sequence[Loop]) -> None:
    for loop in loops:
        _file(folder, loop).write_text(_text(loop), encoding="utf-8")


PYTHON = Language(
    statements=[Statement(text) for text in _TEXTS],
    write=_write,
    arguments=lambda folder, loop: [str(_file(folder, loop))],
)
