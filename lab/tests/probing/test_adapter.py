"""The table of adapters."""

from __future__ import annotations

from runfair.machine.native import PROBE_PARTS
from runfair.paths import REPOSITORY
from runfair.probing.adapter import ADAPTERS, adapter_of, supported


def test_each_adapter_is_a_folder_of_the_library() -> None:
    assert {adapter.folder for adapter in ADAPTERS} == {*PROBE_PARTS} - {"core"}
    for part in PROBE_PARTS:
        assert list((REPOSITORY / "probes" / part).glob("*.cpp"))


def test_adapters_by_the_catalogues_families() -> None:
    temurin = adapter_of("temurin")
    assert temurin is not None
    assert (temurin.runtime, temurin.compiles) == ("hotspot", True)
    assert adapter_of("go") is None
    assert all(adapter.versions in supported() for adapter in ADAPTERS)
