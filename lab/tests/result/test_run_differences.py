"""What differs between two runs besides their figures."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.honest_run import GO, JAVA, cell_id, honest_run
from runfair.evidence.run import RunEvidence
from runfair.result.run_differences import differences

GO_CELL = cell_id(GO)


def test_the_folder_of_the_inputs_is_no_other_work(first: RunEvidence) -> None:
    elsewhere = honest_run().with_cell(GO_CELL, inputs=["/elsewhere/sudoku-small.txt"]).evidence()
    assert differences(first, elsewhere) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kernel": "6.2"}, "kernel: 6.1 and 6.2"),
        ({"name": "other"}, "machine: host and other"),
        ({"system": "Debian 13"}, "system: Debian GNU/Linux 12 and Debian 13"),
    ],
)
def test_what_differs_of_the_machine_is_named(
    first: RunEvidence, changes: dict[str, Any], said: str
) -> None:
    assert differences(first, honest_run().with_host(**changes).evidence()) == [said]


def test_what_differs_of_plan_and_programs_is_named(first: RunEvidence) -> None:
    assert differences(first, first) == []
    assert differences(first, honest_run().with_plan(profile="full").evidence()) == [
        "profile: quick and full"
    ]
    assert differences(first, honest_run().with_plan(runfair="0.1.0 (commit a)").evidence()) == [
        "runfair: 0.1.0 and 0.1.0 (commit a)"
    ]
    old = honest_run().with_variant(GO.name, identity="version=1; options='-O2; -g'")
    newer = old.with_variant(GO.name, identity="version=2", version="2")
    assert differences(old.evidence(), newer.evidence()) == ["the version of go-1.26.8: 1 and 2"]
    rebuilt = old.with_variant(GO.name, identity="version=1; built=today; options='-O2'")
    assert differences(old.evidence(), rebuilt.evidence()) == [
        "go-1.26.8 has the same version in both runs, but other facts about it (such as its build) "
        "differ"
    ]
    asked = old.with_variant(GO.name, identity="version=1; built=today; options='-O2; -g'")
    assert differences(old.evidence(), asked.evidence()) == []
    flags = honest_run().with_flags(JAVA.name, "-Xint")
    assert differences(first, flags.evidence()) == [
        "the build flags of the programs of temurin-25+g1-gc"
    ]
    work = honest_run().with_cell(GO_CELL, digest="f" * 16, inputs=["other.txt"])
    assert differences(first, work.evidence()) == [
        "the work (answer, operations or parameters) of go-1.26.8",
        "the input files of go-1.26.8",
    ]
