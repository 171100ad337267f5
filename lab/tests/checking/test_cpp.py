"""The C++ programs of the check."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from checking.cpp import (
    SANITIZERS,
    VECTORS,
    CppProgram,
    built_programs,
    libraries,
    self_testing_programs,
)
from checking.services import lint_services, service_libraries, without_services
from checking.sources import sources
from checking.step import Counted
from checking.toolchain import Toolchain, toolchain
from runfair.paths import BENCHMARKS, REPOSITORY

GOOD = "int main() { return 0; }\n"
UNUSED = "int main() { int unused; return 0; }\n"
OUT_OF_BOUNDS = """#include <vector>
int main(int argc, char**) { std::vector<int> one(1); return one[argc]; }
"""


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolchain:
    found = toolchain("gcc")
    if found.executable is None:
        pytest.skip(found.missing)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    return found


def program(folder: Path, text: str) -> CppProgram:
    file = folder / "made.cpp"
    file.write_text(text)
    return CppProgram("made", (file,), tests_itself=True)


def test_every_source_belongs_to_a_program() -> None:
    covered = {
        file
        for one in (*built_programs(tiers=True), *self_testing_programs(), VECTORS)
        for file in one.sources
    }
    fixtures = REPOSITORY / "lab" / "tests"
    # Its own build needs the headers of its engine, and takes warnings as errors.
    platform = REPOSITORY / "platforms" / "sparrow"
    written = [
        file
        for file in sources("*.cpp")
        if not (file.is_relative_to(fixtures) or file.is_relative_to(platform))
    ]
    assert sorted(covered) == without_services(written)


@pytest.mark.parametrize(
    ("service", "packages"),
    [
        ("web/techempower/cpp/epoll", set()),
        ("web/techempower/cpp/beast", {"libboost1.81-dev", "libpq-dev"}),
        (
            "web/techempower/cpp/h2o",
            {"libboost1.81-dev", "libh2o-evloop-dev", "libpq-dev", "libssl-dev"},
        ),
    ],
)
def test_a_service_is_linted_without_the_libraries_of_others(
    service: str, packages: set[str]
) -> None:
    found = service_libraries(BENCHMARKS / service)
    assert {package for one in found for package in packages if package in one.install} == packages
    assert len(found) == len(packages)


def test_the_services_sources_are_linted_by_themselves() -> None:
    assert any(step.name.startswith("lint the services' C++") for step in lint_services())


def test_a_warning_fails_and_so_does_the_programs_own_verdict(
    tmp_path: Path, compiler: Toolchain
) -> None:
    assert program(tmp_path, GOOD).step(compiler).run() == Counted(passed=1)
    assert program(tmp_path, UNUSED).step(compiler).run() == Counted(failed=1)
    failing = program(tmp_path, GOOD.replace("return 0", "return 1"))
    assert failing.step(compiler).run() == Counted(failed=1)


def test_a_warning_fails_if_the_source_is_only_parsed(tmp_path: Path, compiler: Toolchain) -> None:
    assert program(tmp_path, GOOD).step(compiler, parsed=True).run() == Counted(passed=1)
    assert program(tmp_path, UNUSED).step(compiler, parsed=True).run() == Counted(failed=1)


def test_what_was_built_is_built_again_only_after_a_change(
    tmp_path: Path, compiler: Toolchain
) -> None:
    header = tmp_path / "answer.hpp"
    header.write_text("inline int answer() { return 0; }\n")
    made = program(tmp_path, '#include "answer.hpp"\nint main() { return answer(); }\n')
    assert made.step(compiler).run() == Counted(passed=1)
    # A compiler that cannot compile any more: only what is found built can pass.
    assembler = tmp_path / "as"
    assembler.write_text("#!/bin/sh\nexit 1\n")
    assembler.chmod(0o755)
    broken = replace(compiler, environment=compiler.environment | {"COMPILER_PATH": str(tmp_path)})
    assert made.step(broken).run() == Counted(passed=1)
    header.write_text("inline int answer() { return 1; }\n")
    assert made.step(broken).run() == Counted(failed=1)
    assert made.step(compiler).run() == Counted(failed=1)


def test_a_program_whose_library_is_missing_is_skipped(
    tmp_path: Path, compiler: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = Toolchain("boost", None, "apt-get install libboost1.81-dev", {})
    monkeypatch.setattr("checking.cpp.system_package", lambda _: missing)
    made = program(tmp_path, f"#include <boost/json.hpp>\n{GOOD}")
    (skipped,) = made.step(compiler).run().skipped
    assert skipped.reason == missing.missing
    assert libraries([]) == []


def test_probes_are_skipped_where_they_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    of_probes = next(one for one in self_testing_programs() if one.name.startswith("probes"))
    assert libraries(of_probes.sources) == []
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert [each.name for each in libraries(of_probes.sources)] == ["a processor of x86_64"]


def test_sanitizers_see_what_a_plain_build_does_not(tmp_path: Path, compiler: Toolchain) -> None:
    probe = [str(compiler.path), "-fsanitize=address,undefined", "-x", "c++", "-", "-o"]
    can = subprocess.run(
        [*probe, str(tmp_path / "probe")], input=GOOD.encode(), capture_output=True, check=False
    )
    if can.returncode != 0:
        pytest.skip("the compiler's sanitizer libraries are not here")
    wrong = program(tmp_path, OUT_OF_BOUNDS)
    assert wrong.step(compiler, SANITIZERS).run() == Counted(failed=1)
    assert program(tmp_path, GOOD).step(compiler, SANITIZERS).run() == Counted(passed=1)
