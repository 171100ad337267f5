"""Formatters. Formatters change files if the check is run by hand; in CI they fail if a file is not
formatted.
"""

from __future__ import annotations

from collections.abc import Iterator

from checking.javascript import biome
from checking.kotlin import format_kotlin
from checking.load_generator import format_load_generator
from checking.services import format_services
from checking.sources import sources
from checking.step import Step, command
from checking.toolchain import GO, own_script, own_tool, toolchain
from runfair.paths import BENCHMARKS

PYTHON = ("conftest.py", "lab", "benchmarks", "platforms", "probes", "tests")


def formatting(write: bool) -> Iterator[Step]:
    mode = [] if write else ["--check"]
    yield command("format Python", own_tool("ruff", "format", "--quiet", *mode, *PYTHON))
    style = ["-i"] if write else ["--dry-run", "--Werror"]
    cpp = sources("*.cpp", "*.hpp")
    yield command("format C++", [*own_script("clang-format", *style), *cpp])
    gofmt = toolchain("go", GO).part("gofmt", "apt-get install golang-go")
    listing = [gofmt.path, "-w" if write else "-l", *sources("*.go")]
    yield command("format Go", listing, needs=gofmt, silent=True)
    rustfmt = toolchain("rust").part("cargo-fmt", "apt-get install rustfmt")
    yield command(
        "format Rust",
        [rustfmt.path.with_name("cargo"), "fmt", "--all", *mode],
        needs=rustfmt,
        directory=BENCHMARKS,
    )
    yield format_load_generator(mode)
    yield format_services(mode)
    yield format_kotlin(write)
    yield biome("format JavaScript", "format", *(["--write"] if write else []))
