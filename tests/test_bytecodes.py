"""`probe = true` in an experiment: from the run to the bytecodes on its page."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from html import unescape
from typing import Any

import pytest

from laboratory import Lab, default_of, wait_until
from served_experiment import SERVICES, Serving

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="probes need x86-64"),
]

SLOW_PATH = SERVICES / "slow_path.py"
PLANTED = "total += step * step % 7  # the slow path"


def planted_line() -> int:
    lines = SLOW_PATH.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if PLANTED in line)


def page_of(lab: Lab) -> str:
    return unescape((lab.run_folder() / "report.html").read_text(encoding="utf-8"))


def roles(lab: Lab) -> dict[str, list[str]]:
    """The roles of each cell's executions, in their order."""
    found: dict[str, list[str]] = {}
    for one in lab.executions():
        found.setdefault(one["cell"], []).append(one["role"])
    return found


def cells(text: str) -> dict[str, dict[str, Any]]:
    return {one["variant"]: one for one in json.loads(text)["cells"]}


def test_each_cell_is_probed_after_its_measurements_and_enters_no_figure(lab: Lab) -> None:
    python, native, go = default_of("python"), default_of("c++"), default_of("go")
    experiment = lab.experiment(
        f"""
[[measure]]
benchmarks = ["sudoku"]
workloads = ["classic"]
variants = {json.dumps([python, native, go])}
modes = ["cold", "steady"]
probe = true

[profiles.smoke]
executions = 2
max_seconds = 0.2
"""
    )
    done = lab("run", experiment, "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    counted = shutil.which("valgrind") is not None
    lacking = go if counted else f"{native}, {go}"
    assert f"{lacking} cannot be probed, because the probe supports only CPython" in done.stderr
    for cell, told in roles(lab).items():
        assert told.count("block") == 2, cell
        # The instructions of an iteration are the difference between two executions.
        watched = 1 if python in cell else 2 if native in cell and counted else 0
        assert told.count("probe") == watched, cell
        assert "probe" not in told[: len(told) - watched], cell
    for cell in json.loads(done.stdout)["cells"]:
        assert cell["executions"] == 2, cell["id"]  # those under the probe are none of them
        assert cell["unprobed"] == ""
        if cell["variant"] == go or not (cell["variant"] == python or counted):
            assert cell["probed"] == []
            continue
        [probed] = cell["probed"]
        if cell["variant"] == native:
            assert (probed["verdict"], probed["tables"]) == ("fair", [])
            hottest = probed["instructions"]["iteration"]["functions"][0]
            assert "solve" in hottest["function"]
            assert hottest["share"] > 0.95
            continue
        [table] = probed["tables"]
        assert (probed["verdict"], table["runtime"]) == ("fair", "cpython")
        assert sum(one["executions"] for one in table["bytecodes"]) == table["executions"] > 0
        # All but the first bytecode of a thread follow another.
        assert 0 <= table["executions"] - sum(one["executions"] for one in table["pairs"]) < 10
        assert any(line["path"].endswith("sudoku.py") for line in table["lines"])
    page = page_of(lab)
    assert 'id="bytecodes"' in page
    assert page.count("· pairs</h3>") == 2
    assert "if fits(grid, cell, digit):" in page
    assert page.count("· instructions</h3>") == 2 * counted


def test_a_probed_execution_that_was_interrupted_is_repeated(lab: Lab) -> None:
    """The lab is killed while the program runs under the probe. Later the end of the record is
    lost too, although the results of the probe were stored."""
    experiment = lab.experiment(
        f"""
[[measure]]
benchmarks = ["sudoku"]
workloads = ["classic"]
variants = ["{default_of("python")}"]
modes = ["steady"]
probe = true

[profiles.smoke]
executions = 2
max_seconds = 3
"""
    )
    process = lab.start("run", experiment, "--profile", "smoke")
    try:
        wait_until(lambda: any(lab.results.glob("*/raw/*/probe/*.begun")))
    finally:
        process.kill()
        process.communicate()
    assert [one["role"] for one in lab.executions()] == ["block", "block"]
    require_one_table(lab("resume", "latest", "--json", "--wait", "20"))
    *_, watched = lab.executions()
    assert watched["role"] == "probe"

    record = lab.run_folder() / "executions.jsonl"
    record.write_bytes(record.read_bytes()[:-20])
    require_one_table(lab("resume", "latest", "--json"))
    assert [one["role"] for one in lab.executions()] == ["block", "block", "probe"]
    *_, again = lab.executions()
    assert again["planned"] == watched["planned"]
    assert again["attempt"] > watched["attempt"]
    assert "the run is complete" in lab("resume", "latest").stderr


def require_one_table(done: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in done.stderr, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    [probed] = cell["probed"]
    [table] = probed["tables"]
    assert (cell["executions"], cell["unprobed"], probed["verdict"]) == (2, "", "fair")
    assert sum(one["executions"] for one in table["bytecodes"]) == table["executions"] > 0


def test_from_the_slowest_requests_to_the_line_and_its_bytecodes(
    lab: Lab, serving: Serving
) -> None:
    serving.own("planted", command=[sys.executable, str(SLOW_PATH), "{port}"])
    serving.serve(["planted"], probe=True)
    done = lab("run", serving.experiment(load_seconds=4), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    [told] = roles(lab).values()
    assert told == ["block", "probe"]
    timed, watched = lab.executions()
    assert (timed["outcome"]["state"], watched["outcome"]["state"]) == ("completed", "completed")
    # Under the load of its operating point, and no other.
    assert [load["purpose"] for load in watched["served"]["loads"]] == ["operating_point"]
    assert watched["served"]["system_calls"] is None

    cell = cells(done.stdout)["planted"]
    assert (cell["executions"], cell["unprobed"]) == (1, "")
    [probed] = cell["probed"]
    [table] = probed["tables"]
    line = planted_line()
    hottest = table["lines"][0]
    assert (hottest["path"], hottest["line"]) == (str(SLOW_PATH), line)
    slow = probed["slow"]
    assert slow["requests"] == 4
    assert slow["samples"] > 0
    assert slow["lines"][0]["line"] == line
    assert "BINARY_OP" in " ".join(slow["lines"][0]["bytecodes"]) or sys.version_info < (3, 11)
    functions = [one["name"] for one in slow["frames"] if one["kind"] == "function"]
    assert functions.index("answer") < functions.index("discount")

    page = page_of(lab)
    services, bytecodes = page.index('id="services"'), page.index('id="bytecodes"')
    assert services < page.index(f"slow_path.py:{line} ") < bytecodes  # beside its latency
    assert "→ answer → discount (" in page[services:bytecodes]
    listing = page[bytecodes:]
    assert "· slowest requests · flame graph" in listing
    assert PLANTED in listing
    row = next(text for text in listing.split("<tr") if PLANTED in text)
    assert "▶" in row
    assert next(iter(hottest["bytecodes"])) in row


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node")
def test_from_the_slowest_requests_to_a_call_path_in_compiled_code(
    lab: Lab, serving: Serving
) -> None:
    """V8 compiles the slow path, so its functions are known, and its lines are not."""
    serving.own("planted", command=["node", str(SERVICES / "slow_path.mjs"), "{port}"])
    serving.serve(["planted"], probe=True)
    done = lab("run", serving.experiment(load_seconds=4), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    [probed] = cells(done.stdout)["planted"]["probed"]
    frames = probed["slow"]["frames"]
    # V8 may inline `discount` into `answer`.
    own = [one for one in frames if one["path"] == str(SERVICES / "slow_path.mjs")]
    assert (own[0]["name"], own[0]["kind"]) == ("answer", "function"), frames
    assert own[0]["share"] > 0.3, frames
    page = page_of(lab)
    services, bytecodes = page.index('id="services"'), page.index('id="bytecodes"')
    assert "→ answer " in page[services:bytecodes]


def test_a_service_that_cannot_be_probed_says_why(lab: Lab, serving: Serving) -> None:
    """`-I` keeps Python from reading PYTHONPATH, so the probe cannot enter."""
    script = f"import sys; sys.path.insert(0, {str(SERVICES)!r}); "
    script += f"sys.argv[0] = ''; exec(open({str(SLOW_PATH)!r}).read())"
    serving.own("isolated", command=[sys.executable, "-I", "-c", script, "{port}"])
    serving.serve(["isolated"], probe=True)
    done = lab("run", serving.experiment(load_seconds=1), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    timed, watched = lab.executions()
    assert timed["outcome"]["state"] == "completed"
    assert watched["outcome"]["state"] == "failed"
    assert watched["outcome"]["reason"].startswith("nothing was probed: no process of python")
    cell = cells(done.stdout)["isolated"]
    assert (cell["executions"], cell["failed"], cell["probed"]) == (1, 0, [])
    assert "switched the probe off" in cell["unprobed"]
    assert "was not probed (nothing was probed" in page_of(lab)
