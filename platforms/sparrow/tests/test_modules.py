"""Tests of what modules are read from, and of modules of WebAssembly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Run


def test_webassembly_is_compiled(run: Run) -> None:
    """Another thread of V8 does that, while nothing else holds the loop."""
    done = run(
        "const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);\n"
        "const { instance } = await WebAssembly.instantiate(bytes);\n"
        "console.log(Object.keys(instance.exports));"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
