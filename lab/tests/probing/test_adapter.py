"""The table of adapters."""

from __future__ import annotations

from experiment.plans import variant
from probing.cpythons import on_x86_64
from runfair.formats.place import LOCAL
from runfair.machine.native import PROBE_PARTS
from runfair.paths import REPOSITORY
from runfair.probing.adapter import ADAPTERS, adapter_of, can_be_probed, supported


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


@on_x86_64
def test_a_variant_with_another_interpreter_is_not_probed() -> None:
    java = variant(language="java").model_copy(update={"family": "openjdk", "version": "17.0.21"})
    interpreted, zero = (
        java.model_copy(update={"name": f"openjdk-17+{flag}"}) for flag in ("interpreted", "zero")
    )
    assert can_be_probed(LOCAL, interpreted)
    assert can_be_probed(LOCAL, interpreted.model_copy(update={"family": "mine", "kin": "openjdk"}))
    assert not can_be_probed(LOCAL, zero)
