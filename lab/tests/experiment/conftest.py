"""What tests of plans of services run on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiment.plans import artefact
from experiment.service_plans import VARIANTS
from runfair.building.artefact import require_met
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.service import ServiceBenchmark
from runfair.experiment import (
    plan_draft,
    planning,
    served_work,
    service_planning,
)
from runfair.formats.variant import Artefact, Variant
from runfair.machine.processors import Assignment


@pytest.fixture
def steps() -> list[str]:
    return []


@pytest.fixture
def service_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which all is built already that can be."""

    def build(asked: Variant, source: ProgramSource, training: Any) -> Artefact:
        assert not training
        require_met(asked, source)
        return artefact().model_copy(update={"variant": asked.name, "program": source.name})

    def files(benchmark: ServiceBenchmark, size: str, seed: int) -> Path:
        folder = tmp_path / f"{benchmark.name}-{size}-{seed}"
        folder.mkdir(exist_ok=True)
        for workload in benchmark.text.workloads.values():
            (folder / workload.traffic).write_text("{}\n")
        for name in benchmark.text.inputs:
            (folder / name).write_text("{}\n")
        return folder

    families = {name: SimpleNamespace(default="", install=f"install {name}") for name in ("go",)}
    families |= {name: SimpleNamespace(default="", install="") for name in ("node", "cpython")}
    monkeypatch.setattr(planning, "variants", lambda: VARIANTS)
    monkeypatch.setattr(planning, "assign", lambda *_: Assignment((0,), (1,), ""))
    monkeypatch.setattr(plan_draft, "build", build)
    monkeypatch.setattr(plan_draft, "launch_options", lambda *_, **__: ([], {}))
    monkeypatch.setattr(served_work, "service_files", files)
    monkeypatch.setattr(plan_draft, "generator", lambda: None)
    monkeypatch.setattr(service_planning, "relay", lambda: None)
    monkeypatch.setattr(service_planning, "find_binaries", lambda: None)
    monkeypatch.setattr(
        service_planning, "recently_discovered", lambda: (SimpleNamespace(families=families), None)
    )
