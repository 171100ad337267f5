"""The machines on which tests make plans of programs and of services."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiment.plans import artefact
from experiment.program_plans import GO
from experiment.program_plans import VARIANTS as PROGRAM_VARIANTS
from experiment.service_plans import VARIANTS
from runfair.building.artefact import require_met
from runfair.building.failure import Unsupported
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.service import ServiceBenchmark
from runfair.experiment import (
    plan_draft,
    planning,
    program_planning,
    served_work,
    service_planning,
    work,
)
from runfair.formats.variant import Artefact, Variant
from runfair.machine.processors import Assignment


@pytest.fixture
def steps() -> list[str]:
    return []


@pytest.fixture
def program_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with three variants, where everything is built already and Go has no heap limit."""

    def build(asked: Variant, _: ProgramSource, training: Any) -> Artefact:
        assert training
        return artefact().model_copy(update={"variant": asked.name})

    def launch_options(
        asked: Variant, heap_bytes: int | None, processors: int | None
    ) -> tuple[list[str], dict[str, str]]:
        if asked is GO and heap_bytes:
            raise Unsupported("Go has no heap limit")
        return ([f"-heap={heap_bytes}"] if heap_bytes else []), {"CPUS": str(processors)}

    monkeypatch.setattr(planning, "variants", lambda: PROGRAM_VARIANTS)
    monkeypatch.setattr(plan_draft, "build", build)
    for reader in (work, program_planning):
        monkeypatch.setattr(reader, "input_file", lambda *_: None)
    monkeypatch.setattr(plan_draft, "launch_options", launch_options)
    monkeypatch.setattr(
        planning, "assign", lambda wanted, _: Assignment(tuple(range(wanted)), (7,), "crowded")
    )


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
