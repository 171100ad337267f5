"""Real programs, built by the real toolchains that are here."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from runfair.building.artefact import build, exclusive
from runfair.building.failure import BuildFailed, Unsupported
from runfair.catalogue.family import BuildRecipe, RunRecipe
from runfair.catalogue.program import ProgramRecipe, ProgramSource
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact, Variant
from runfair.paths import private_folder

Ready = Callable[..., Variant]
Program = Callable[[str], ProgramSource]
TRAINING = ["2000000"]
LANGUAGE = {"gcc": "c++", "clang": "c++", "go": "go", "gccgo": "go", "openjdk": "java"} | {
    "temurin": "java",
    "node": "javascript",
    "bun": "javascript",
    "cpython": "python",
    "pypy": "python",
    "rust": "rust",
}


def output_of(artefact: Artefact, *arguments: str) -> str:
    outcome = subprocess.run(
        [*artefact.command, *arguments],
        cwd=artefact.directory,
        env={**os.environ, **artefact.environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return outcome.stdout.strip()


@pytest.mark.parametrize(
    ("family", "suffix", "flag"),
    [
        ("gcc", "o2", "-O2"),
        ("gcc", "o3", "-O3"),
        ("gcc", "o3+lto", "-fltrans"),
        ("gcc", "o3+pgo", "-fprofile-use"),
        ("gcc", "o3+native", "-march="),
        ("clang", "o3", "-O3"),
        ("clang", "o3+lto", "-flto"),
        ("clang", "o3+pgo", "-fprofile-instr-use="),
        ("go", "", "-compiler=gc"),
        ("go", "pgo", "-pgo="),
        ("gccgo", "", "-compiler=gccgo"),
        ("openjdk", "g1-gc", "UseG1GC = true"),
        ("openjdk", "serial-gc", "UseSerialGC = true"),
        ("openjdk", "zero", "UseSerialGC = true"),
        ("temurin", "z-gc", "UseZGC = true"),
        ("temurin", "parallel-gc", "UseParallelGC = true"),
        ("node", "", '"execArgv":[]'),
        ("node", "jitless", '"execArgv":["--jitless"]'),
        ("bun", "", "+"),
        ("cpython", "", "CONFIG_ARGS"),
        ("pypy", "", "PyPy"),
        ("rust", "", "-C opt-level=3"),
    ],
)
def test_program_runs_and_tells_its_flags(
    family: str, suffix: str, flag: str, ready_variant: Ready, program: Program
) -> None:
    artefact = build(ready_variant(family, suffix), program(LANGUAGE[family]), TRAINING)
    assert output_of(artefact, "100") == "338350"
    assert flag in artefact.flags
    assert len(artefact.sha256) == 64
    assert artefact.files and all(Path(file).is_file() for file in artefact.files)


def test_o2_and_o3_are_told_apart(ready_variant: Ready, program: Program) -> None:
    o2 = build(ready_variant("gcc", "o2"), program("c++"))
    o3 = build(ready_variant("gcc", "o3"), program("c++"))
    assert "-O2" in o2.flags and "-O3" not in o2.flags
    assert "-O3" in o3.flags and "-O2" not in o3.flags
    assert o2.sha256 != o3.sha256


def test_nothing_is_built_twice(ready_variant: Ready, program: Program) -> None:
    variant = ready_variant("gcc", "o2")
    first = build(variant, program("c++"))
    before = Path(first.command[0]).stat()
    assert build(variant, program("c++")) == first
    assert Path(first.command[0]).stat().st_mtime_ns == before.st_mtime_ns
    assert Path(first.command[0]).stat().st_ino == before.st_ino


def test_java_runtimes_share_class_files(ready_variant: Ready, program: Program) -> None:
    debian = build(ready_variant("openjdk", "g1-gc"), program("java"))
    temurin = build(ready_variant("temurin", "g1-gc"), program("java"))
    assert debian.files == temurin.files
    assert debian.sha256 == temurin.sha256
    assert debian.command[0] != temurin.command[0]


def test_java_programs_of_a_suite_are_compiled_at_once(
    ready_variant: Ready, program: Program
) -> None:
    variant = ready_variant("openjdk", "g1-gc")
    squares = program("java")
    cubes = replace(squares, benchmark="cubes", main="suite.Cubes")
    assert build(variant, squares).files == build(variant, cubes).files


def test_python_leaves_the_source_tree_alone(ready_variant: Ready, program: Program) -> None:
    source = program("python")
    artefact = build(ready_variant("cpython"), source)
    output_of(artefact, "3")
    assert not list(source.root.rglob("__pycache__"))


@pytest.mark.parametrize("suffix", ["", "pgo"])
def test_a_program_of_go_does_not_contain_the_commit(
    suffix: str,
    ready_variant: Ready,
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the same source would give different programs."""
    private = tmp_path / "private"
    private.mkdir()
    (private / "go").symlink_to(private_folder() / "go")
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    for words in (["init"], [*identity, "commit", "--allow-empty", "--message=first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(private))
    assert "vcs" not in build(ready_variant("go", suffix), program("go"), TRAINING).flags


def copied(source: ProgramSource, root: Path) -> ProgramSource:
    shutil.copytree(source.root, root)
    folder = root / source.folder.relative_to(source.root)
    return ProgramSource(
        source.suite, source.benchmark, source.language, source.tier, folder, source.main, root
    )


def test_a_lock_file_that_cargo_changes_is_not_a_changed_source(
    ready_variant: Ready, program: Program, tmp_path: Path
) -> None:
    variant = ready_variant("rust")
    source = copied(program("rust"), tmp_path / "programs")
    lock = source.root / "Cargo.lock"
    of_others = '[[package]]\nname = "left-out-of-the-copy"\nversion = "0.1.0"\n'
    lock.write_text(f"version = 3\n\n{of_others}", encoding="utf-8")
    first = build(variant, source)
    before = Path(first.command[0]).stat()
    assert build(variant, source) == first
    assert Path(first.command[0]).stat().st_ino == before.st_ino


def test_changed_source_is_built_again(
    ready_variant: Ready, program: Program, tmp_path: Path
) -> None:
    variant = ready_variant("gcc", "o2")
    source = copied(program("c++"), tmp_path / "programs")
    first = build(variant, source)
    header = source.root / "harness" / "cpp" / "squares.hpp"
    header.write_text(header.read_text().replace("i * i", "i * i * i"))
    second = build(variant, source)
    assert (output_of(first, "3"), output_of(second, "3")) == ("14", "36")
    assert first.sha256 != second.sha256


def test_failed_build_names_its_log_and_leaves_nothing_half(
    ready_variant: Ready, program: Program, tmp_path: Path
) -> None:
    variant = ready_variant("gcc", "o2")
    source = copied(program("c++"), tmp_path / "programs")
    (source.folder / "squares.cpp").write_text("int main() { return nonsense; }\n")
    with pytest.raises(BuildFailed) as failure:
        build(variant, source)
    message = str(failure.value)
    assert "\n" not in message
    assert failure.value.exit_status == 2
    log = Path(message.rsplit("see ", 1)[1])
    assert "nonsense" in log.read_text()
    assert not list(log.parent.glob(".building-*"))


@pytest.mark.parametrize(("family", "suffix"), [("gcc", "o3+pgo"), ("go", "pgo")])
def test_a_server_has_no_training_run(
    family: str, suffix: str, ready_variant: Ready, program: Program
) -> None:
    with pytest.raises(Unsupported, match="a server does not exit by itself"):
        build(ready_variant(family, suffix), program(LANGUAGE[family]))


def with_recipe(source: ProgramSource, minimum: str = "", **needs: Scalar) -> ProgramSource:
    """A program that is built and run in a way of its own."""
    recipe = ProgramRecipe(
        build=BuildRecipe(sources=["{folder}/*"]),
        run=RunRecipe(command=["{executable}", "{folder}/squares.py"]),
        minimum=minimum,
        needs=needs,
    )
    return replace(source, recipe=recipe)


@pytest.mark.parametrize(("family", "suffix"), [("gcc", "o3+pgo"), ("go", "pgo")])
def test_a_recipe_of_its_own_knows_no_steps_of_a_variant(
    family: str, suffix: str, ready_variant: Ready, program: Program
) -> None:
    with pytest.raises(Unsupported, match="own build recipe lacks the build steps"):
        build(ready_variant(family, suffix), with_recipe(program(LANGUAGE[family])), TRAINING)


def test_a_runtime_may_be_too_old_for_a_program(ready_variant: Ready, program: Program) -> None:
    variant = ready_variant("cpython")
    with pytest.raises(Unsupported, match=r"needs version 99\.1 or newer of the runtime"):
        build(variant, with_recipe(program("python"), minimum="99.1"))
    same = build(variant, with_recipe(program("python"), minimum=variant.version))
    assert same.command[0] == variant.executable


def test_a_variant_may_lack_what_a_program_needs(ready_variant: Ready, program: Program) -> None:
    needing = with_recipe(program("python"), jit=True)
    plain = ready_variant("cpython")
    for settings in ({}, {"jit": True}):
        with_jit = plain.model_copy(update={"settings": settings})
        assert build(with_jit, needing).command[0] == plain.executable
    without = plain.model_copy(update={"settings": {"jit": False}})
    for lacking in (needing, replace(program("python"), needs={"jit": True})):
        with pytest.raises(Unsupported, match="setting jit = true"):
            build(without, lacking)


def test_a_variant_brings_its_environment(ready_variant: Ready, program: Program) -> None:
    often = build(ready_variant("go", "gogc-5"), program("go"))
    seldom = build(ready_variant("go", "gogc-400"), program("go"))
    usual = build(ready_variant("go"), program("go"))
    assert [one.environment["GOGC"] for one in (often, seldom, usual)] == ["5", "400", ""]
    cooperative = build(ready_variant("go", "asyncpreemptoff"), program("go"))
    assert [one.environment["GODEBUG"] for one in (cooperative, usual)] == ["asyncpreemptoff=1", ""]


OLD_AND_NEW = """
[toy]
language = "go"
search = ["{private}/toys/*"]
environment = { WAY = "new" }
default = ""

[toy.identify]
command = ["{executable}"]
patterns = { version = 'toy (\\d+)' }

[toy.build]
sources = ["{folder}/**"]
steps = [{ run = ["sh", "-c", "echo $WAY with {joined_flags} > {output}/program"] }]
product = ["program"]
flags = { command = ["cat", "{output}/program"] }

[toy.older]
before = "3"
environment = { WAY = "old" }

[toy.older.build]
sources = ["{folder}/**"]
steps = [{ run = ["sh", "-c", "echo $WAY > {output}/program"] }]
product = ["program"]
flags = { command = ["cat", "{output}/program"] }

[toy.run]
command = ["cat", "{output}/program"]

[toy.variants.""]
flags = ["-new"]
"""


def test_older_versions_are_built_in_their_own_way(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    monkeypatch.setenv("RUNFAIR_RUNTIMES", str(tmp_path / "toys.toml"))
    (tmp_path / "toys.toml").write_text(OLD_AND_NEW)
    for version in (2, 3):
        toy = tmp_path / "toys" / f"toy-{version}"
        toy.parent.mkdir(exist_ok=True)
        toy.write_text(f"#!/bin/sh\necho toy {version}\n")
        toy.chmod(0o755)
    flags = {v.version: build(v, program("go")).flags for v in variants() if v.family == "toy"}
    assert flags == {"2": "old", "3": "new with -new"}


def test_a_program_may_be_too_new_for_a_compiler(ready_variant: Ready, program: Program) -> None:
    variant = ready_variant("go")
    with pytest.raises(Unsupported, match=r"needs version 99\.1 or newer of the runtime"):
        build(variant, replace(program("go"), minimum="99.1"))
    assert build(variant, replace(program("go"), minimum=variant.version))


def test_the_language_of_a_go_program_is_its_compilers(
    ready_variant: Ready, program: Program
) -> None:
    variant = ready_variant("go")
    artefact = build(variant, program("go"))
    command = [str(variant.executable), "version", "-m", artefact.command[0]]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "DefaultGODEBUG" not in told
    assert (program("go").root / "go.mod").read_text().splitlines()[-1] == "go 1.18"


def test_pgo_build_whose_training_fails_is_no_build(
    ready_variant: Ready, program: Program, tmp_path: Path
) -> None:
    variant = ready_variant("gcc", "o3+pgo")
    source = copied(program("c++"), tmp_path / "programs")
    with pytest.raises(BuildFailed, match="failed with status"):
        build(variant, source, ["not-a-number"])


def test_other_language_is_unsupported(ready_variant: Ready, program: Program) -> None:
    with pytest.raises(Unsupported, match="runs c\\+\\+, not go"):
        build(ready_variant("gcc", "o2"), program("go"))


def test_runtime_that_vanished_is_said_in_one_line(ready_variant: Ready, program: Program) -> None:
    gone = ready_variant("gcc", "o2").model_copy(update={"executable": "/nowhere/g++"})
    with pytest.raises(
        UserMistake, match=r"gcc-12\.2\.0\+o2 cannot be used, because its file /nowhere/g\+\+ no"
    ):
        build(gone, program("c++"))


def test_generics_are_unsupported_by_gccgo(
    ready_variant: Ready, program: Program, tmp_path: Path
) -> None:
    variant = ready_variant("gccgo")
    source = copied(program("go"), tmp_path / "programs")
    (source.folder / "squares.go").write_text(
        "package main\n\nfunc same[T any](x T) T { return x }\n\nfunc main() { println(same(1)) }\n"
    )
    with pytest.raises(Unsupported, match="generics"):
        build(variant, source)


def test_optimiser_is_off_where_the_variant_says_so(ready_variant: Ready, tmp_path: Path) -> None:
    script = tmp_path / "status.js"
    # Bit 4 of the status: optimised code is in use (V8's OptimizationStatus, kOptimized).
    script.write_text(
        "function f(x) { let s = 1; for (let i = 0; i < x; i++) s = (s * 31 + i) | 0; return s }\n"
        "%PrepareFunctionForOptimization(f)\n"
        "for (let i = 0; i < 300; i++) f(10000)\n"
        "f(2000000)\n"
        "f(1)\n"
        "console.log((%GetOptimizationStatus(f) >> 4) & 1)\n"
    )
    node = ready_variant("node")
    optimised = []
    for flags in ([], ["--no-opt", "--no-maglev"]):
        outcome = subprocess.run(
            [str(node.executable), "--allow-natives-syntax", *flags, str(script)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        optimised.append(outcome.stdout.strip())
    assert optimised == ["1", "0"]


@pytest.mark.parametrize(("word", "alone"), [("maven", True), ("", False)])
def test_builds_that_write_to_the_same_place_take_turns(
    word: str, alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    other = tmp_path / "maven.lock"
    other.touch()
    with exclusive(BuildRecipe(alone=word, sources=[])), other.open() as handle:
        if alone:
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
