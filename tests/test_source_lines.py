"""Lines of source, from the program to the page and the exports."""

from __future__ import annotations

import csv
import io
import json

from laboratory import Lab, default_of
from runfair.catalogue.benchmark import benchmarks
from runfair.paths import BENCHMARKS

SOURCE = BENCHMARKS / "langbench" / "sudoku" / "python" / "sudoku.py"


def test_each_line_ran_as_often_as_the_canonical_answer_says(lab: Lab) -> None:
    variants = json.dumps([default_of("python"), default_of("c++")])
    experiment = lab.experiment(
        f"""
[[measure]]
benchmarks = ["sudoku"]
workloads = ["classic"]
variants = {variants}
modes = ["cold", "steady"]
lines = true

[profiles.smoke]
executions = 2
max_seconds = 0.2
"""
    )
    done = lab("run", experiment, "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    assert f"{default_of('c++')} cannot report how often each line" in done.stderr
    told = [cell for cell in json.loads(done.stdout)["cells"] if cell["lines"]]
    assert [cell["variant"] for cell in told] == [default_of("python")]
    assert told[0]["executions"] == 2  # that which told lines is none of them
    [series] = told[0]["lines"]
    assert (series["path"], series["name"], series["verdict"]) == (
        "sudoku.py",
        "executions",
        "fair",
    )
    answer = benchmarks()["sudoku"].answer("classic", "tiny", 1)
    assert answer is not None
    text = [line.strip() for line in SOURCE.read_text(encoding="utf-8").splitlines()]
    ran = {text[int(line) - 1]: one["value"] for line, one in series["lines"].items()}
    assert ran["if fits(grid, cell, digit):"] == answer.operations["tries"]
    assert ran["row[column] = digit"] == answer.operations["placements"]

    exported = lab("export", "latest", "--table", "lines")
    rows = {row["text"].strip(): row for row in csv.DictReader(io.StringIO(exported.stdout))}
    row = rows["row[column] = digit"]
    assert float(row["value"]) == answer.operations["placements"]
    page = next(lab.results.glob("*/report.html")).read_text(encoding="utf-8")
    assert f"{answer.operations['placements']:,}" in page
