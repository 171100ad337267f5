"""Pictures of services at their peak: the CPU time of a request by rate, and a ranking that a
reader can filter by class, language and test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.fairness.checks import driver_bound
from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import CellResult, RunResult
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
from runfair.report.page.palette import Legend
from runfair.report.page.picture import TABLE_MARKS, Columns, Picture, Spec, Value, judgement
from runfair.report.peak_tables import (
    class_text,
    measured,
    name_of_test,
    peak_name,
    ranked,
    tests,
)
from runfair.wording import quantity
from runfair.wording.naming import connections_text
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief, plain, short

CAPTION = (
    "The picture shows the server's CPU time per request against the rate that the service "
    "reached in a closed loop. Each mark is a measurement with one number of connections. "
    "Marks further to the right reach a higher rate, and marks further down need less CPU time "
    "per request. If a mark is far down (little CPU time) but not far to the right (a low "
    "rate), the service waited for something else, such as its database. Filled marks are fair "
    "values, and hollow marks are flagged (doubtful) values. Void values are left out. "
    f"{TABLE_MARKS}"
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
            table=_table(title, cells),
            judgement=judgement(cells, ("cpu", "wall")),
        )


def _data(cells: Sequence[CellResult], legend: Legend) -> Columns:
    names = ("x", "y", "series", "verdict", "service", "connections", "rate", "said")
    columns: dict[str, list[Value]] = {name: [] for name in names}
    for cell in cells:
        peak = cell.peak
        if peak is None or peak.rate_per_s.value is None or peak.cpu_ns.value is None:
            continue
        columns["x"].append(rounded(peak.rate_per_s.value))
        columns["y"].append(rounded(peak.cpu_ns.value))
        columns["series"].append(legend.series(cell).name)
        columns["verdict"].append(_state(cell))
        columns["service"].append(peak_name(cell))
        columns["connections"].append(connections_text(peak.connections, peak.pipeline))
        columns["rate"].append(measured(peak.rate_per_s, _rate))
        columns["said"].append(measured(peak.cpu_ns, quantity.duration))
    return columns


def _rate(per_s: float) -> str:
    return f"{quantity.three_digits(per_s)}/s"


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
        *(("service", "service"), ("connections", "connections"), ("rate", "rate")),
        *(("said", "CPU time"), ("verdict", "verdict")),
    )
    return view(marks("peaks", places, legend.among(cells), size=90, shown=shown))


def _table(title: str, cells: Sequence[CellResult]) -> Table:
    rows = []
    for cell in cells:
        peak = cell.peak
        if peak is None or not cell.figures:
            continue
        texts = (
            connections_text(peak.connections, peak.pipeline),
            measured(peak.rate_per_s, _rate),
            measured(peak.cpu_ns, quantity.duration),
            _state(cell),
        )
        rows.append(Row((peak_name(cell), *texts), _state(cell)))
    return Table(title, ("service", "connections", "rate", "CPU/request", "verdict"), tuple(rows))


COLUMNS = (
    *("rank", "service", "test", "class", "language", "requests/s", "CPU/request"),
    *("database's CPU", "connections", "limited by", "verdict"),
)
NOTE = (
    "The rank counts all services of the same test and class, even if a filter hides some of them. "
    "Tests with a database are ranked by the server's CPU time per request, other "
    f"tests by requests/s. {TABLE_MARKS}"
)
# A server that uses this share of its processors' time is at its own limit.
BUSY = 0.9


@dataclass(frozen=True)
class RankedRow:
    """A row of the ranking, and the texts by which it is selected."""

    group: str
    language: str
    test: str
    cells: tuple[str, ...]
    state: VerdictState | None


@dataclass(frozen=True)
class PeakRanking:
    rows: tuple[RankedRow, ...]
    note: str = NOTE
    columns: tuple[str, ...] = COLUMNS

    @property
    def filters(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The filters: the name of each, its label, and its choices."""
        return (
            ("group", "class", tuple(dict.fromkeys(row.group for row in self.rows))),
            ("language", "language", tuple(sorted({row.language for row in self.rows}))),
            ("test", "test", tuple(dict.fromkeys(row.test for row in self.rows))),
        )


def peak_ranking(result: RunResult) -> PeakRanking | None:
    """The ranking of a run; None if the run has no peaks."""
    rows = tuple(row for cells in tests(result).values() for row in _rows(ranked(cells)))
    return PeakRanking(rows) if rows else None


def _rows(peaks: Sequence[CellResult]) -> Iterator[RankedRow]:
    for rank, cell in enumerate(peaks, 1):
        test = brief(f"{cell.benchmark} {name_of_test(cell)} {cell.size}")
        group, language = class_text(cell.classification), brief(cell.language)
        texts, state = _texts(cell)
        number = str(rank) if state not in (None, "void") else ""
        cells = (number, peak_name(cell), test, group, language, *texts)
        yield RankedRow(group, language, test, cells, state)


def _texts(cell: CellResult) -> tuple[tuple[str, ...], VerdictState | None]:
    peak = cell.peak
    if cell.absent or peak is None or not cell.executions + cell.failed:
        return ("", "", "", "", "", plain(cell.absent or "not measured")), None
    states = [peak.rate_per_s.verdict, peak.cpu_ns.verdict]
    database = peak.database_cpu_ns
    texts = (
        measured(peak.rate_per_s, quantity.three_digits),
        measured(peak.cpu_ns, quantity.duration),
        "" if database is None else quantity.duration(database),
        connections_text(peak.connections, peak.pipeline),
        limit(cell),
        worst(states),
    )
    # The quantity that ranks the test decides whether the service has a rank.
    ranking = peak.cpu_ns if peak.with_database else peak.rate_per_s
    return texts, "void" if ranking.verdict == "void" else worst(states)


def limit(cell: CellResult) -> str:
    """The part that limits a peak: the database, the load generator, the server, or none of
    them."""
    peak, wall = cell.peak, cell.figures.get("wall")
    if peak is None or wall is None or peak.server_share is None:
        return ""
    if peak.database_bound:
        return "database"
    if any(one.check == driver_bound.NAME for one in wall.findings):
        return "load generator"
    if peak.server_share >= BUSY:
        return "server"
    return f"waits: server busy {quantity.percent(peak.server_share)}"
