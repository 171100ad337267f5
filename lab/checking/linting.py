"""Steps that run linters and type checkers, and compilers with warnings as errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from checking.cargo import clippy, shared_target
from checking.cpp import built_programs
from checking.formatting import PYTHON
from checking.go import VET
from checking.javascript import biome, declarations
from checking.load_generator import lint_load_generator
from checking.services import lint_frameworks, lint_services, without_services
from checking.sources import sources
from checking.step import Counted, Output, Step, command
from checking.toolchain import GO, QUICK_JAVAC, own_tool, shared_tool, toolchain
from runfair.paths import BENCHMARKS, REPOSITORY, private_folder

# Without the suites whose programs import libraries that only a service's own environment has.
TYPED_SUITES = ("actors", "awfy", "concurrency", "harness", "langbench", "newspeak")
TYPED = (
    "conftest.py",
    "lab/runfair",
    "lab/checking",
    "lab/benchmarks",
    "lab/tests",
    "tests",
    "platforms",
)


def linting() -> Iterator[Step]:
    yield command("lint Python", own_tool("ruff", "check", "--quiet", *PYTHON))
    yield command("types of Python", own_tool("mypy", *TYPED))
    yield types_of_programs()
    go = toolchain("go", GO)
    yield command("lint Go", [go.path, *VET], needs=go, directory=BENCHMARKS)
    for program in built_programs(tiers=False):
        yield program.step(toolchain("gcc"), parsed=True)
    yield lint_java()
    yield biome("lint JavaScript", "lint", "--error-on-warnings")
    yield declarations()


def types_of_programs() -> Step:
    """mypy on the benchmarks' Python. A folder such as `fan-out` is no package to mypy, so mypy
    reads a copy in which each hyphen in the name of a file or folder is an underscore.
    """
    name = "types of the benchmarks' Python"
    copy = private_folder() / "check" / "python"

    def run(output: Output) -> Counted:
        shutil.rmtree(copy, ignore_errors=True)
        for suite in TYPED_SUITES:
            for file in sources("*.py", root=BENCHMARKS / suite):
                to = copy / str(file.relative_to(BENCHMARKS)).replace("-", "_")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)
        packages = [word for suite in TYPED_SUITES for word in ("--package", suite)]
        return command(
            name,
            own_tool("mypy", "--config-file", REPOSITORY / "pyproject.toml", *packages),
            environment={**os.environ, "MYPYPATH": f"{copy}:{BENCHMARKS}:{REPOSITORY / 'lab'}"},
            directory=copy,
        ).run(output)

    return Step(name, run)


def linting_by_cargo() -> Iterator[Step]:
    """Steps that lint Rust and the services whose libraries cargo compiles."""
    tool = toolchain("rust").part("cargo-clippy", "apt-get install rust-clippy")
    yield command(
        "lint Rust",
        [tool.path.with_name("cargo"), *clippy("--all-targets")],
        needs=tool,
        directory=BENCHMARKS,
        environment=shared_target(),
    )
    yield lint_load_generator(tests=False)
    yield from lint_services()


def lint_java() -> Step:
    javac = shared_tool("javac")
    classes = private_folder() / "check" / "java"
    # Java of the platforms, and Java with a pom.xml, needs libraries that only its build fetches.
    files = [
        one
        for one in sources("*.java")
        if not one.is_relative_to(REPOSITORY / "platforms")
        and not one.with_name("pom.xml").is_file()
    ]
    options = ["--release", "17", "-Xlint:all", "-Werror", "-encoding", "UTF-8"]
    return command(
        "lint Java",
        [javac.path, *QUICK_JAVAC, *options, "-d", classes, *without_services(files)],
        needs=javac,
    )


def further_linting() -> Iterator[Step]:
    """Linting of the services that only `--long` verifies, of the load generator's tests, and of
    all C++ programs by clang and by gcc. The ordinary check only parses C++ with gcc, which leaves
    out the warnings of gcc's optimiser and halves the time.
    """
    yield from lint_frameworks()
    yield lint_load_generator(tests=True)
    for program in built_programs(tiers=True):
        yield program.step(toolchain("gcc"))
        yield program.step(toolchain("clang"), parsed=True)
