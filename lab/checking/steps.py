"""The steps of the check, in the order in which a mistake is cheapest to find."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from checking.step import Step, command, pytest, silent
from runfair.catalogue.runtime import variants
from runfair.paths import BENCHMARKS, REPOSITORY, private_folder

PYTHON = ("lab", "benchmarks", "tests")
CPP = ("*.cpp", "*.hpp")
WARNINGS = ("-std=c++20", "-Wall", "-Wextra", "-Werror")


def steps(*, long: bool, write: bool) -> Iterator[Step]:
    """`write` lets the formatters change files; otherwise a file that is not formatted fails."""
    yield from formatting(write)
    yield from linting()
    yield from compiled_tests()
    yield pytest("unit tests", ["lab/tests", "benchmarks", "-m", "not long"])
    yield command("verify at tiny", [REPOSITORY / "runfair", "verify"])
    yield pytest("end to end", ["tests", "-m", "not long"])
    if long:
        yield pytest("long tests", ["lab/tests", "benchmarks", "tests", "-m", "long"])
        yield command(
            "verify every variant", [REPOSITORY / "runfair", "verify", "--runtimes", "all"]
        )


def formatting(write: bool) -> Iterator[Step]:
    mode = [] if write else ["--check"]
    yield command("format Python", [tool("ruff"), "format", "--quiet", *mode, *PYTHON])
    style = ["-i"] if write else ["--dry-run", "--Werror"]
    yield command("format C++", [tool("clang-format"), *style, *sources(*CPP)])
    gofmt = shutil.which("gofmt")
    yield silent("format Go", ["gofmt", "-w" if write else "-l", BENCHMARKS], needs=gofmt)
    cargo, environment = rust()
    yield command(
        "format Rust",
        [cargo or "cargo", "fmt", "--all", *mode],
        needs=cargo,
        cwd=BENCHMARKS,
        env=environment,
    )


def linting() -> Iterator[Step]:
    yield command("lint Python", [tool("ruff"), "check", "--quiet", *PYTHON])
    yield command(
        "types of Python",
        [tool("mypy"), "lab/runfair", "lab/checking", "lab/benchmarks", "lab/tests", "tests"],
        env={**os.environ, "MYPY_CACHE_DIR": str(private_folder() / "mypy")},
    )
    yield command(
        "types of the benchmarks' Python",
        [tool("mypy"), "--python-version", "3.11", "-p", "harness", "-p", "langbench"],
        env={**os.environ, "MYPYPATH": str(BENCHMARKS)},
        cwd=BENCHMARKS,
    )
    yield command("lint Go", ["go", "vet", "./..."], needs=shutil.which("go"), cwd=BENCHMARKS)
    cargo, environment = rust()
    lint = ["clippy", "--quiet", "--all-targets", "--locked", "--", "-D", "warnings"]
    yield command(
        "lint Rust", [cargo or "cargo", *lint], needs=cargo, cwd=BENCHMARKS, env=environment
    )
    compiler = shutil.which("g++") or shutil.which("clang++")
    for folder in ("launcher", "reference"):
        yield command(
            f"warnings of lab/{folder}",
            [compiler or "g++", *WARNINGS, "-fsyntax-only", *sources(f"lab/{folder}/*.cpp")],
            needs=compiler,
        )
    scratch = private_folder() / "check" / "java"
    yield command(
        "lint Java",
        ["javac", "--release", "17", "-Xlint:all", "-Werror", "-d", scratch, *sources("*.java")],
        needs=shutil.which("javac"),
    )
    node = shutil.which("node")
    for script in sources("*.js"):
        yield command(f"syntax of {script}", ["node", "--check", script], needs=node)


def compiled_tests() -> Iterator[Step]:
    """The languages' own tests, and every harness's test vectors."""
    yield command("tests of Go", ["go", "test", "./..."], needs=shutil.which("go"), cwd=BENCHMARKS)
    cargo, environment = rust()
    yield command(
        "tests of Rust",
        [cargo or "cargo", "test", "--quiet", "--locked"],
        needs=cargo,
        cwd=BENCHMARKS,
        env=environment,
    )


def rust() -> tuple[Path | None, dict[str, str]]:
    """(cargo of the default toolchain, what it is run with). It is found by path, since a rustup
    proxy does not work under an empty HOME; what it makes stays in the private folder."""
    for variant in variants():
        if variant.language == "rust" and variant.default and variant.executable:
            rustc = Path(variant.executable)
            private = private_folder()
            return rustc.with_name("cargo"), {
                **os.environ,
                "PATH": f"{rustc.parent}:{os.environ.get('PATH', '')}",
                "RUSTC": str(rustc),
                "CARGO_HOME": str(private / "cargo"),
                "CARGO_TARGET_DIR": str(private / "check" / "rust"),
            }
    return None, {}


def tool(name: str) -> Path:
    """A tool of the check's own environment."""
    return Path(sys.executable).parent / name


def sources(*patterns: str) -> list[str]:
    """Files that git tracks or would track, below the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.splitlines() if (REPOSITORY / name).exists()]
