"""CPU time and size of the report of a run of 10,000 cells, step by step.

Run from the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/large_report.py [CELLS]

The run is simulated: 48 executions of 12 cells each, two thirds of them with 60 iterations that
the detector looks at. Budget: a minute, and a page of 15 MB.
"""

import sys
import time
from collections.abc import Callable
from io import StringIO
from typing import TypeVar

from rich.console import Console

from fairness.large_run import large_run
from runfair.fairness.verdict import judge
from runfair.report.markdown import markdown
from runfair.report.page.contents import contents
from runfair.report.page.page_input import PageInput
from runfair.report.page.rendering import html
from runfair.report.terminal import print_result
from runfair.result.run import assemble

CELLS_A_BENCHMARK = 12
Made = TypeVar("Made")


def timed(name: str, make: Callable[[], Made]) -> Made:
    before_ns = time.process_time_ns()
    made = make()
    print(f"{name:<10}{(time.process_time_ns() - before_ns) / 1e9:8.2f} s", flush=True)
    return made


def main() -> None:
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    run = large_run(-(-cells // CELLS_A_BENCHMARK))
    print(f"{len(run.plan.cells):,} cells, {len(run.executions):,} executions")
    before_ns = time.process_time_ns()
    evidence = timed("evidence", run.evidence)
    judged = timed("verdicts", lambda: judge(evidence))
    result = timed("model", lambda: assemble("run", evidence, judged))
    shown = timed("pictures", lambda: contents(PageInput(evidence, result)))
    page = timed("page", lambda: html(shown))
    tables = timed("Markdown", lambda: markdown(result))
    terminal = Console(file=StringIO(), width=160)
    timed("terminal", lambda: print_result(result, terminal))
    print(f"{'all':<10}{(time.process_time_ns() - before_ns) / 1e9:8.2f} s")
    print(f"page      {len(page) / 1e6:8.2f} MB, {len(shown.pictures):,} pictures")
    print(f"tables    {len(tables) / 1e6:8.2f} MB, {len(shown.tables):,} tables")


if __name__ == "__main__":
    main()
