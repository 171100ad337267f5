"""Loops in Java. The number of a local variable chooses between bytecodes such as `iload_1` and
`iload`, so there are three functions with different parameters.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bytecode_loops.loop import Language, Loop, Statement

_TEMPLATE = """\
final class {name} implements Runnable {{
  static int s;
  static int[] t = new int[16];
  int f = 1;
  int[] h = new int[16];
  {name} q;
  long k;
  boolean e;

  static void empty() {{}}
  static int one() {{ return 1; }}
  static int same(int given) {{ return given; }}
  int own() {{ return 1; }}
  void ownEmpty() {{}}
  public void run() {{}}

  static void numbers(int i0, int i1, int i2, int i3, int i4, int i5, int i6, int[] v, char[] c,
      byte[] b, int[][] r, String w, Object x, {name} o, Runnable n, long g, int times) {{
    for (; times > 0; times--) {{
{numbers}
    }}
  }}

  static void references(int[] v0, char[] c1, {name} o2, byte[] b3, int i4, int i5, int[] v6,
      {name} o7, int times) {{
    for (; times > 0; times--) {{
{references}
    }}
  }}

  void fields(int i1, int i2, int[] v3, int i4, int i5, int times) {{
    for (; times > 0; times--) {{
{fields}
    }}
  }}

  public static void main(String[] arguments) {{
    int times = Integer.parseInt(arguments[0]);
    {name} o = new {name}();
    o.q = o;
    int[] v = new int[16];
    int[][] r = new int[16][16];
    {calls}
  }}
}}
"""

_CALLS = {
    "numbers": (
        'numbers(1, 2, 3, 0, 5, 1, 1, v, new char[16], new byte[16], r, "text", "text", o, o, 1L,'
        " times);"
    ),
    "references": "references(v, new char[16], o, new byte[16], 5, 1, v, o, times);",
    "fields": "o.fields(1, 2, v, 5, 1, times);",
}

_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>")
_COMPARISONS = ("==", "!=", "<", ">=", ">", "<=")

_NUMBERS = (
    *(f"i4 = i{local};" for local in (0, 1, 2, 3, 5)),
    *(f"i{local} = i5;" for local in range(4)),
    *(f"i4 = {constant};" for constant in (-1, 0, 1, 2, 3, 4, 5, 100, 1_000, 100_000)),
    "i4++;",
    "i4 += 2;",
    *(f"i4 = i0 {operator} i1;" for operator in _OPERATORS),
    *(f"i4 = i5 {operator} i6;" for operator in _OPERATORS),
    *(f"i4 = i5 {operator} i0;" for operator in _OPERATORS),
    "i4 = -i5;",
    *(f"if (i0 {comparison} i1) i4 = 0;" for comparison in _COMPARISONS),
    *(f"if (i5 {comparison} i6) i4 = 0;" for comparison in _COMPARISONS),
    *(f"if (i3 {comparison} 0) i4 = 0;" for comparison in _COMPARISONS),
    *(f"if (i0 {comparison} 0) i4 = 0;" for comparison in _COMPARISONS),
    "if (o == null) i4 = 0;",
    "if (o != null) i4 = 0;",
    "if (i0 != 0) i4 = 0; else i4 = 1;",
    "for (i4 = 0; i4 < 1; i4++) {}",
    "switch (i0) { case 0: i4 = 0; break; case 1: i4 = 1; break; default: i4 = 2; }",
    "switch (i0) { case 0: i4 = 0; break; case 1000: i4 = 1; break; default: i4 = 2; }",
    "i4 = v[i0];",
    "i4 = v[i5];",
    "i4 = c[i0];",
    "i4 = c[i5];",
    "i4 = b[i0];",
    "i4 = b[i5];",
    "v = r[i0];",
    "v = r[i5];",
    "i4 = r[i5][i6];",
    "v[i0] = i1;",
    "v[i5] = i6;",
    "c[i0] = (char) i1;",
    "b[i0] = (byte) i1;",
    "r[i0] = v;",
    "v[i0]++;",
    "i4 = v.length;",
    "i4 = i5 = i0;",
    "i4 = o.f;",
    "o.f = i0;",
    "v = o.h;",
    "i4 = o.e ? 1 : 0;",
    "g = o.k;",
    "o.k = g;",
    "o.f++;",
    "i4 = s;",
    "s = i4;",
    "v = t;",
    "empty();",
    "one();",
    "i4 = one();",
    "i4 = same(i5);",
    "o.ownEmpty();",
    "i4 = o.own();",
    "n.run();",
    "i4 = w.length();",
    "i4 = w.charAt(i0);",
    "i4 = w.hashCode();",
    "i4 = x.hashCode();",
    "g = i0;",
    "g = g + 1L;",
    "g = g ^ 255L;",
    "g = g & 255L;",
    "g = g * 31L;",
    "g = g << i0;",
    "g = g >>> i0;",
    "i4 = (int) g;",
    "if (g == 0L) i4 = 0;",
    "i4 = (char) i0;",
    "i4 = (byte) i0;",
    "w = (String) x;",
    "if (x instanceof String) i4 = 0;",
    "x = w;",
    "x = null;",
    "x = new Object();",
)
_REFERENCES = (
    "v6 = v0;",
    "v0 = v6;",
    "o7 = o2;",
    "o2 = o7;",
    "i4 = v0[i5];",
    "i4 = c1[i5];",
    "i4 = o2.f;",
    "i4 = b3[i5];",
    "i4 = v0.length;",
    "i4 = c1.length;",
    "i4 = b3.length;",
    "o2.ownEmpty();",
)
_FIELDS = (
    "i4 = f;",
    "f = i1;",
    "v3 = h;",
    "i4 = h[i1];",
    "i4 = h[i5];",
    "i4 = q.f;",
    "f++;",
    "i4 = own();",
    "ownEmpty();",
)


def _text(loop: Loop) -> str:
    copies = "\n".join([loop.statement.text] * loop.copies)
    bodies = dict.fromkeys(_CALLS, "") | {loop.statement.within: copies}
    return _TEMPLATE.format(name=loop.name, calls=_CALLS[loop.statement.within], **bodies)


def _write(folder: Path, loops: Sequence[Loop]) -> None:
    javac = shutil.which("javac")
    if javac is None:
        raise SystemExit("no Java compiler: apt-get install openjdk-17-jdk-headless")
    files = []
    for loop in loops:
        file = folder / f"{loop.name}.java"
        file.write_text(_text(loop), encoding="utf-8")
        files.append(file)
    subprocess.run([javac, "--release", "17", "-d", folder, *files], check=True)


JAVA = Language(
    statements=[
        *(Statement(text, "numbers") for text in _NUMBERS),
        *(Statement(text, "references") for text in _REFERENCES),
        *(Statement(text, "fields") for text in _FIELDS),
    ],
    write=_write,
    arguments=lambda folder, loop: ["-cp", str(folder), loop.name],
)
