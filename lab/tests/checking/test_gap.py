"""What is missing, and what it costs."""

from __future__ import annotations

from checking.gap import gaps
from checking.step import Skipped

LINES = {
    "go": "apt-get install golang-go",
    "gccgo": "apt-get install gccgo-12",
    "rust": "apt-get install cargo-web rustc-web",
}


def said(*reasons: str) -> list[str]:
    skipped = [Skipped(f"test {number}", reason) for number, reason in enumerate(reasons)]
    return list(gaps(skipped, LINES.get))


def test_one_command_is_one_line_however_it_is_spelt() -> None:
    assert said(
        "no PostgreSQL server is here: apt-get install postgresql",
        "not here; sudo apt-get install --no-install-recommends postgresql",
        "strace is missing: apt-get install strace",
    ) == ["    2  apt-get install postgresql", "    1  apt-get install strace"]


def test_a_language_without_a_runtime_has_the_line_of_the_catalogue() -> None:
    assert said(
        "go is missing; to install it: apt-get install golang-go",
        "nothing here runs go; ./runfair list runtimes says how to have it",
        "no runtime of go here",
        "no runtime for go here",
        "no program or no default variant of go here",
        "none runs go here; to install one: apt-get install golang-go",
    ) == ["    6  apt-get install golang-go"]
    assert said("gccgo+o2 is not here; ./runfair list runtimes says how to have it") == [
        "    1  apt-get install gccgo-12"
    ]
    assert said("needs go", "got empty parameter set for (go)") == [
        "    2  apt-get install golang-go"
    ]
    assert said("runfair-load is built by Rust 1.85 or newer, which is not here") == [
        "    1  apt-get install cargo-web rustc-web"
    ]


def test_what_cannot_be_installed_keeps_its_reason() -> None:
    reasons = ["may not count here: Permission denied", "needs two processors"]
    assert said(*reasons, reasons[1]) == [f"    2  {reasons[1]}", f"    1  {reasons[0]}"]
    assert said("no runtime of cobol here") == ["    1  no runtime of cobol here"]
