"""CPython's own tests of its interpreter: what passes without the probe passes with it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from probing.cpythons import cpythons, on_x86_64, probed
from runfair.formats.probe import Mode

pytestmark = [on_x86_64, pytest.mark.long]

MODULES = (
    "test_coroutines",
    "test_exceptions",
    "test_fork1",
    "test_generators",
    "test_monitoring",  # from CPython 3.12 on
    "test_signal",
    "test_sys",
    "test_sys_settrace",
    "test_threading",
)
# The other modes use the same code as one of these.
MODES: tuple[Mode, ...] = ("mark", "latency", "instructions")
LIMIT_S = 600


def cpythons_with_tests() -> list[str]:
    """Debian leaves the tests out."""
    return [python for python in cpythons() if (_tests_of(python) / "test_sys.py").exists()]


def _tests_of(python: str) -> Path:
    return Path(python).parents[1] / "lib" / Path(python).name / "test"


def outcomes(results: Path) -> dict[str, str]:
    """Whether each test passed, failed or was skipped."""
    found = {}
    for test in ElementTree.parse(results).iter("testcase"):
        children = {child.tag for child in test}
        failed, skipped = children & {"failure", "error"}, "skipped" in children
        found[test.attrib["name"]] = "failed" if failed else "skipped" if skipped else "passed"
    return found


@pytest.mark.parametrize("python", cpythons_with_tests())
@pytest.mark.parametrize("module", MODULES)
def test_what_passes_without_the_probe_passes_with_it(
    python: str, module: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not (_tests_of(python) / f"{module}.py").exists():
        pytest.skip(f"this CPython has no {module}")

    def command(results: Path) -> list[str]:
        options = ["--junit-xml", str(results), "--tempdir", str(tmp_path)]
        return [python, "-m", "test", *options, module]

    alone = tmp_path / "alone.xml"
    subprocess.run(command(alone), capture_output=True, timeout=LIMIT_S, check=False)
    expected = outcomes(alone)
    if failing := sorted(name for name, outcome in expected.items() if outcome == "failed"):
        with capsys.disabled():
            print(f"\n{python} fails without the probe too: {', '.join(failing)}")
    passing = {name for name, outcome in expected.items() if outcome == "passed"}
    assert passing
    for mode in MODES:
        results = tmp_path / f"{mode}.xml"
        done, processes = probed(command(results), tmp_path / mode, mode, limit_s=LIMIT_S)
        found = outcomes(results)
        broken = {name for name in passing if found.get(name) != "passed"}
        assert broken == set(), done.stdout
        counts = [sum(one.executions for one in each.bytecodes) for each in processes]
        assert max(counts) > 100_000
