"""The ranking of services at their peak, which a reader can filter by class, language and test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.fairness.checks import driver_bound
from runfair.formats.finding import VerdictState, worst
from runfair.formats.result import CellResult, RunResult
from runfair.report.classes import class_text
from runfair.report.peak_tables import measured, name_of_test, ranked, tests
from runfair.wording import quantity
from runfair.wording.naming import connections_text
from runfair.wording.text import brief, plain

COLUMNS = (
    *("rank", "service", "test", "class", "language", "requests/s", "CPU/request"),
    *("database's CPU", "connections", "limited by", "verdict"),
)
NOTE = (
    "The rank counts all services of the same test and class, even if a filter hides some of them. "
    "Tests with a database are ranked by the server's CPU time per request, other "
    "tests by requests/s."
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
        cells = (number, plain(f"{cell.tier} ({cell.variant})"), test, group, language, *texts)
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
