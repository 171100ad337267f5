"""The cost of V8's checks: a picture for each program, with a bar for each kind of check."""

from __future__ import annotations

from collections.abc import Iterator

from runfair.formats.checks import ChecksResult
from runfair.formats.probe import ProbedResult
from runfair.report.checks_tables import checks_table, how_measured
from runfair.report.page.drawing import quantitative, rounded, tooltip, view
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend, colour
from runfair.report.page.picture import Judgement, Picture, Spec, Value
from runfair.report.page.probe_judgement import judged
from runfair.wording.checks import LOWER_BOUNDS, places_text, removal_name
from runfair.wording.naming import condition_text, workload
from runfair.wording.text import anchor

ROW_HEIGHT = 24


def checks_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """A picture for each program whose checks were removed."""
    for cell in page_input.result.cells:
        for probed in cell.probed:
            if probed.checks is not None:
                name = legend.series(cell).name
                title = f"{name} · {workload(cell)} · {condition_text(cell)} · V8's checks"
                yield _picture(title, probed, probed.checks)


def _picture(title: str, probed: ProbedResult, checks: ChecksResult) -> Picture:
    shown = [(cost, cost.saved) for cost in checks.costs if cost.saved is not None]
    data: dict[str, list[Value]] = {
        "removed": [removal_name(cost) for cost, _ in shown],
        "saved": [rounded(100 * saved.value) for _, saved in shown],
        "low": [rounded(100 * saved.low) for _, saved in shown],
        "high": [rounded(100 * saved.high) for _, saved in shown],
        "checks": [cost.checks for cost, _ in shown],
        "places": [places_text(checks, cost) for cost, _ in shown],
    }
    return Picture(
        name=anchor("checks", title),
        title=title,
        caption=(
            "Each bar is the share of the CPU time that the program saves without the checks of "
            "one kind. The line on a bar is the 95% confidence interval. For “control: nothing”, "
            "runfair writes to the same places in the code, but changes nothing. "
            f"{how_measured(checks)}. {LOWER_BOUNDS}."
        ),
        spec=_bars(len(shown)),
        data={"checks": data},
        table=checks_table(title, probed, checks),
        judgement=_judged(probed, len(checks.costs)),
    )


def _bars(rows: int) -> Spec:
    kinds = {"field": "removed", "type": "nominal", "sort": None, "title": None}
    told = tooltip(
        ("removed", "removed"),
        ("checks", "checks"),
        ("saved", "CPU time saved, %"),
        ("places", "source line:column × checks"),
    )
    bars = {
        "data": {"name": "checks"},
        "mark": {"type": "bar", "color": colour("series-0"), "height": {"band": 0.7}},
        "encoding": {
            "x": quantitative("saved", "CPU time saved, %"),
            "y": kinds,
            "tooltip": told,
        },
    }
    intervals = {
        "data": {"name": "checks"},
        "mark": {"type": "rule", "color": colour("ink")},
        "encoding": {"x": quantitative("low", ""), "x2": {"field": "high"}, "y": kinds},
    }
    return view([bars, intervals], ROW_HEIGHT * max(rows, 3))


def _judged(probed: ProbedResult, numbers: int) -> Judgement:
    return judged(
        probed,
        numbers,
        figures="V8's checks",
        found=(
            "runfair measured these savings in a separate execution. Between the iterations of "
            "this execution, runfair removed and restored checks."
        ),
        matters=(
            "If V8 itself left out the checks, V8 might compile the code differently, so the "
            "savings might be different."
        ),
    )
