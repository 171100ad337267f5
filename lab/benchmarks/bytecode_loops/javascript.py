"""Loops in JavaScript. V8 keeps the operations of a statement whose result is not used.

V8 has a bytecode `Star` for each of the first 16 registers, so the first 16 variables are numbered.
A bytecode that computes a value may also execute the `Star` after it. Therefore the `Star` under
test is the second of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.bytecode_loops.loop import Language, Loop, Statement

_REGISTERS = 16

_TEMPLATE = """\
'use strict';
let outer = 1;
const constant = 2;
globalThis.global = 3;
function empty() {{}}
function same(given) {{ return given; }}
function first(one, other) {{ return one; }}
function assign(value) {{ outer = value; }}
class Thing {{
  constructor() {{ this.p = 1; this.v = [1, 2, 3]; }}
  method() {{}}
  same(given) {{ return given; }}
}}
function loop(times) {{
  let {registers};
  let x = 1, y = 2, z = 0, last = 0, none, nothing = null, yes = true, no = false;
  let v = [1, 2, 3], typed = new Int32Array(16), o = new Thing(), s = 'text', r = [[1, 2], [3]];
  let captured = 1;
  const capture = () => captured;
  for (let turn = 0; turn < times; turn++) {{
{body}
  }}
  return capture;
}}
assign(1);
loop(Number(process.argv[2]));
"""

_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>")
_COMPARISONS = ("<", "<=", ">", ">=", "===", "!==", "==", "!=")

_TEXTS = (
    *(f"r{number} = last = 7;" for number in range(_REGISTERS)),
    "z = last = 7;",
    "x = y;",
    "x = 0;",
    "x = 7;",
    "x = 1e9;",
    "s = 'other';",
    "none = undefined;",
    "nothing = null;",
    "yes = true;",
    "no = false;",
    *(f"x {operator} y;" for operator in _OPERATORS),
    *(f"x {operator} 1;" for operator in _OPERATORS),
    *(f"z = x {operator} y;" for operator in _OPERATORS),
    "z++;",
    "z--;",
    "-x;",
    "~x;",
    "!x;",
    "!yes;",
    "typeof x;",
    *(f"x {comparison} y;" for comparison in _COMPARISONS),
    *(f"if (x {comparison} y) z = 0;" for comparison in _COMPARISONS),
    "if (x) z = 0;",
    "if (!x) z = 0;",
    "if (yes) z = 0;",
    "if (no) z = 0;",
    "if (x === undefined) z = 0;",
    "if (none === undefined) z = 0;",
    "if (nothing === null) z = 0;",
    "if (x !== null) z = 0;",
    "if (x < y) z = 0; else z = 1;",
    "if (y < x) z = 0; else z = 1;",
    "for (let at = 0; at < 1; at++) {}",
    "switch (x) { case 1: z = 1; break; case 2: z = 2; break; case 3: z = 3; break; }",
    "v[x];",
    "z = v[x];",
    "typed[x];",
    "v[x] = y;",
    "typed[x] = y;",
    "r[0][x];",
    "s[x];",
    "o.p;",
    "o.v;",
    "v.length;",
    "s.length;",
    "o.p = y;",
    "o.p++;",
    "empty();",
    "same(x);",
    "first(x, y);",
    "o.method();",
    "o.same(x);",
    "s.charCodeAt(x);",
    "s === 'other';",
    "s < 'other';",
    "captured;",
    "captured = 1;",
    "outer;",
    "outer = 1;",
    "constant;",
    "global;",
    "[x, y];",
    "[];",
    "({ p: x });",
    "`${s}`;",
    "x in v;",
    "o instanceof Thing;",
    "for (const one of r[1]) {}",
    "try { x; } catch {}",
)


def _text(loop: Loop) -> str:
    copies = "\n".join([loop.statement.text] * loop.copies)
    registers = ", ".join(f"r{number} = 1" for number in range(_REGISTERS))
    return _TEMPLATE.format(body=copies, registers=registers)


def _file(folder: Path, loop: Loop) -> Path:
    return folder / f"{loop.name}.cjs"


def _write(folder: Path, loops: Sequence[Loop]) -> None:
    for loop in loops:
        _file(folder, loop).write_text(_text(loop), encoding="utf-8")


JAVASCRIPT = Language(
    statements=[Statement(text) for text in _TEXTS],
    write=_write,
    arguments=lambda folder, loop: [str(_file(folder, loop))],
)
