"""The instructions of native programs: a table of functions for each program.

The numbers come from two executions under valgrind, which contribute to no other figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.formats.instructions import InstructionTable, IterationInstructions
from runfair.formats.probe import ProbedResult
from runfair.report.page.drawing import quantitative, rounded, tooltip, view
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend, colour
from runfair.report.page.picture import Judgement, Picture, Spec, Value
from runfair.report.page.probe_judgement import judged
from runfair.wording.instructions import function_name, hottest_lines, whole
from runfair.wording.naming import condition_text, workload
from runfair.wording.quantity import percent
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief

MOST_BARS = 12
MOST_ROWS = 40
ROW_HEIGHT = 18


def instruction_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """A picture for each native program that was executed under valgrind."""
    for cell in page_input.result.cells:
        for probed in cell.probed:
            if probed.instructions is not None and probed.instructions.iteration.functions:
                name = legend.series(cell).name
                title = f"{name} · {workload(cell)} · {condition_text(cell)}"
                yield _picture(f"{title} · instructions", probed, probed.instructions)


def _picture(title: str, probed: ProbedResult, counted: IterationInstructions) -> Picture:
    table = counted.iteration
    shown = table.functions[:MOST_BARS]
    data: dict[str, list[Value]] = {
        "function": [function_name(one) for one in shown],
        "share": [rounded(100 * one.share) for one in shown],
        "instructions": [whole(one.instructions) for one in shown],
        "lines": [hottest_lines(one) for one in shown],
    }
    return Picture(
        name=anchor("instructions", title),
        title=title,
        caption=(
            "Each bar is a function's share of the instructions of an iteration, without the "
            "instructions of the functions that it calls. An iteration has "
            f"{whole(table.instructions)} instructions, counted under valgrind "
            f"{brief(table.valgrind, 40)}. Before and after its iterations, a process executes "
            f"{whole(counted.outside)} instructions."
        ),
        spec=_bars(len(shown)),
        data={"instructions": data},
        table=_table(title, table),
        judgement=_judged(probed, len(table.functions)),
    )


def _bars(rows: int) -> Spec:
    bars = {
        "data": {"name": "instructions"},
        "mark": {"type": "bar", "color": colour("series-0"), "height": {"band": 0.7}},
        "encoding": {
            "x": quantitative("share", "share of the instructions, %"),
            "y": {
                "field": "function",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelLimit": 300},
            },
            "tooltip": tooltip(
                ("function", "function"),
                ("instructions", "instructions"),
                ("lines", "hottest lines"),
            ),
        },
    }
    return view([bars], ROW_HEIGHT * max(rows, 3))


def _table(title: str, table: InstructionTable) -> Table:
    rows = [
        Row(
            (function_name(one), whole(one.instructions), percent(one.share), hottest_lines(one)),
            None,
        )
        for one in table.functions[:MOST_ROWS]
    ]
    left_out = len(table.functions) - len(rows)
    notes = (
        (f"{left_out} functions with fewer instructions are shown only in the JSON form.",)
        if left_out
        else ()
    )
    columns = ("function", "instructions", "share", "hottest lines")
    return Table(title, columns, tuple(rows), notes)


def _judged(probed: ProbedResult, numbers: int) -> Judgement:
    return judged(
        probed,
        numbers,
        figures="instructions",
        found=(
            "runfair counted these instructions under valgrind, as the difference between an "
            "execution with two iterations and an execution with one."
        ),
        matters=(
            "The number of instructions does not determine the time: a processor may execute "
            "several instructions in one cycle, or wait many cycles for one instruction."
        ),
    )
