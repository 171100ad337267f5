"""The go command's words."""

from __future__ import annotations

from pathlib import Path

from checking.go import go_tests
from runfair.paths import BENCHMARKS


def test_packages_with_tests_are_named_and_no_others(tmp_path: Path) -> None:
    inner = ("inner/go.mod", "inner/five/e_test.go")
    for file in ("one/a_test.go", "one/b_test.go", "two/three/c_test.go", "four/d.go", *inner):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert go_tests(tmp_path) == ["./one", "./two/three"]
    assert "./fasthttp" in go_tests(BENCHMARKS / "web" / "techempower" / "go")
    assert "./harness/go" in go_tests(BENCHMARKS)
