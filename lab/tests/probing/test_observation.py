"""What observes an execution under the probe."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiment.plans import cell
from probing.cpythons import on_x86_64
from runfair.formats.plan import Probing
from runfair.probing.observation import begin_observation, native, probed_executions

pytestmark = on_x86_64


@pytest.mark.parametrize(
    ("probe", "modes"), [(True, ["profile"]), ("all", ["profile", "latency", "instructions"])]
)
def test_each_execution_has_its_mode(
    probe: Probing, modes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runfair.probing.observation.probe_library", lambda: Path("/probe.so"))
    python = cell(language="python", probe=probe)
    begun = [
        begin_observation(python, position, tmp_path / str(position))
        for position in range(probed_executions(python))
    ]
    assert [one.entering({})["RUNFAIR_PROBE_MODE"] for one in begun] == modes
    assert all((tmp_path / str(position)).is_dir() for position in range(len(modes)))


def test_only_programs_of_native_languages_are_native() -> None:
    assert native(cell(language="c++"))
    assert not native(cell(language="java"))
    assert not native(cell(language="rust", mode="service"))


def test_the_last_execution_removes_checks(tmp_path: Path) -> None:
    """The lab's process starts the program, and is not seen in the program's environment."""
    node = cell(language="javascript", probe=False, checks=["solve", "fits"])
    assert probed_executions(node) == 1
    begun = begin_observation(node, 0, tmp_path / "probe")
    command = begun.command(["node", "one.js"])
    assert command[-5:] == ["solve", "fits", "--", "node", "one.js"]
    assert set(begun.entering({"A": "1"})) == {"A", "PYTHONPATH"}
    (tmp_path / "probe" / "checks.json").write_text("{}")
    assert "cost of V8's checks" in begun.keep(node, tmp_path / "kept")
