"""Steps for the services' programs. The programs are linted if the libraries of their frameworks
are installed. A service's own tests run too, if it has any.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from checking.cargo import cargo_test, clippy, shared_target
from checking.cpp import HARNESS, SERVICES, WARNINGS, libraries
from checking.go import TEST, VET, go_tests
from checking.sources import sources
from checking.step import Step, Words, command
from checking.testing import LONG_SERVICES
from checking.toolchain import Toolchain, first_missing, toolchain
from runfair.paths import BENCHMARKS

FOLDERS = [BENCHMARKS / suite for suite in SERVICES]


def without_services(files: list[Path]) -> list[Path]:
    """The files that do not need the library of a framework."""
    return [file for file in files if not any(map(file.is_relative_to, FOLDERS))]


def _files(pattern: str) -> list[Path]:
    return [file for root in FOLDERS for file in sources(pattern, root=root)]


def format_services(mode: list[str]) -> Step:
    rustfmt = toolchain("rust").part("cargo-fmt", "apt-get install rustfmt")
    runs: list[Words] = [
        [rustfmt.path.with_name("cargo"), "fmt", "--all", "--manifest-path", manifest, *mode]
        for manifest in _files("Cargo.toml")
    ]
    return command("format the services' Rust", *runs, needs=rustfmt)


def lint_services() -> Iterator[Step]:
    for module in _files("go.mod"):
        yield _go("lint the services' Go", VET, module.parent)
    yield from _lint_cpp(long=False)


def _lint_cpp(*, long: bool) -> Iterator[Step]:
    """Steps that parse the services in C++. The headers of their frameworks take long to parse, so
    `--long` parses the services that only it verifies.
    """
    gcc = toolchain("gcc")
    includes: Words = ["-I", HARNESS, "-isystem", "/usr/include/postgresql"]
    compile_only: Words = [gcc.path, *WARNINGS, *includes, "-fsyntax-only"]
    for folder in cpp_services(long=long):
        runs: list[Words] = [[*compile_only, file] for file in sources("*.cpp", root=folder)]
        needs = first_missing(gcc, *service_libraries(folder))
        yield command(f"lint the services' C++: {folder.name}", *runs, needs=needs)


def cpp_services(*, long: bool) -> list[Path]:
    """The folders of the services in C++ that the ordinary check, or only `--long`, verifies."""
    return [
        path.parent
        for root in FOLDERS
        for path in sorted(root.glob("*/cpp/*/program.toml"))
        if (path.parent.name in LONG_SERVICES.get(path.parents[2].name, set())) == long
    ]


def test_services() -> Iterator[Step]:
    for module in _files("go.mod"):
        if packages := go_tests(module.parent):
            yield _go("tests of the services' Go", [*TEST, *packages], module.parent)


def test_frameworks() -> Iterator[Step]:
    """Tests of the services' Rust. Each compiles the libraries of its crate."""
    for manifest in _crates():
        if any("#[cfg(test)]" in one.read_text() for one in sources("*.rs", root=manifest.parent)):
            yield cargo_test(
                f"tests of the services' Rust: {manifest.parent.name}",
                "--locked",
                needs=toolchain("rust").part("cargo", "apt-get install cargo"),
                directory=manifest.parent,
                environment=shared_target(),
            )


def _go(name: str, words: Words, module: Path) -> Step:
    go = toolchain("go", "1.25")
    # Without cgo, as in the programs' builds.
    environment = {"CGO_ENABLED": "0"}
    return command(name, [go.path, *words], needs=go, directory=module, environment=environment)


def service_libraries(folder: Path) -> list[Toolchain]:
    """The system packages whose headers a service in C++ includes. The headers that several
    services share, in the folder `domain` beside them, count only if the service includes them.
    """
    own = [*sources("*.cpp", root=folder), *sources("*.hpp", root=folder)]
    shared = any('#include "../domain/' in file.read_text(encoding="utf-8") for file in own)
    return libraries([*own, *(sources("*.hpp", root=folder.parent / "domain") if shared else [])])


def lint_frameworks() -> Iterator[Step]:
    """Linting of the services' Rust, which compiles all libraries of each service, and of the C++
    services that only `--long` verifies.
    """
    yield from _lint_cpp(long=True)
    tool = toolchain("rust").part("cargo-clippy", "apt-get install rust-clippy")
    for manifest in _crates():
        yield command(
            f"lint the services' Rust: {manifest.parent.name}",
            [tool.path.with_name("cargo"), *clippy("--all-targets")],
            needs=tool,
            directory=manifest.parent,
            environment=shared_target(),
        )


def _crates() -> list[Path]:
    """The manifests that describe a package. The manifest of a workspace does not."""
    return [one for one in _files("Cargo.toml") if "[package]" in one.read_text(encoding="utf-8")]
