"""Pictures of services at their peak: the CPU time of a request by rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import CellResult, RunResult
from runfair.report.classes import class_text
from runfair.report.page.drawing import (
    DURATION_LABEL,
    NUMBER_LABEL,
    log_scale,
    log_ticks,
    marks,
    quantitative,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.judgement import judgement
from runfair.report.page.palette import Legend
from runfair.report.page.picture import Columns, Picture, Spec, Value
from runfair.report.peak_tables import tests
from runfair.wording import quantity
from runfair.wording.naming import connections_text
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, short

CAPTION = (
    "The CPU time of a request in the server, by the rate that the service reached in a closed "
    "loop. Each mark is a number of connections. Further to the right is faster, further down is "
    "cheaper. If a mark is far down but not far to the right, the service waited for something "
    "else, such as its database. Filled marks are fair, hollow marks flagged; void points are left "
    "out."
)


def peak_pictures(result: RunResult, legend: Legend) -> Iterator[Picture]:
    """A picture for each test and class."""
    for (benchmark, size, classification, test), cells in tests(result).items():
        parts = [short(benchmark), short(test), short(size), class_text(classification)]
        title = f"CPU time of a request by rate · {' · '.join(parts)}"
        data = _data(cells, legend)
        if not data["x"]:
            continue
        yield Picture(
            name=anchor(title),
            title=title,
            caption=CAPTION,
            spec=_spec(cells, data, legend),
            data={"peaks": data},
            table=_table(title, cells, legend),
            judgement=judgement(cells, ("cpu", "wall")),
        )


def _data(cells: Sequence[CellResult], legend: Legend) -> Columns:
    names = ("x", "y", "series", "verdict", "connections", "rate", "said")
    columns: dict[str, list[Value]] = {name: [] for name in names}
    for cell in cells:
        peak = cell.peak
        if peak is None or peak.rate_per_s.value is None or peak.cpu_ns.value is None:
            continue
        columns["x"].append(rounded(peak.rate_per_s.value))
        columns["y"].append(rounded(peak.cpu_ns.value))
        columns["series"].append(legend.series(cell).name)
        columns["verdict"].append(_state(cell))
        columns["connections"].append(connections_text(peak.connections, peak.pipeline))
        columns["rate"].append(f"{quantity.three_digits(peak.rate_per_s.value)}/s")
        columns["said"].append(quantity.duration(peak.cpu_ns.value))
    return columns


def _state(cell: CellResult) -> VerdictState:
    assert cell.peak is not None
    return worst([cell.peak.rate_per_s.verdict, cell.peak.cpu_ns.verdict])


def _spec(cells: Sequence[CellResult], data: Columns, legend: Legend) -> Spec:
    def axis(field: str, title: str, label: str) -> dict[str, object]:
        reach = [float(one) for one in data[field] if isinstance(one, int | float)]
        ticks = {"values": log_ticks(reach), "labelExpr": label}
        return quantitative(field, title, scale=log_scale(reach), axis=ticks)

    places = {
        "x": axis("x", "requests a second", NUMBER_LABEL),
        "y": axis("y", "CPU time of a request", DURATION_LABEL),
    }
    shown = tooltip(
        *(("series", "service"), ("connections", "connections"), ("rate", "rate")),
        *(("said", "CPU time"), ("verdict", "verdict")),
    )
    return view(marks("peaks", places, legend.among(cells), size=90, shown=shown))


def _table(title: str, cells: Sequence[CellResult], legend: Legend) -> Table:
    rows = []
    for cell in cells:
        peak = cell.peak
        if peak is None or not cell.figures:
            continue
        rate, cpu = peak.rate_per_s, peak.cpu_ns
        texts = (
            connections_text(peak.connections, peak.pipeline),
            "void" if rate.value is None else f"{quantity.three_digits(rate.value)}/s",
            "void" if cpu.value is None else quantity.duration(cpu.value),
            _state(cell),
        )
        rows.append(Row((legend.series(cell).name, *texts), _state(cell)))
    return Table(title, ("service", "connections", "rate", "CPU/request", "verdict"), tuple(rows))
