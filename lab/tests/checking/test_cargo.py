"""Cargo's tests, counted one by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checking.cargo import cargo_test, read_cargo_test, shared_target
from checking.step import Counted, Skipped
from checking.toolchain import Toolchain, toolchain

GOOD = """
running 3 tests
test a ... ok
test b ... ok
test c ... ignored, takes an hour

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 1 test
test d ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
"""
BAD = (
    GOOD
    + """
running 6 tests
test e ... FAILED
test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
"""
)
NONE = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished\n"


HOUR = Skipped("t: c", "takes an hour")


def test_programs_of_tests_add_up_and_what_is_ignored_keeps_its_reason() -> None:
    assert read_cargo_test("t", GOOD, 0) == Counted(3, 0, (HOUR,))
    assert read_cargo_test("t", BAD, 101) == Counted(7, 2, (HOUR,))
    silent = GOOD.replace(", takes an hour", "")
    assert read_cargo_test("t", silent, 0).skipped == (
        Skipped("t: c", "ignored, without a reason"),
    )


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("", 0),
        ("error: could not compile\n", 101),
        (NONE, 0),  # every test was filtered out
        (GOOD, 101),  # a program of tests that crashed
        (GOOD.replace("test c", "c"), 0),  # a reason that was not said
    ],
)
def test_it_is_not_believed_without_its_lines_and_status(said: str, status: int) -> None:
    assert read_cargo_test("t", said, status).failed == 1


def cargo(folder: Path, code: str) -> Toolchain:
    program = folder / "cargo"
    program.write_text(f"#!/bin/sh\n{code}\n")
    program.chmod(0o755)
    return Toolchain("cargo", program, "apt-get install cargo", dict(os.environ))


def test_tests_are_built_first_and_then_all_run(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "said").write_text(GOOD + "something else\n")
    code = 'echo "$@" >> words; case $* in *--no-run*) ;; *) cat said ;; esac'
    step = cargo_test(
        "t", "--release", needs=cargo(tmp_path, code), directory=tmp_path, environment={"A": "1"}
    )
    assert step.run() == Counted(3, 0, (HOUR,))
    words = (tmp_path / "words").read_text().splitlines()
    assert words == ["test --release --quiet --no-run", "test --release --no-fail-fast"]
    said = capfd.readouterr().out.splitlines()
    assert "something else" in said
    assert "test a ... ok" not in said


def test_what_cannot_be_built_fails_and_what_is_missing_is_skipped(tmp_path: Path) -> None:
    step = cargo_test("t", needs=cargo(tmp_path, "exit 101"), directory=tmp_path, environment={})
    assert step.run() == Counted(failed=1)
    missing = Toolchain("rust 1.85", None, "rustup", {})
    step = cargo_test("t", needs=missing, directory=tmp_path, environment={})
    assert step.run() == Counted(
        skipped=(Skipped("t", "rust 1.85 is missing; to install it: rustup"),)
    )


def test_failed_tests_alone_are_run_again(tmp_path: Path) -> None:
    (tmp_path / "said").write_text(BAD.replace("2 failed", "1 failed"))
    code = (
        'echo "$@" >> words; '
        'case $* in *--no-run*) ;; *--exact*) echo "$GOOD" ;; *) cat said; exit 101 ;; esac'
    )
    step = cargo_test(
        "t",
        "--locked",
        needs=cargo(tmp_path, code),
        directory=tmp_path,
        environment={"GOOD": "test result: ok. 1 passed; 0 failed; 0 ignored;"},
    )
    counted = step.run()
    assert counted.failed == 1
    assert counted.again is not None
    assert counted.again.run() == Counted(passed=1)
    words = (tmp_path / "words").read_text().splitlines()
    assert words[-1] == "test --locked --no-fail-fast -- --exact e"


CRASHED = """
running 1 test
test f ... FAILED
"""


def test_nothing_is_run_again_if_a_test_program_crashed(tmp_path: Path) -> None:
    one_failed = BAD.replace("2 failed", "1 failed")
    assert read_cargo_test("t", one_failed + "\nrunning 2 tests\n", 101).failed == 2
    for crashed in (one_failed + CRASHED, GOOD + CRASHED):
        (tmp_path / "said").write_text(crashed)
        code = "case $* in *--no-run*) ;; *) cat said; exit 101 ;; esac"
        step = cargo_test("t", needs=cargo(tmp_path, code), directory=tmp_path, environment={})
        counted = step.run()
        assert counted.failed and counted.again is None


def test_no_incremental_cache_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = toolchain("rust").part("cargo", "apt-get install cargo")
    if found.executable is None:
        pytest.skip(found.missing)
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "made"\nedition = "2021"\n')
    (tmp_path / "src" / "lib.rs").write_text("#[test]\nfn holds() {}\n")
    environment = shared_target()
    step = cargo_test("t", "--lib", needs=found, directory=tmp_path, environment=environment)
    assert step.run() == Counted(passed=1)
    built = Path(environment["CARGO_TARGET_DIR"]) / "debug"
    assert list(built.glob("deps/made-*"))
    assert not list(built.glob("incremental/*"))
