"""The tests that services bring with them are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import services
from checking.services import cpp_services
from checking.step import Counted
from checking.steps import stages

FAILING = """package {name}

import "testing"

func TestFailing(t *testing.T) {{ t.Fail() }}
"""


def names(*, long: bool) -> set[str]:
    return {
        step.name
        for stage in stages(long=long, write=False)
        for lane in stage
        for step in lane.steps
    }


def test_the_long_check_also_runs_the_tests_in_rust() -> None:
    assert "tests of the services' Rust: domain" in names(long=True) - names(long=False)


def test_a_cpp_service_is_linted_by_the_check_that_verifies_it() -> None:
    ordinary, further = cpp_services(long=False), cpp_services(long=True)
    assert [folder.name for folder in ordinary] == ["beast", "epoll"]
    assert [folder.name for folder in further] == ["beast", "h2o"]
    steps = {f"lint the services' C++: {folder.name}" for folder in (*ordinary, *further)}
    assert steps <= names(long=True)
    assert steps - names(long=False) == {"lint the services' C++: h2o"}


def test_the_check_runs_the_services_tests_and_fails_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "tests of the services' Go" in names(long=False)
    (tmp_path / "go.mod").write_text("module failing\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own_test.go").write_text(FAILING.format(name="own"))
    monkeypatch.setattr(services, "FOLDERS", [tmp_path])
    (step,) = services.test_services()
    outcome = step.run()
    if outcome.skipped:
        pytest.skip(outcome.skipped[0].reason)
    assert outcome == Counted(failed=1)
