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
