"""The steps of the load generator."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import load_generator
from checking.load_generator import FUZZ, fuzz_targets, fuzzing
from checking.sources import sources
from checking.step import Counted
from checking.steps import stages
from checking.toolchain import Toolchain
from runfair.loading.generator import LOADGEN


def test_its_sources_are_found_and_what_cargo_makes_is_not() -> None:
    found = sources("*.rs", root=LOADGEN)
    assert LOADGEN / "src" / "main.rs" in found
    assert not [path for path in found if "target" in path.parts]


def test_only_the_long_check_lints_the_tests() -> None:
    short, whole = (
        {
            step.name
            for stage in stages(long=long, write=False)
            for lane in stage
            for step in lane.steps
        }
        for long in (False, True)
    )
    assert "lint the load generator and the relay" in short
    assert "lint the tests of the load generator and the relay" in whole - short


def test_every_fuzzer_is_run_and_has_kept_inputs() -> None:
    names = [path.stem for path in sorted((FUZZ / "fuzz_targets").glob("*.rs"))]
    assert sorted(fuzz_targets()) == names != []
    for name in names:
        assert list((FUZZ / "corpus" / name).iterdir())


def test_a_fuzzer_writes_what_it_finds_into_the_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    words = tmp_path / "words"
    program = tmp_path / "cargo-fuzz"
    program.write_text(f'#!/bin/sh\necho "$@" >> {words}\n')
    program.chmod(0o755)
    tool = Toolchain("cargo-fuzz", program, "", {})
    monkeypatch.setattr(load_generator, "_fuzzer", lambda: tool)
    counts = [step.run() for step in fuzzing()]
    assert counts == [Counted(passed=1)] * len(fuzz_targets())
    for line, name in zip(words.read_text().splitlines(), fuzz_targets(), strict=True):
        before, _, after = line.partition(f" {name} ")
        found, kept, _, *limits = after.split()
        assert before.split()[:3] == ["run", "--fuzz-dir", str(FUZZ)]
        assert Path(found).is_relative_to(tmp_path / "private")
        assert Path(kept) == FUZZ / "corpus" / name
        assert limits[0] == "-max_total_time=60"
        assert limits[1].startswith(f"-artifact_prefix={tmp_path}/private/")


def test_without_a_fuzzer_each_is_said_to_be_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Toolchain("cargo-fuzz", None, "./check --install --long", {})
    monkeypatch.setattr(load_generator, "_fuzzer", lambda: missing)
    for step in fuzzing():
        (skipped,) = step.run().skipped
        assert skipped.reason == "cargo-fuzz is missing; to install it: ./check --install --long"
