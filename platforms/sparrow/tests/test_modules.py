"""Tests of what modules are read from, and of modules of WebAssembly."""

from __future__ import annotations

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
