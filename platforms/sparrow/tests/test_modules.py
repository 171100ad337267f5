"""Tests of what modules are read from, and of modules of WebAssembly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run


def test_webassembly_is_compiled(run: Run) -> None:
    """Another thread of V8 does that, while nothing else holds the loop."""
    done = run(
        "const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);\n"
        "const { instance } = await WebAssembly.instantiate(bytes);\n"
        "console.log(Object.keys(instance.exports));"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# Prints how often the main thread sleeps while another thread compiles functions that add 1 often,
# and the CPU times of the main thread and of the whole process, in units of 10 ms.
COMPILING = """
import { readText } from 'sparrow:files';
const leb = (value) => value < 128 ? [value] : [value & 127 | 128, ...leb(value >> 7)];
const section = (id, content) => [id, ...leb(content.length), ...content];
const body = [0, 0x41, 0]; // no locals; i32.const 0
for (let i = 0; i < 3000; i++) body.push(0x41, 1, 0x6a); // i32.const 1, i32.add
body.push(0x0b);
const code = [...leb(body.length), ...body];
const count = 600;
const all = [
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 0, 1, 0x7f]),
  ...section(3, [...leb(count), ...Array(count).fill(0)]),
];
const head = [...leb(count)];
const bytes = Uint8Array.from([
  ...all, 10, ...leb(head.length + count * code.length), ...head,
  ...Array.from({ length: count }, () => code).flat(),
]);
const sleeps = () => {
  const status = readText(`/proc/self/task/${process.pid}/status`);
  return Number(/^voluntary_ctxt_switches:\\t(.+)$/m.exec(status)[1]);
};
const used = (of) => {
  const [user, system] = readText(`/proc/self/${of}stat`).split(') ')[1].split(' ').slice(11, 13);
  return Number(user) + Number(system);
};
const now = () => [sleeps(), used(`task/${process.pid}/`), used('')];
const before = now();
await WebAssembly.compile(bytes);
console.log(JSON.stringify(now().map((one, i) => one - before[i])));
"""


def test_the_loop_sleeps_while_another_thread_compiles(run: Run) -> None:
    done = run(COMPILING, "--v8=--no-wasm-lazy-compilation --no-liftoff")
    slept, used_alone, used = json.loads(done.stdout)
    assert used > 20, "nothing was compiled"
    # On a busy machine the loop sleeps less often, for longer.
    assert slept > 0 and used_alone < used / 4


def test_a_mark_of_the_byte_order_is_no_part_of_a_module(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1]", encoding="utf-8-sig")
    done = run("\ufeffimport a from './a.json' with { type: 'json' };\nconsole.log(a);")
    assert (done.stdout, done.stderr) == ("[1]\n", "")


def test_the_name_of_a_module_is_not_cut(run: Run) -> None:
    done = run(
        "const url = new URL('other.js%00.txt', import.meta.url).href;\n"
        "for (const name of ['./other.js\\0.txt', url])\n"
        "  console.log(await import(name).catch(({ code }) => code));",
        other="",
    )
    assert done.stdout == "ERR_MODULE_NOT_FOUND\n" * 2, done.stderr
