"""Factors that are declared are in force, and read back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from laboratory import Lab, default_of

PAGE_CACHE = """
[[measure]]
benchmarks = ["sudoku"]
variants = ["{variant}"]
modes = ["cold"]
page_cache = ["cold", "warm"]
"""

QUOTA = """
[[measure]]
benchmarks = ["sort"]
variants = ["{variant}"]
modes = ["steady"]
cpu_quota = [0.25]

[profiles.smoke]
max_seconds = 1
"""

HEAP = """
[[measure]]
benchmarks = ["sort"]
variants = ["{java}", "{native}"]
modes = ["cold"]
heap = ["64 MiB"]
"""

PROCESSORS = """
[[measure]]
benchmarks = ["sort"]
variants = ["{variant}"]
modes = ["cold"]
processors = [1, 2]
"""


def measured(lab: Lab, text: str) -> dict[str, Any]:
    done = lab.measured("run", lab.experiment(text), "--profile", "smoke", "--json")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.alone
def test_a_cold_page_cache_is_cold_and_read_back(lab: Lab) -> None:
    measured(lab, PAGE_CACHE.format(variant=default_of("rust")))
    states = {}
    for one in lab.executions():
        states[one["cell"].split("/")[-1]] = one["launch"]["page_cache"]
    cold = states.pop("page-cache-cold")
    assert cold["asked"] > 0
    assert cold["resident_after"] < 0.05 * cold["asked"]
    assert list(states.values()) == [None]


@pytest.mark.skipif(
    os.geteuid() != 0 or not any(Path("/sys/fs/cgroup").rglob("cpu.*")),
    reason="a CPU quota needs root and a cgroup with the cpu controller",
)
@pytest.mark.alone
def test_a_quota_is_kept_and_its_throttling_is_no_surprise(lab: Lab) -> None:
    result = measured(lab, QUOTA.format(variant=default_of("c++")))
    for one in lab.executions():
        launch = one["launch"]
        assert launch["cpu_ns"] < 0.5 * launch["wall_ns"]
        assert launch["throttled_periods"] > 0
    checks = {
        finding["check"]
        for figure in result["cells"][0]["figures"].values()
        for finding in figure["findings"]
        if finding["severity"] != "limitation"
    }
    assert "throttling" not in checks


def test_a_heap_is_read_back_from_inside_and_unsupported_elsewhere(lab: Lab) -> None:
    result = measured(lab, HEAP.format(java=default_of("java"), native=default_of("c++")))
    cells = {one["language"]: one for one in result["cells"]}
    assert "no heap to limit" in cells["c++"]["unsupported"]
    assert cells["c++"]["figures"] == {}
    for one in lab.executions():
        assert one["start"]["effective"]["heap_max_bytes"] <= 64 * 2**20
    assert cells["java"]["executions"] == 2


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_processors_are_those_stated(lab: Lab) -> None:
    measured(lab, PROCESSORS.format(variant=default_of("go")))
    seen = {(len(one["processors"]), one["start"]["processors"]) for one in lab.executions()}
    assert seen == {(1, 1), (2, 2)}
