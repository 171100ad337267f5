"""Factors become options, or a reason why they cannot."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.launch import launch_options, program_options, with_options
from runfair.catalogue.program import ProgramSource
from runfair.formats.variant import Variant

Ready = Callable[..., Variant]
Program = Callable[[str], ProgramSource]
MIB = 1 << 20


def test_jdk_is_told_its_heap_and_processors(ready_variant: Ready) -> None:
    arguments, environment = launch_options(
        ready_variant("openjdk", "g1-gc"), heap_bytes=64 * MIB, processors=1
    )
    assert arguments == ["-Xms67108864", "-Xmx67108864", "-XX:ActiveProcessorCount=1"]
    assert environment == {}


def test_node_takes_whole_mebibytes(ready_variant: Ready) -> None:
    node = ready_variant("node")
    assert launch_options(node, heap_bytes=512 * MIB)[0] == ["--max-heap-size=512"]
    with pytest.raises(Unsupported, match="whole MiB"):
        launch_options(node, heap_bytes=512 * MIB + 1)


def test_go_is_told_its_processors_by_environment(ready_variant: Ready) -> None:
    assert launch_options(ready_variant("go"), processors=2) == ([], {"GOMAXPROCS": "2"})


@pytest.mark.parametrize(
    ("family", "suffix"),
    [("go", ""), ("cpython", ""), ("gcc", "o3"), ("rust", "")],
)
def test_runtimes_without_a_heap_limit_say_so(
    family: str, suffix: str, ready_variant: Ready
) -> None:
    with pytest.raises(Unsupported) as refusal:
        launch_options(ready_variant(family, suffix), heap_bytes=64 * MIB)
    assert "heap" in refusal.value.reason


def test_nothing_declared_adds_nothing(ready_variant: Ready) -> None:
    assert launch_options(ready_variant("openjdk", "g1-gc")) == ([], {})


def test_options_go_before_the_program(ready_variant: Ready, program: Program) -> None:
    artefact = build(ready_variant("openjdk", "serial-gc"), program("java"))
    told = with_options(artefact, ["-Xmx1"], {"A": "1"})
    assert told.command[:2] == [artefact.command[0], "-Xmx1"]
    assert told.command[2:] == artefact.command[1:]
    assert told.environment["A"] == "1"


def test_every_option_is_a_name_and_a_value() -> None:
    options = program_options({"letters": 4, "queries": ""}, workload="far", inputs=["/a b=c"])
    assert options == [
        "workload=far",
        "seed=1",
        "threads=1",
        "letters=4",
        "queries=",
        "input=/a b=c",
    ]
