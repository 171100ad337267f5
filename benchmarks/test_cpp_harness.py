"""Tests what a C++ program says about its own build (harness/cpp/runfair/execution.hpp)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from checking.toolchain import toolchain
from runfair.paths import BENCHMARKS

# The sources with the function main of all programs that define NDEBUG, because of their libraries.
LIBRARY_PROGRAMS = [
    source
    for build in sorted(BENCHMARKS.rglob("cpp*/**/program.toml"))
    if "-DNDEBUG" in build.read_text(encoding="utf-8")
    for source in sorted(build.parent.glob("*.cpp"))
    if "runfair::main<" in source.read_text(encoding="utf-8")
]
SAYS_WHAT_IT_IS = """#include "runfair/execution.hpp"
int main() { std::puts(runfair::effective().c_str()); }
"""


@pytest.mark.parametrize(
    ("library", "flag", "active"),
    [
        ("string", "-O2", False),
        ("string", "-D_GLIBCXX_ASSERTIONS", True),
        ("cassert", "-O2", True),
        ("cassert", "-DNDEBUG", False),
    ],
)
def test_assertions_are_active_if_a_library_uses_assert(
    library: str, flag: str, active: bool, tmp_path: Path
) -> None:
    compiler = toolchain("gcc")
    if compiler.executable is None:
        pytest.skip(compiler.missing)
    source, program = tmp_path / "made.cpp", tmp_path / "made"
    source.write_text(f"#include <{library}>\n{SAYS_WHAT_IT_IS}")
    harness = BENCHMARKS / "harness" / "cpp"
    command = [compiler.executable, "-std=c++20", flag, "-I", harness, source, "-o", program]
    subprocess.run(command, check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True)
    assert json.loads(said.stdout)["assertions"] is active


@pytest.mark.parametrize(
    "source", LIBRARY_PROGRAMS, ids=lambda source: str(source.parent.relative_to(BENCHMARKS))
)
def test_a_program_includes_its_libraries_before_the_harness(source: Path) -> None:
    """Otherwise the harness does not see that a library uses assert()."""
    compiler = toolchain("gcc")
    if compiler.executable is None:
        pytest.skip(compiler.missing)
    headers = ["-I", BENCHMARKS / "harness" / "cpp", "-isystem", "/usr/include/postgresql"]
    command = [compiler.executable, "-std=c++20", "-E", "-P", *headers, source]
    preprocessed = subprocess.run(command, check=False, capture_output=True, text=True)
    if "No such file" in preprocessed.stderr:
        pytest.skip(preprocessed.stderr.splitlines()[0])
    assert "asserts = (std::string_view(" in preprocessed.stdout
    assert 'asserts = (std::string_view("assert(0)")' not in preprocessed.stdout
