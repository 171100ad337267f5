"""The C++ of the repository, grouped into the programs that are built from it."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from checking.sources import sources
from checking.step import Counted, Output, Step, Words, command
from checking.testing import PLAIN
from checking.toolchain import Toolchain, first_missing, system_package
from runfair.building.checksum import sha256_of_files
from runfair.catalogue.benchmark import RECIPE
from runfair.catalogue.program import ProgramRecipe
from runfair.formats.toml import read_toml
from runfair.machine.native import LATE_FLAGS, LATE_PROBE_PARTS, LIBRARY_FLAGS, PROBE_PARTS
from runfair.paths import BENCHMARKS, REPOSITORY, private_folder

HARNESS = BENCHMARKS / "harness" / "cpp"
PROBES = REPOSITORY / "probes"
PROBED = "x86_64"  # as platform.machine() names it
WARNINGS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror")
# The beginning of an included header's path, and the system package that contains the header.
LIBRARIES = {
    "absl/": "abseil",
    "boost/": "boost",
    "h2o.h": "libh2o",
    "libpq": "libpq",
    "openssl/": "openssl",
}
_INCLUDED = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
SANITIZERS = (
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-D_GLIBCXX_ASSERTIONS",
)


@dataclass(frozen=True)
class CppProgram:
    """A program, or a library, that is built from C++ sources.

    If `tests_itself` is set, the program is run after the build, and its exit status is the
    verdict. `kind` has the compiler's options for a result that is not a program. `libraries` are
    the linked libraries.
    """

    name: str
    sources: tuple[Path, ...]
    tests_itself: bool = False
    kind: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def step(
        self, compiler: Toolchain, flags: tuple[str, ...] = (), *, parsed: bool = False
    ) -> Step:
        """A step that builds the program without a warning and, if it tests itself, runs it.

        If `parsed` is set, the sources are only parsed, which is enough for all warnings of clang.
        (Some warnings of gcc come from its optimiser, and some errors come from the linker.) A
        source that several programs have in common is compiled once, and compiled again only if it
        or a header changes.
        """
        marked = " under sanitizers" if flags else ""
        name = f"C++ {self.name} by {compiler.name}{marked}"
        defined = [flag for flag in self.kind if flag.startswith("-D")]
        mode = [*defined, "-fsyntax-only"] if parsed else [*self.kind, "-c"]
        compiling: Words = [compiler.path, *WARNINGS, *mode, *flags, "-I", HARNESS]
        binary = self.binary(compiler, flags)
        testing = [[binary]] if self.tests_itself else []
        needs = first_missing(compiler, *libraries(self.sources))

        def run(output: Output) -> Counted:
            objects = []
            for source in self.sources if needs.executable else ():
                made = self._object(compiler, compiling, source)
                objects.append(made)
                if made.exists():
                    continue
                unfinished = made.with_suffix(".unfinished")
                written: Words = [] if parsed else ["-o", unfinished]
                compiled = command(name, [*compiling, source, *written], needs=needs).run(output)
                if not compiled.passed:
                    return compiled
                unfinished.touch()
                unfinished.rename(made)
            options: Words = [*flags, *self.kind, *objects, "-pthread", "-o", binary]
            linking = [compiler.path, *options, *self.libraries]
            steps: list[Words] = [] if parsed else [linking, *testing]
            return command(name, *steps, needs=needs).run(output)

        return Step(name, run)

    def binary(self, compiler: Toolchain, flags: tuple[str, ...] = ()) -> Path:
        """The path of the binary that `step` builds."""
        folder = private_folder() / "check" / compiler.name / ("sanitized" if flags else "plain")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / self.name.replace("/", "-")

    def _object(self, compiler: Toolchain, words: Words, source: Path) -> Path:
        """The path of a compiled source. It holds a digest of everything that the object depends
        on: the source, the headers that it may include, the compiler and its options.
        """
        headers = set(sources("*.hpp", root=HARNESS))
        folders = source.parents[1:3]  # of the benchmark and of the suite
        headers |= {*source.parent.glob("*.hpp")}.union(*(one.glob("*/*.hpp") for one in folders))
        status = compiler.path.stat()
        read = sha256_of_files([source, *sorted(headers)], REPOSITORY)
        said = f"{read} {[str(word) for word in words]} {status.st_size} {status.st_mtime_ns}"
        folder = private_folder() / "check" / compiler.name / "objects"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{hashlib.sha256(said.encode()).hexdigest()}.o"


# The suites whose programs are services.
SERVICES = ("services", "web")
VECTORS = CppProgram("vectors", (HARNESS / "vectors.cpp",))


def self_testing_programs() -> Iterator[CppProgram]:
    """The programs that test the harness."""
    yield CppProgram("harness_test", (HARNESS / "harness_test.cpp",), tests_itself=True)
    core = tuple(sources("*.cpp", root=PROBES / "core"))
    for test in sources("*.cpp", root=PROBES / "tests"):
        yield CppProgram(f"probes/{test.stem}", (*core, test), tests_itself=True)


def built_programs(*, tiers: bool) -> Iterator[CppProgram]:
    """The lab's own programs, the libraries of other languages' harnesses, and the benchmarks'
    programs. `tiers` adds the tier `plain`, and the tiers with recipes of their own, whose
    libraries take minutes to compile.
    """
    for name in ("launcher", "reference"):
        yield CppProgram(name, tuple(sources("*.cpp", root=REPOSITORY / "lab" / name)))
    for name, parts, flags in (
        ("probe", PROBE_PARTS, ()),
        ("late-probe", LATE_PROBE_PARTS, LATE_FLAGS),
    ):
        files = [file for part in parts for file in sources("*.cpp", root=PROBES / part)]
        yield CppProgram(name, tuple(files), kind=("-shared", *LIBRARY_FLAGS, *flags))
    for language in ("java", "kotlin"):
        for library in sources("*.cpp", root=BENCHMARKS / "harness" / language):
            yield CppProgram(f"{language}/{library.stem}", (library,), kind=("-shared", "-fPIC"))
    for folder in sorted([*BENCHMARKS.glob("*/*/cpp*"), *BENCHMARKS.glob("*/*/*/cpp")]):
        if folder.relative_to(BENCHMARKS).parts[0] in SERVICES:
            continue  # linted together with their frameworks' libraries
        late = folder.parent.name == PLAIN or (folder / RECIPE).is_file()
        if (files := sources("*.cpp", root=folder)) and (tiers or not late):
            name = os.fspath(folder.relative_to(BENCHMARKS))
            yield CppProgram(name, tuple(files), libraries=_linked(folder))


def libraries(files: Iterable[Path]) -> list[Toolchain]:
    """The system packages whose headers the files include directly. If the files contain probes and
    this machine's processor does not support them, the supported processor is listed too.
    """
    files = list(files)
    included = {
        header for file in files for header in _INCLUDED.findall(file.read_text(encoding="utf-8"))
    }
    needed = [
        system_package(name)
        for beginning, name in LIBRARIES.items()
        if any(header.startswith(beginning) for header in included)
    ]
    if platform.machine() != PROBED and any(file.is_relative_to(PROBES) for file in files):
        needed.append(Toolchain(f"a processor of {PROBED}", None, "not possible", {}))
    return needed


def _linked(folder: Path) -> tuple[str, ...]:
    """The libraries that a tier's recipe links; empty if the program has no recipe of its own."""
    path = folder / RECIPE
    if not path.is_file():
        return ()
    steps = read_toml(path, ProgramRecipe).build.steps
    return tuple(word for step in steps for word in step.run if word.startswith("-l"))
