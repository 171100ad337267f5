"""Programs that break the contract are failed, labelled and kept; the others are measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from laboratory import Lab, wait_until
from programs import HONEST, ODD, PREAMBLE, SAMPLING
from runfair.catalogue.benchmark import benchmarks

EXPERIMENT = """
baseline = "honest-1.0"

[[measure]]
benchmarks = ["sort"]
workloads = ["classic"]
variants = [{variants}]
modes = ["{mode}"]

[profiles.smoke]
executions = 2
max_seconds = 0.2
timeout_seconds = {timeout_s}
"""


def digest(benchmark: str = "sort", workload: str = "classic") -> str:
    answer = benchmarks()[benchmark].answer(workload, "tiny", 1)
    assert answer is not None
    return str(answer.digest)


def with_runtimes(
    lab: Lab, names: dict[str, str], mode: str, more: str = "", *, timeout_s: int = 3
) -> str:
    lab.add_runtime("honest", HONEST.replace("DIGEST", digest()))
    for name, script in names.items():
        lab.add_runtime(name, (PREAMBLE + script).replace("DIGEST", digest()))
    variants = ", ".join(f'"{name}-1.0"' for name in ("honest", *names))
    text = EXPERIMENT.format(variants=variants, mode=mode, timeout_s=timeout_s)
    return lab.experiment(text.replace("\n[profiles", f"{more}\n[profiles"))


@pytest.mark.parametrize("mode", ["steady", "cold"])
def test_each_is_failed_with_its_reason_and_the_honest_one_is_measured(lab: Lab, mode: str) -> None:
    path = with_runtimes(lab, {name: script for name, (script, _) in ODD.items()}, mode)
    done = lab("run", path, "--profile", "smoke", "--json")
    assert done.returncode == 3, done.stderr
    assert "question in the conclusion has no answer" in done.stderr
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    honest = cells.pop("honest-1.0")
    assert honest["executions"] == 2
    assert honest["figures"]["memory"]["value"] is not None
    reasons = {
        one["cell"].split("/")[-1]: one["outcome"]["reason"]
        for one in lab.executions()
        if one["outcome"]["state"] == "failed"
    }
    for name, (_, said) in ODD.items():
        assert said in reasons[f"{name}-1.0"], name
        assert "\n" not in reasons[f"{name}-1.0"]
        cell = cells[f"{name}-1.0"]
        assert cell["failed"] == 2
        assert all(figure["value"] is None for figure in cell["figures"].values())
    wait_until(lambda: not _running("600.125"), 20)


def test_a_runtime_that_never_returns_is_shown_with_its_samples_so_far(lab: Lab) -> None:
    for name, hangs in (("prompt", False), ("endless", True)):
        script = (PREAMBLE + SAMPLING).replace("HANGS", str(hangs))
        lab.add_runtime(name, script.replace("DIGEST", digest("wake-up", "ring")))
    text = EXPERIMENT.format(variants='"prompt-1.0", "endless-1.0"', mode="cold", timeout_s=3)
    text = text.replace("honest-1.0", "prompt-1.0").replace("sort", "wake-up")
    path = lab.experiment(text.replace("classic", "ring"))
    done = lab("run", path, "--profile", "smoke", "--json")
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    prompt, endless = cells["prompt-1.0"], cells["endless-1.0"]
    assert (prompt["executions"], endless["executions"], endless["failed"]) == (2, 0, 2)
    # 2 µs and 4 µs are the cells 2000 and 3024, whose widths are 1 and 2 ns.
    assert prompt["figures"]["latency.p50"]["value"] == 2000
    shown = endless["figures"]["latency.p50"]
    assert (shown["value"], shown["bounds"][0], shown["bounds"][1]) == (2000, 2000, None)
    assert shown["verdict"] == "flagged"
    assert endless["figures"]["wall"]["value"] is None
    for one in lab.executions():
        kept = lab.run_folder() / "raw" / one["id"] / "samples" / "latency.counts"
        if "endless" in one["cell"]:
            assert one["launch"]["outcome"]["state"] == "timed_out"
            assert "did not exit within 3 s" in one["outcome"]["reason"]
            assert one["samples"] == {"latency": [2000, 2, 3024, 1]}
        assert kept.exists() == ("endless" in one["cell"])
    # Two equal values of 4 µs may differ by a cell, so their interval begins 0.6% lower.
    tables = (lab.run_folder() / "tables.md").read_text(encoding="utf-8")
    assert "- endless-1.0 · p50 ≥ 2.00 µs · p99 ≥ 3.98 µs" in tables
    assert "2 of 2 executions were ended early: the program did not exit within 3 s" in tables


def test_children_that_are_left_are_ended_and_told(lab: Lab) -> None:
    script = (
        "subprocess.Popen(['setsid', 'sleep', '601.25'], stdout=subprocess.DEVNULL)\n"
        "start(); iteration(0); say('end', iterations=1)\n"
    )
    path = with_runtimes(lab, {"forking": script}, "cold")
    done = lab("run", path, "--profile", "smoke", "--json")
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    findings = [
        finding["check"]
        for figure in cells["forking-1.0"]["figures"].values()
        for finding in figure["findings"]
    ]
    assert "left_behind" in findings
    assert not _running("601.25")


@pytest.mark.alone
def test_memory_past_the_limit_ends_the_program(lab: Lab) -> None:
    script = "start(); sys.stdout.flush()\nkept = [bytearray(1 << 20) for _ in range(4096)]\n"
    more = 'memory_limit = ["200 MiB"]\n'
    # The kernel may try for seconds to make room below the limit.
    path = with_runtimes(lab, {"greedy": script}, "cold", more, timeout_s=60)
    done = lab.measured("run", path, "--profile", "smoke")
    greedy = [one for one in lab.executions() if "greedy" in one["cell"]]
    assert len(greedy) == 2
    for one in greedy:
        assert "exceeded its memory limit of 209715200 bytes" in one["outcome"]["reason"], one
        assert one["launch"]["peak_tree_bytes"] < 400 << 20, one
    conclusion = " ".join(done.stdout.split())
    assert (
        "greedy-1.0 every execution reached the time limit or the memory limit of the experiment"
    ) in conclusion, done.stdout


def test_a_runtime_that_vanishes_between_planning_and_running(lab: Lab) -> None:
    path = with_runtimes(lab, {}, "cold")
    lab.measured("run", path, "--profile", "smoke")
    (lab.scratch / "honest").unlink()
    file = lab.run_folder() / "executions.jsonl"
    file.write_bytes(b"")
    line = lab.refuses("resume", "latest")
    assert "has disappeared since the run was planned" in line


def test_a_liar_about_its_collector_is_caught(lab: Lab) -> None:
    script = "start(effective={'collector': 'serial'})\niteration(0); say('end', iterations=1)\n"
    path = with_runtimes(lab, {}, "cold")
    lab.add_runtime(
        "liar", (PREAMBLE + script).replace("DIGEST", digest()), 'settings = { collector = "g1" }'
    )
    text = Path(path).read_text().replace('"honest-1.0"]', '"honest-1.0", "liar-1.0"]')
    done = lab("run", lab.experiment(text), "--profile", "smoke", "--json")
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    liar = cells["liar-1.0"]["figures"]["cpu"]
    assert liar["verdict"] == "void"
    assert "effective_flags" in [finding["check"] for finding in liar["findings"]]
    honest = cells["honest-1.0"]["figures"]["cpu"]
    assert "effective_flags" not in [
        finding["check"] for finding in honest["findings"] if finding["severity"] == "fault"
    ]


def _running(argument: str) -> bool:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if argument.encode() in words:
                return True
    return False
