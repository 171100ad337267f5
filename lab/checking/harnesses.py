"""Each harness against the shared test vectors, and the languages' own tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from checking.cargo import shared_target
from checking.cpp import VECTORS, self_testing_programs
from checking.sources import sources
from checking.step import Step, command
from checking.toolchain import shared_tool, toolchain
from runfair.paths import BENCHMARKS, private_folder

HARNESS = BENCHMARKS / "harness"


def harnesses() -> Iterator[Step]:
    for compiler in (toolchain("gcc"), toolchain("clang")):
        for program in self_testing_programs():
            yield program.step(compiler)
    yield from go()
    yield from java()
    node = toolchain("node")
    script = HARNESS / "javascript" / "vectors.js"
    yield command("vectors of JavaScript", [node.path, script, VECTORS], needs=node)
    yield command(
        "vectors of Python",
        [sys.executable, "-m", "harness.python.vectors", VECTORS],
        directory=BENCHMARKS,
    )


def go() -> Iterator[Step]:
    tool = toolchain("go")
    yield command("tests of Go", [tool.path, "test", "./..."], needs=tool, directory=BENCHMARKS)
    yield command(
        "vectors of Go",
        [tool.path, "run", "./harness/go/vectors", VECTORS],
        needs=tool,
        directory=BENCHMARKS,
    )


def java() -> Iterator[Step]:
    javac = shared_tool("javac")
    classes = private_folder() / "check" / "java-harness"
    files = sources("*.java", root=HARNESS / "java")
    # The machine of the same JDK: an older one could not read the classes.
    machine = javac.path.with_name("java")
    yield command(
        "vectors of Java",
        [javac.path, "--release", "17", "-encoding", "UTF-8", "-d", classes, *files],
        [machine, "-cp", classes, "runfair.Vectors", VECTORS],
        needs=javac,
    )


def rust_harness() -> Iterator[Step]:
    cargo = toolchain("rust").part("cargo", "apt-get install cargo")
    for name, words in (
        ("tests of Rust", ["test", "--quiet", "--locked"]),
        (
            "vectors of Rust",
            ["run", "--quiet", "--locked", "-p", "runfair-harness", "--bin", "vectors", VECTORS],
        ),
    ):
        yield command(
            name,
            [cargo.path, *words],
            needs=cargo,
            directory=BENCHMARKS,
            environment=shared_target(),
        )
