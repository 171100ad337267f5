"""Tests each harness with the shared test vectors, and runs the languages' own tests."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from checking.cargo import shared_target
from checking.cpp import VECTORS as CPP_VECTORS
from checking.cpp import self_testing_programs
from checking.go import TEST, TRIMMED, go_tests
from checking.services import without_services
from checking.sources import sources
from checking.step import Counted, Output, Skipped, Step, Words, command
from checking.toolchain import GO, QUICK_JAVAC, Toolchain, shared_tool, toolchain
from runfair.paths import BENCHMARKS, PLATFORMS, private_folder

HARNESS = BENCHMARKS / "harness"
VECTORS = HARNESS / "vectors.txt"
# Also with a path and arguments, as in `#[tokio::test(flavor = "…")]`.
_TEST = re.compile(r"#\[(?:\w+::)*test\b")


def harnesses() -> Iterator[Step]:
    yield from cpp_harness(toolchain("gcc"))
    tool = toolchain("go", GO)
    # `lint Go` has vetted every package, so only the packages with tests are built here.
    tests: Words = [tool.path, *TEST, *go_tests(BENCHMARKS)]
    yield command("tests of Go", tests, needs=tool, directory=BENCHMARKS)
    run: Words = [tool.path, "run", TRIMMED, "./harness/go/vectors"]
    yield vectors("vectors of Go", run, needs=tool)
    yield from erlang()
    yield from java()
    node = toolchain("node")
    script = HARNESS / "javascript" / "vectors.js"
    yield vectors("vectors of JavaScript", [node.path, script], needs=node)
    truffle = toolchain("newspeak")
    questions = HARNESS / "newspeak" / "Vectors.ns"
    words: Words = [PLATFORMS / "newspeak" / "newspeak", questions]
    yield vectors("vectors of Newspeak", words, needs=truffle)
    yield vectors("vectors of Python", [sys.executable, "-m", "harness.python.vectors"])


def cpp_harness(compiler: Toolchain) -> Iterator[Step]:
    """Steps that test the vectors of C++, and run the programs that test themselves. The ordinary
    check uses gcc, and `--long` also clang.
    """
    for program in (CPP_VECTORS, *self_testing_programs()):
        yield program.step(compiler)
    name = f"vectors of C++ by {compiler.name}"
    yield vectors(name, [CPP_VECTORS.binary(compiler)], needs=compiler)


def vectors(
    name: str,
    words: Words,
    *,
    needs: Toolchain | None = None,
    environment: Mapping[str, str] | None = None,
) -> Step:
    """A step that gives the questions to a harness's program `vectors`, and compares its output
    with the right answers (benchmarks/contract.md, "Test vectors").
    """

    def run(output: Output) -> Counted:
        if needs is not None and needs.executable is None:
            return Counted(skipped=(Skipped(name, needs.missing),))
        expected = VECTORS.read_text(encoding="utf-8")
        done = subprocess.run(
            [str(word) for word in words],
            cwd=BENCHMARKS,
            env=environment if needs is None else needs.environment | dict(environment or {}),
            input=expected,
            stdout=subprocess.PIPE,
            stderr=output,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        differing = difflib.unified_diff(
            expected.splitlines(), done.stdout.splitlines(), "vectors.txt", name, lineterm=""
        )
        for line in differing:
            print(line, file=output, flush=True)
        right = done.returncode == 0 and done.stdout == expected
        return Counted(passed=1) if right else Counted(failed=1)

    return Step(name, run)


def erlang() -> Iterator[Step]:
    """Steps that compile Erlang's harness and programs without a warning, and test the vectors."""
    erl = toolchain("erlang")
    beams = private_folder() / "check" / "erlang"
    beams.mkdir(parents=True, exist_ok=True)
    erlc: Words = [erl.path.with_name("erlc"), "-Wall", "-Werror", "-pa", beams, "-o", beams]
    harness = sources("*.erl", root=HARNESS / "erlang")
    yield command("lint the harness of Erlang", [*erlc, *harness], needs=erl)
    programs = [one for one in sources("*.erl", root=BENCHMARKS) if one not in harness]
    yield command("lint Erlang", [*erlc, *programs], needs=erl)
    run: Words = [erl.path, "-noshell", "-boot", "no_dot_erlang", "-pa", beams, "-s", "vectors"]
    yield vectors("vectors of Erlang", [*run, "main"], needs=erl)


def java() -> Iterator[Step]:
    javac = shared_tool("javac")
    classes = private_folder() / "check" / "java-harness"
    files = sources("*.java", root=HARNESS / "java")
    options = [*QUICK_JAVAC, "--release", "17", "-encoding", "UTF-8"]
    build: Words = [javac.path, *options, "-d", classes, *files]
    yield command("build the vectors of Java", build, needs=javac)
    # The virtual machine of the same JDK is used, because an older virtual machine could not read
    # the classes.
    machine: Path = javac.path.with_name("java")
    yield vectors("vectors of Java", [machine, "-cp", classes, "runfair.Vectors"], needs=javac)


def rust_harness() -> Iterator[Step]:
    cargo = toolchain("rust").part("cargo", "apt-get install cargo")
    packages = [word for name in crates_with_tests(BENCHMARKS) for word in ("--package", name)]
    yield command(
        "tests of Rust",
        [cargo.path, "test", "--quiet", "--locked", *packages],
        needs=cargo,
        directory=BENCHMARKS,
        environment=shared_target(),
    )
    run = ["run", "--quiet", "--locked", "-p", "runfair-harness", "--bin", "vectors"]
    yield vectors("vectors of Rust", [cargo.path, *run], needs=cargo, environment=shared_target())


def crates_with_tests(root: Path) -> list[str]:
    """The names of the crates below `root` that have tests, without the services' crates. `cargo
    test` would also build all crates without a test, which takes minutes.
    """
    return [
        tomllib.loads(manifest.read_text(encoding="utf-8"))["package"]["name"]
        for manifest in without_services(sources("Cargo.toml", root=root))
        if any(_TEST.search(one.read_text()) for one in sources("*.rs", root=manifest.parent))
        and "[package]" in manifest.read_text(encoding="utf-8")
    ]
