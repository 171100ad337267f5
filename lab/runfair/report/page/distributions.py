"""Pictures of the distributions of values that programs themselves report, for example lateness or
bytes per task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from runfair.evidence.cell import CellEvidence
from runfair.formats.finding import FigureName, VerdictState, worst
from runfair.formats.histogram import Histogram
from runfair.formats.result import CellResult
from runfair.report.page.drawing import (
    DURATION_LABEL,
    NUMBER_LABEL,
    SIZE_LABEL,
    colours,
    dashes,
    log_scale,
    log_ticks,
    quantitative,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend, Series
from runfair.report.page.picture import Columns, Picture, Spec, Value, judgement
from runfair.statistics.array import FloatArray, IntArray
from runfair.statistics.percentile import rank as rank_of
from runfair.wording import quantity
from runfair.wording.naming import condition_text, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief, short

STEPS = 200
LOGARITHMIC_FROM = 20.0  # the ratio of the greatest value to the least
SHARES = (0.25, 0.5, 0.75, 0.9, 0.99)
TIMES = frozenset({"ns", "us", "µs", "ms", "s", "min"})
CAPTION = (
    "The picture shows the cumulative distribution of the recorded values, including the "
    "smallest and the largest value. The values come from the steady parts of all completed "
    "executions. If any percentile of a distribution is void (not valid), the whole "
    "distribution is void. If runfair judged no percentile of a distribution, other values "
    "decide: a distribution of times or rates is void if the wall time is void, and a "
    "distribution of counts or sizes is void if the peak memory is void."
)


@dataclass(frozen=True, eq=False)
class _Line:
    """One cell's distribution. `values` are in ascending order and at least 1; `ranks` has the
    number of samples up to each value.
    """

    cell: CellResult
    series: Series
    values: FloatArray
    ranks: IntArray
    state: VerdictState

    @property
    def void(self) -> bool:
        return self.state == "void"

    @property
    def count(self) -> int:
        return int(self.ranks[-1])

    def at(self, rank: int) -> float:
        """The value of the sample with this rank; ranks start at 1."""
        return float(self.values[np.searchsorted(self.ranks, rank)])


def distribution_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    """The pictures for each comparison group: a picture for each name and unit of the values that
    its programs reported.
    """
    by_id = {cell.id: cell for cell in page_input.result.cells}
    for group in page_input.evidence.groups():
        yield from _sampled(group, by_id, legend)
        told: dict[tuple[str, str], dict[str, list[FloatArray]]] = {}
        for one in group:
            for execution in one.completed:
                for own in page_input.own_values(execution.record.id):
                    gathered = told.setdefault((own.name, own.unit), {})
                    gathered.setdefault(one.cell.id, []).append(own.values)
        for (name, unit), cells in told.items():
            lines = [
                _Line(
                    by_id[cell],
                    legend.series(by_id[cell]),
                    np.sort(np.concatenate(parts)),
                    np.arange(1, sum(map(len, parts)) + 1),
                    state_of(by_id[cell], unit),
                )
                for cell, parts in cells.items()
            ]
            yield _picture(short(name), brief(unit, 20), lines, (kin_of(unit),))


def _sampled(
    group: Sequence[CellEvidence], by_id: Mapping[str, CellResult], legend: Legend
) -> Iterator[Picture]:
    """A picture for each distribution that the benchmark declares."""
    for name, one in group[0].cell.distributions.items():
        figures = [f"{name}.{share}" for share in one.percentiles]
        lines = []
        for cell in group:
            samples = Histogram.merged(
                each.samples[name] for each in cell.completed if name in each.samples
            )
            result = by_id[cell.cell.id]
            if samples.total:
                state = worst([result.figures[figure].verdict for figure in figures])
                values = samples.greatest.astype(np.float64)
                ranks = np.cumsum(samples.counts)
                lines.append(_Line(result, legend.series(result), values, ranks, state))
        if lines:
            yield _picture(short(name), "" if one.unit == "count" else one.unit, lines, figures)


def _picture(
    name: str, unit: str, lines: Sequence[_Line], figures: Sequence[FigureName]
) -> Picture:
    first = lines[0].cell
    title = f"{name} · {workload(first)} · {condition_text(first)}"
    return Picture(
        name=anchor("own", title, unit),
        title=title,
        caption=CAPTION,
        spec=_spec(name, unit, lines),
        data={"values": _data(unit, lines)},
        table=_table(title, unit, lines),
        judgement=judgement([line.cell for line in lines], figures),
    )


def _spec(name: str, unit: str, lines: Sequence[_Line]) -> Spec:
    members = sorted({line.series for line in lines}, key=lambda one: one.number)
    drawn = [float(end) for line in lines if not line.void for end in line.values[[0, -1]]]
    x = quantitative("x", "share of the values (%)", scale={"domain": [0, 100]})
    y = axis_of("y", name, unit, drawn)
    told = {"x": x, "y": y, "color": colours(members)}
    shown = tooltip(("series", "variant"), ("share", "share"), ("said", "no greater than"))
    own = {"data": {"name": "values"}}
    return view(
        [
            {
                **own,
                "mark": {"type": "line", "strokeWidth": 1.8, "interpolate": "step-before"},
                "encoding": {**told, "strokeDash": dashes(members)},
            },
            {
                **own,
                "mark": {"type": "point", "size": 40, "opacity": 0},
                "encoding": {**told, "tooltip": shown},
            },
        ]
    )


def kin_of(unit: str) -> FigureName:
    """The figure whose verdict applies to a program's own values. A disturbance makes times longer
    and rates smaller, but does not change counts and sizes.
    """
    first, _, rest = unit.partition("/")
    return "wall" if first in TIMES or rest in TIMES else "memory"


def state_of(cell: CellResult, unit: str) -> VerdictState:
    figure = cell.figures.get(kin_of(unit))
    return figure.verdict if figure is not None else "fair"


def axis_of(field: str, name: str, unit: str, reach: Sequence[float]) -> Spec:
    """The vertical axis for values of a unit. The axis is logarithmic if the values are positive
    and their range is large. If all values are void, the axis has a default range.
    """
    low, high = min(reach, default=1.0), max(reach, default=100.0)
    label = {"ns": DURATION_LABEL, "bytes": SIZE_LABEL}.get(unit, NUMBER_LABEL)
    title = name if unit in ("ns", "bytes", "") else f"{name} ({unit})"
    # The range is stated, because Vega computes no range if a layer is empty (for example if no
    # mark is fair).
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    scale: Spec = {"domain": [low - room, high + room], "nice": True}
    axis: Spec = {"labelExpr": label}
    if low > 0 and high > LOGARITHMIC_FROM * low:
        scale, axis = log_scale([low, high]), {**axis, "values": log_ticks([low, high])}
    return quantitative(field, title, scale=scale, axis=axis)


def _data(unit: str, lines: Sequence[_Line]) -> Columns:
    columns: dict[str, list[Value]] = {name: [] for name in ("x", "y", "series", "share", "said")}
    for line in lines:
        if line.void:
            continue
        # The first and the last point are kept, so that no extreme value is lost.
        ranks = np.linspace(1, line.count, min(line.count, STEPS)).round().astype(np.int64)
        # A percentile is the value of the next rank above it, so the line begins at 0% with the
        # smallest value and has its steps to the left of the points.
        points = [(0.0, 1), *((rank / line.count, rank) for rank in np.unique(ranks).tolist())]
        for place, rank in points:
            value, share = line.at(rank), rank / line.count
            columns["x"].append(rounded(100 * place))
            columns["y"].append(rounded(value))
            columns["series"].append(line.series.name)
            columns["share"].append(quantity.percent(share))
            columns["said"].append(text_of(value, unit))
    return columns


def text_of(value: float, unit: str) -> str:
    if unit == "ns" and value >= 0:
        return quantity.duration(value)
    if unit == "bytes" and value >= 0:
        return quantity.size(value)
    return f"{quantity.three_digits(value)} {unit}".strip()


def _table(title: str, unit: str, lines: Sequence[_Line]) -> Table:
    names = ("least", "25%", "median", "75%", "90%", "99%", "greatest")
    rows = []
    for line in lines:
        inner = [line.at(rank_of(share, line.count)) for share in SHARES]
        at = [line.at(1), *inner, line.at(line.count)]
        texts = ["void" if line.void else text_of(value, unit) for value in at]
        rows.append(Row((line.series.name, f"{line.count:,}", *texts), None))
    return Table(title, ("variant", "values", *names), tuple(rows))
