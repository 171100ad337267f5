"""Tests and verified programs, counted one by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checking import testing
from checking.step import Counted, Skipped
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.service import service_benchmarks

SUITE = """
import pytest

@pytest.fixture
def breaks_afterwards():
    yield
    raise RuntimeError

def test_good(): pass
@pytest.mark.parametrize("n", [1, 2, 3])
def test_many(n): pass
def test_bad(): assert False
def test_skipped(): pytest.skip("no java here")
def test_bad_end(breaks_afterwards): pass
"""
VERIFIED = """ok      sort shuffled tiny go go-1.0  00  9 swaps
skipped sort shuffled tiny java zulu-9: no such flag
1 verified, 0 failed, 1 skipped
"""


def run(suite: Path, text: str, *options: str) -> Counted:
    file = suite / "test_made.py"
    file.write_text(text)
    # Plugins take longer to start than these tests.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return testing.pytest("made", [file, *options], environment, directory=suite).run()


def test_each_test_counts_once_with_its_outcome(tmp_path: Path) -> None:
    counted = run(tmp_path, SUITE)
    assert (counted.passed, counted.failed) == (4, 2)
    assert counted.skipped == (Skipped("test_skipped", "no java here"),)


SHAKY = """
import pathlib
def test_shaky():
    marker = pathlib.Path(__file__).with_name("ran")
    ran = marker.exists()
    marker.touch()
    assert ran
def test_good(): pass
"""


def test_failed_tests_alone_are_run_again(tmp_path: Path) -> None:
    counted = run(tmp_path, SHAKY)
    assert (counted.passed, counted.failed) == (1, 1)
    assert counted.again is not None
    assert counted.again.run() == Counted(passed=1)


def test_tests_that_passed_are_not_run_again(tmp_path: Path) -> None:
    assert run(tmp_path, "def test_good(): pass").again is None


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    counted = run(tmp_path, "import nothing_of_this_name")
    assert (counted.passed, counted.failed) == (0, 1)
    assert counted.again is None  # no other test ran


def test_an_end_before_any_report_is_a_failure(tmp_path: Path) -> None:
    for status in (0, 7):
        assert run(tmp_path, f"import os; os._exit({status})") == Counted(failed=1)


def test_a_selection_without_tests_is_said_to_be_skipped(tmp_path: Path) -> None:
    counted = run(tmp_path, "def test_good(): pass", "-k", "other")
    assert counted == Counted(skipped=(Skipped("made", "no test is selected"),))


def test_verified_programs_are_counted_and_what_was_skipped_keeps_its_reason() -> None:
    skipped = Skipped("v: sort shuffled tiny java zulu-9", "no such flag")
    assert testing.read_verify("v", VERIFIED, 0) == Counted(1, 0, (skipped,))


@pytest.mark.parametrize(
    ("said", "status", "failed"),
    [
        ("", 0, 1),  # it ended early, though with status 0
        ("runfair: no runtime is ready here\n", 2, 1),
        ("3 verified, 2 failed, 0 skipped\n", 3, 2),
        ("3 caught, 1 survived, 0 skipped\n", 3, 1),
        ("3 verified, 0 failed, 0 skipped\n", 1, 1),  # a bug after the last line
        ("3 verified, 0 failed, 4 skipped\n", 0, 1),  # reasons that were not said
    ],
)
def test_verify_is_not_believed_without_its_lines_and_status(
    said: str, status: int, failed: int
) -> None:
    assert testing.read_verify("v", said, status).failed == failed


def test_long_tiers_are_left_out_and_no_others() -> None:
    words = testing.ordinary(["sort", "savina-big"])
    assert words[:2] == ["sort", "savina-big"]
    assert set(words[2::2]) == {"--tiers"}
    assert {"standard", "pekko"} <= set(words) and not testing.LONG_TIERS & set(words)
    assert "pekko" not in testing.ordinary(["sort"])


def test_the_ordinary_check_verifies_each_benchmark_once_or_its_representatives() -> None:
    alone, threaded = testing.single_threaded(), testing.threaded()
    assert not {*alone} & {*threaded}
    verified = {*testing.ordinary(alone), *testing.ordinary(threaded)}
    for name, one in benchmarks().items():
        representatives = testing.REPRESENTATIVES.get(one.text.name)
        assert (name in verified) == (representatives is None or name in representatives)
        assert representatives is None or representatives < set(benchmarks())


def test_the_ordinary_check_verifies_a_service_of_each_language() -> None:
    for name, benchmark in service_benchmarks().items():
        words = testing.ordinary_services(name)
        assert words[0] == name and set(words[1::2]) == {"--services"}
        verified = {*words[2::2]}
        assert not verified & testing.LONG_SERVICES[name]
        assert verified | testing.LONG_SERVICES[name] == {*benchmark.frameworks}
        languages = {benchmark.frameworks[one].text.language for one in verified}
        assert languages == {one.text.language for one in benchmark.frameworks.values()}
