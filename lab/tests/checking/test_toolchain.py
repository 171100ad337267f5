"""Toolchains as the check finds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checking.languages import install_line, languages_without_runtime
from checking.toolchain import Toolchain, first_missing, installed, system_package, toolchain

CATALOGUE = """
[{family}]
language = "go"
search = ["{program}"]
install = "apt-get install it"
environment = {{ CACHE = "{{private}}/cache" }}
identify = {{ command = ["echo", "1.0"], patterns = {{ version = "(.+)" }} }}
build = {{ sources = [] }}
run = {{ command = ["{{executable}}"] }}
variants = {{ "" = {{}} }}
"""


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "private"
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(folder))
    monkeypatch.setenv("RUNFAIR_RUNTIMES", str(tmp_path / "runtimes.toml"))
    installed.cache_clear()
    yield folder
    installed.cache_clear()


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_one_that_is_here_is_started_by_path_with_its_surroundings(
    tmp_path: Path, private: Path
) -> None:
    binary = program(tmp_path / "bin" / "tool")
    catalogue = tmp_path / "runtimes.toml"
    catalogue.write_text(CATALOGUE.format(family="mine", program=binary))
    found = toolchain("mine")
    assert found.executable == found.path == binary
    assert found.environment["CACHE"] == f"{private}/cache"
    assert found.environment["PATH"].startswith(f"{binary.parent}:")


@pytest.mark.usefixtures("private")
def test_one_that_is_not_says_the_line_and_so_do_its_parts(tmp_path: Path) -> None:
    catalogue = tmp_path / "runtimes.toml"
    catalogue.write_text(CATALOGUE.format(family="mine", program=tmp_path / "nothing"))
    missing = toolchain("mine")
    assert missing.executable is None
    assert missing.missing == "mine is missing; to install it: apt-get install it"
    assert missing.part("formatter", "apt-get install formatter") is missing


def test_a_part_is_found_beside_its_toolchain_or_has_a_line_of_its_own(tmp_path: Path) -> None:
    whole = Toolchain("mine", program(tmp_path / "bin" / "tool"), "apt-get install it", {"A": "1"})
    beside = program(tmp_path / "bin" / "formatter-of-mine")
    assert whole.part("formatter-of-mine", "").executable == beside
    assert whole.part("formatter-of-mine", "").environment == {"A": "1"}
    absent = whole.part("linter-of-mine", "apt-get install linter")
    assert absent.executable is None
    assert absent.missing == "linter-of-mine is missing; to install it: apt-get install linter"


def test_a_language_that_nothing_runs_is_said_with_the_line(tmp_path: Path, private: Path) -> None:
    (tmp_path / "runtimes.toml").touch()
    before = languages_without_runtime().run()
    nothing = tmp_path / "nothing"
    (tmp_path / "runtimes.toml").write_text(
        CATALOGUE.format(family="go", program=nothing)
        + CATALOGUE.format(family="gccgo", program=nothing)
    )
    after = languages_without_runtime().run()
    assert (before.passed + len(before.skipped), private.exists()) == (9, True)
    (reason,) = (one.reason for one in after.skipped if "runs go here" in one.reason)
    assert reason.endswith("to install one: apt-get install it")
    assert after.failed == 0
    assert install_line("go") == install_line("gccgo") == "apt-get install it"
    assert install_line("cobol") is None


@pytest.mark.usefixtures("private")
def test_one_that_is_too_old_is_missing_with_the_version_it_takes(tmp_path: Path) -> None:
    binary = program(tmp_path / "bin" / "tool")
    catalogue = tmp_path / "runtimes.toml"
    catalogue.write_text(CATALOGUE.format(family="mine", program=binary))
    assert toolchain("mine", "0.9").executable == binary
    old = toolchain("mine", "1.1")
    assert old.executable is None
    advice = "apt-get install it, or 1.1 or newer where that is older"
    assert old.missing == f"mine 1.1 is missing; to install it: {advice}"


def test_a_step_that_needs_several_is_skipped_by_the_first_that_is_missing(tmp_path: Path) -> None:
    here = Toolchain("mine", program(tmp_path / "tool"), "", {})
    missing = Toolchain("yours", None, "", {})
    assert first_missing(here) is here
    assert first_missing(here, here, missing) is missing
    assert first_missing(missing, here) is missing


def test_a_library_is_a_system_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    absent = system_package("redis-tools")
    assert absent.executable is None
    assert absent.missing == "redis-tools is missing; to install it: apt-get install redis-tools"
    program(tmp_path / "redis-benchmark")
    assert system_package("redis-tools").executable is not None
