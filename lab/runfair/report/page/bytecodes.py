"""The results of the bytecode probe: a table of bytecodes, and a heat map of pairs of successive
bytecodes.

The numbers come from an execution under the probe. This execution contributes to no other
figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from pathlib import PurePosixPath

from runfair.formats.estimate import Estimate
from runfair.formats.probe import (
    BytecodeCost,
    FrameShare,
    LineShare,
    ProbedResult,
    ProbeTable,
    SlowRequestLines,
)
from runfair.formats.result import CellResult
from runfair.report.page.drawing import quantitative, rounded, tooltip, view
from runfair.report.page.flame_graph import MOST_STEPS, flame_graph
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend, colour
from runfair.report.page.picture import Judgement, Picture, Spec, Value
from runfair.report.page.probe_judgement import judged
from runfair.wording import quantity
from runfair.wording.naming import condition_text, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief, short

MOST_BARS = 20
MOST_SIDES = 16  # bytecodes in the heat map
MOST_ROWS = 60
ROW_HEIGHT = 18
PROBED = (
    "runfair recorded these data in one execution under the probe. The times of this execution "
    "are used for nothing else."
)
SHARES = (
    "Each bar is a bytecode's share of the CPU time; the line on a bar is the 95% confidence "
    "interval."
)
COUNTS = (
    "Each bar is a bytecode's number of executions. Its CPU time is unknown, because the probe "
    "took no samples."
)
INTERPRETED = (
    " Only bytecodes that the interpreter executed are counted. Compiled code is not counted."
)


def bytecode_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """The pictures for each runtime in each probed execution: the bytecodes, the flame graph, then
    the pairs of bytecodes.
    """
    for cell, probed, table, title in probed_tables(page_input, legend):
        if table.bytecodes:
            yield _costs(title, probed, table)
        if table.frames:
            yield flame_graph(title, table, bytecodes_judged(probed, len(table.frames)), PROBED)
        # The runtime that used the most CPU time served the requests.
        if probed.slow is not None and probed.slow.frames and table is probed.tables[0]:
            yield _slow_flame_graph(title, probed, table, probed.slow)
        if table.pairs:
            yield _pairs(cell, title, probed, table)


def _slow_flame_graph(
    title: str, probed: ProbedResult, table: ProbeTable, slow: SlowRequestLines
) -> Picture:
    return flame_graph(
        f"{title} · slowest requests",
        table.model_copy(update={"frames": slow.frames}),
        bytecodes_judged(probed, len(slow.frames)),
        f"The picture shows only the {slow.samples:,} samples taken during the slowest "
        f"{slow.requests:,} requests. {PROBED}",
    )


def probed_tables(
    page_input: PageInput, legend: Legend
) -> Iterator[tuple[CellResult, ProbedResult, ProbeTable, str]]:
    """Each table of bytecodes, with its cell, its execution and a title."""
    for cell in page_input.result.cells:
        for probed in cell.probed:
            for table in probed.tables:
                runtime = f"{short(table.runtime)} {brief(table.version, 40)}"
                yield (
                    cell,
                    probed,
                    table,
                    f"{legend.series(cell).name} · {workload(cell)} · {condition_text(cell)} · "
                    f"{runtime}",
                )


def unprobed(page_input: PageInput, legend: Legend) -> list[str]:
    """Notes on the cells whose bytecodes the experiment requested and the page does not show, each
    with the reason.
    """
    notes = []
    for cell in page_input.result.cells:
        who = f"{workload(cell)}: {legend.series(cell).name}"
        if cell.unprobed:
            notes.append(f"{who} was not probed ({brief(cell.unprobed)})")
        for probed in cell.probed:
            if probed.verdict == "void":
                notes.append(
                    f"{who}: the results of the probe are void, because {brief(probed.reason)}"
                )
            if probed.unfinished:
                notes.append(
                    f"{who}: {probed.unfinished} of the probed processes left no results, so "
                    "their bytecodes are missing here"
                )
            for process in probed.refused:
                notes.append(f"{who}: a process ran without the probe ({brief(process.refused)})")
    return list(dict.fromkeys(notes))


def hot_paths(page_input: PageInput, legend: Legend) -> list[str]:
    """Sentences on each service. They name the lines and bytecodes that ran during the slowest
    requests, and the call path that led to them.
    """
    said = []
    for cell in page_input.result.cells:
        for probed in cell.probed:
            slow = probed.slow
            if slow is None or not slow.frames:
                continue
            lines = " · ".join(line_words(line) for line in slow.lines[:3])
            said.append(
                f"{legend.series(cell).name}: under the probe, each of its slowest "
                f"{slow.requests:,} requests took at least {quantity.duration(slow.from_ns)}. "
                "While the service answered these requests, it spent its CPU time in "
                f"{lines or 'code whose source lines are unknown'} ({slow.samples:,} samples; "
                "some may belong to other requests that the service answered at the same time). "
                f"The hottest call path was {_hottest_path(slow.frames)}. The source and a flame "
                "graph are below, under Bytecodes."
            )
    return said


def _hottest_path(frames: Sequence[FrameShare]) -> str:
    """The part of the runtime and the functions, each the widest box above the one before it. The
    middle of a long path is left out."""
    names: list[str] = []
    share, below = 0.0, None
    for at, one in enumerate(frames):
        if one.below != below or one.kind not in ("part", "function"):
            continue
        names.append(brief(one.name, 80))
        share, below = one.share, at
    if len(names) > MOST_STEPS:
        names[MOST_STEPS // 2 : -MOST_STEPS // 2] = [f"… {len(names) - MOST_STEPS} more …"]
    return f"{' → '.join(names)} ({quantity.percent(share)})"


def line_words(line: LineShare) -> str:
    """A line with its share of the CPU time and its most frequent bytecodes."""
    name = brief(PurePosixPath(line.path).name, 80)
    return f"{name}:{line.line} {quantity.percent(line.share)} ({bytecode_words(line)})"


def bytecode_words(line: LineShare) -> str:
    return ", ".join(
        f"{brief(name, 60)} {quantity.percent(share)}" for name, share in line.bytecodes.items()
    )


def bytecodes_judged(probed: ProbedResult, numbers: int) -> Judgement:
    return judged(
        probed,
        numbers,
        figures="bytecodes",
        found=PROBED,
        matters=(
            "Counts are exact. Shares have confidence intervals. Times under the probe are "
            "longer than times without the probe."
        ),
    )


def _costs(title: str, probed: ProbedResult, table: ProbeTable) -> Picture:
    """The shares of the CPU time or, without samples, the numbers of executions."""
    sampled = [one for one in table.bytecodes if one.share is not None]
    shown = (sampled or table.bytecodes)[:MOST_BARS]
    data: dict[str, list[Value]] = {
        "bytecode": [brief(one.name, 80) for one in shown],
        "count": [one.executions for one in shown],
        "executions": [f"{one.executions:,}" for one in shown],
    }
    if sampled:
        shares = [one.share for one in shown if one.share is not None]
        data |= {
            "share": [rounded(100 * one.value) for one in shares],
            "low": [rounded(100 * one.low) for one in shares],
            "high": [rounded(100 * one.high) for one in shares],
            "said": [_share(one) for one in shares],
            "lines": [_lines(one) for one in shown],
        }
    return Picture(
        name=anchor("bytecodes", title),
        title=f"{title} · bytecodes",
        caption=(
            f"{SHARES if sampled else COUNTS} {quantity.counted(table.executions)} bytecodes were "
            f"executed in {quantity.duration(table.cpu_ns)} of CPU time. {PROBED}"
            + (INTERPRETED if table.compiles else "")
        ),
        spec=_bars(len(shown), sampled=bool(sampled)),
        data={"bytecodes": data},
        table=_table(f"{title} · bytecodes", table),
        judgement=bytecodes_judged(probed, len(table.bytecodes)),
    )


def _bars(rows: int, *, sampled: bool) -> Spec:
    own = {"data": {"name": "bytecodes"}}
    names: dict[str, object] = {
        "y": {"field": "bytecode", "type": "nominal", "sort": None, "title": None},
        "tooltip": tooltip(("bytecode", "bytecode"), ("executions", "executions")),
    }
    x = quantitative("count", "executions")
    if sampled:
        names["tooltip"] = tooltip(
            ("bytecode", "bytecode"),
            ("said", "share of CPU time"),
            ("executions", "executions"),
            ("lines", "hottest lines"),
        )
        x = quantitative("share", "share of the CPU time, %")
    bars = {
        **own,
        "mark": {"type": "bar", "color": colour("series-0"), "height": {"band": 0.7}},
        "encoding": {"x": x, **names},
    }
    intervals = {
        **own,
        "mark": {"type": "rule", "color": colour("ink"), "strokeWidth": 1.5},
        "encoding": {
            "x": quantitative("low", "share of the CPU time, %"),
            "x2": {"field": "high"},
            **names,
        },
    }
    return view([bars, intervals] if sampled else [bars], ROW_HEIGHT * max(rows, 3))


def _table(title: str, table: ProbeTable) -> Table:
    shown = table.bytecodes[:MOST_ROWS]
    columns = {
        "bytecode": [one.name for one in shown],
        "executions": [f"{one.executions:,}" for one in shown],
        "CPU time": [_share(one.share) for one in shown],
        "each": [_estimate(one.ns_each, " ns") for one in shown],
        "cycles": [_estimate(one.cycles_each) for one in shown],
        "latency": [_estimate(one.latency_ns, " ns") for one in shown],
        "instructions": [_estimate(one.instructions) for one in shown],
        "hottest lines": [_lines(one) for one in shown],
    }
    for mode in ("latency", "instructions"):
        if not any(columns[mode]):
            del columns[mode]  # the experiment did not use this mode
    rows = [Row(cells, None) for cells in zip(*columns.values(), strict=True)]
    left_out = len(table.bytecodes) - len(rows)
    notes = (
        [(f"{left_out} less frequent bytecodes are shown only in the JSON form of the result.")]
        if left_out
        else []
    )
    if table.no_times:
        notes.append(f"The table has no times per execution, because {brief(table.no_times, 200)}.")
    if table.no_lines and not table.lines:
        notes.append(f"The source lines are unknown, because {brief(table.no_lines, 200)}.")
    if table.parts:
        parts = " · ".join(f"{brief(one.part)} {_share(one.share)}" for one in table.parts)
        notes.append(f"Where the CPU time went: {parts}")
    return Table(title, tuple(columns), tuple(rows), tuple(notes))


def _share(share: Estimate | None) -> str:
    if share is None:
        return ""
    return f"{100 * share.value:.1f}% ±{50 * (share.high - share.low):.1f}"


def _estimate(one: Estimate | None, unit: str = "") -> str:
    if one is None:
        return ""
    half_width = quantity.three_digits((one.high - one.low) / 2)
    return f"{quantity.three_digits(one.value)}{unit} ±{half_width}"


def _lines(cost: BytecodeCost) -> str:
    return "  ".join(
        f"{brief(PurePosixPath(one.path).name, 80)}:{one.line} {quantity.percent(one.share)}"
        for one in cost.lines
    )


def _pairs(cell: CellResult, title: str, probed: ProbedResult, table: ProbeTable) -> Picture:
    ends: Counter[str] = Counter()
    for pair in table.pairs:
        ends[pair.first] += pair.executions
        ends[pair.second] += pair.executions
    names = [name for name, _ in ends.most_common(MOST_SIDES)]
    drawn = [one for one in table.pairs if one.first in names and one.second in names]
    total = sum(one.executions for one in table.pairs)
    greatest = table.pairs[0].executions
    data: dict[str, list[Value]] = {
        "first": [brief(one.first, 80) for one in drawn],
        "second": [brief(one.second, 80) for one in drawn],
        "depth": [rounded(_depth(one.executions, greatest)) for one in drawn],
        "said": [
            f"{one.executions:,} ({quantity.percent(one.executions / total)})" for one in drawn
        ],
        "share": [_in_hundred(one.executions / total) for one in drawn],
    }
    rows = [
        Row((one.first, one.second, f"{one.executions:,}"), None) for one in table.pairs[:MOST_ROWS]
    ]
    heading = f"{title} · pairs"
    return Picture(
        name=anchor("pairs", title, cell.id),
        title=heading,
        caption=(
            "Each cell shows how often the column's bytecode was executed directly after the "
            "row's bytecode. Darker cells are more frequent, on a logarithmic scale. Numbers are "
            f"percentages of all pairs. The picture shows the {len(names)} most common bytecodes. "
            f"{PROBED}"
        ),
        spec=_heat_map(names),
        data={"pairs": data},
        table=Table(heading, ("first", "next", "executions"), tuple(rows)),
        judgement=bytecodes_judged(probed, len(drawn)),
    )


def _depth(count: int, greatest: int) -> float:
    """The shade of a pair on a logarithmic scale. The shade is 0 if the pair was executed once, and
    1 for the most frequent pair.
    """
    return log(count) / log(greatest) if greatest > 1 else 1.0


def _in_hundred(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.005 else ""


def _heat_map(names: Sequence[str]) -> Spec:
    """The heat map's specification. Rows and columns are in the order of `names`, which are written
    as literals.
    """
    order = [brief(name, 80) for name in names]
    axis = {"labelLimit": 200, "labelOverlap": False, "grid": False}
    places = {
        "y": {"field": "first", "type": "nominal", "sort": order, "title": "first", "axis": axis},
        "x": {
            "field": "second",
            "type": "nominal",
            "sort": order,
            "title": "next",
            "axis": {**axis, "labelAngle": -45},
        },
        "tooltip": tooltip(("first", "first"), ("second", "next"), ("said", "executions")),
    }
    opacity = {
        "field": "depth",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0.05, 0.65]},
        "legend": None,
    }
    own = {"data": {"name": "pairs"}}
    return view(
        [
            {
                **own,
                "mark": {"type": "rect", "color": colour("series-0")},
                "encoding": {**places, "opacity": opacity},
            },
            {
                **own,
                "mark": {"type": "text", "color": colour("ink"), "fontSize": 10},
                "encoding": {**places, "text": {"field": "share", "type": "nominal"}},
            },
        ],
        ROW_HEIGHT * max(3, len(names)) + 80,
    )
