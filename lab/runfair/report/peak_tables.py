"""The tables of services at their peak, and of the composite scores. Each table has one class of
frameworks. Notes name the classes of other tables that mix them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from runfair.formats.finding import worst
from runfair.formats.peak import Classification
from runfair.formats.peak_result import Measured, PeakResult, ScoreResult, ScoreRow
from runfair.formats.result import CellResult, RunResult
from runfair.formats.service import OWN, service_label
from runfair.report.notes import Notes, verdict_words
from runfair.result.peak import contender, peak_cells
from runfair.wording import quantity
from runfair.wording.naming import surroundings
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

UNCLASSIFIED = "without a class"


def class_text(classification: Classification | None) -> str:
    return UNCLASSIFIED if classification is None else classification.text


def mixed_classes(cells: Sequence[CellResult]) -> Iterator[str]:
    """A note under a table whose services belong to several classes, with the class of each."""
    members: dict[str, list[str]] = {}
    for cell in cells:
        served = members.setdefault(class_text(cell.classification), [])
        name = cell.tier if cell.served is None else cell.served.service
        if name not in served:
            served.append(name)
    if len(members) > 1:
        told = "; ".join(f"{text}: {', '.join(names)}" for text, names in members.items())
        yield plain(
            "this table contains services of several classes (kinds of framework); compare only "
            f"services of the same class. {told}"
        )


def _unverified(cells: Sequence[CellResult]) -> Iterator[str]:
    """A note under a table that compares services of the user with the lab's, which `verify`
    checks."""
    own = {cell.peak.service for cell in cells if cell.peak is not None and cell.tier == OWN}
    if own and any(cell.tier != OWN for cell in cells):
        yield plain(
            "runfair did not check whether the rules of the test are followed by "
            f"{', '.join(sorted(own))}, which may therefore do less work than the other services"
        )


FIGURES = ("wall", "cpu")
# A table ranks the contenders of one benchmark and size in one test.
Test = tuple[str, str, Classification | None, str]


def peak_tables(result: RunResult) -> list[Table]:
    """The tables of each test and class: the peaks, what was used for them, and the rates by number
    of connections. The tables of the scores follow."""
    shown = [table for test, cells in tests(result).items() for table in _test(test, cells)]
    return [*shown, *map(score_table, result.scores)]


def tests(result: RunResult) -> dict[Test, list[CellResult]]:
    """The peak cells of each test and class, in all their numbers of connections. Pipelined
    requests are a test of their own."""
    found: dict[Test, list[CellResult]] = {}
    for cell in result.cells:
        if cell.peak is not None:
            test = (cell.benchmark, cell.size, cell.classification, name_of_test(cell))
            found.setdefault(test, []).append(cell)
    return found


def name_of_test(cell: CellResult) -> str:
    """The name of a cell's test: its workload, and whether its requests are pipelined."""
    depth = 1 if cell.peak is None else cell.peak.pipeline
    return cell.workload if depth == 1 else f"{cell.workload} pipelined by {depth}"


def ranked(cells: Sequence[CellResult]) -> list[CellResult]:
    """The peak of each contender, best first: tests with a database by the CPU time of a request in
    the server, because the database may limit the rate; other tests by the rate. Contenders without
    a number come last."""
    ((_, members),) = peak_cells(cells).items()
    peaks = [cell for tests in members.values() for cell in tests.values()]
    return sorted(peaks, key=_rank)


def _rank(cell: CellResult) -> tuple[bool, float]:
    assert cell.peak is not None
    cpu, rate = cell.peak.cpu_ns.value, cell.peak.rate_per_s.value
    if cell.peak.with_database:
        return cpu is None, cpu or 0.0
    return rate is None, -(rate or 0.0)


def _test(test: Test, cells: Sequence[CellResult]) -> list[Table]:
    benchmark, size, classification, workload = test
    title = f"{benchmark} · {workload} · {size} · peak · {class_text(classification)}"
    brief = f"{workload} · peak · {class_text(classification)}"
    peaks = ranked(cells)
    found = [_peaks(title, peaks), _used(f"{brief} · used", peaks)]
    if len({cell.peak.connections for cell in cells if cell.peak is not None}) > 1:
        found.append(_levels(f"{brief} · requests/s by connections", peaks, cells))
    return [one for one in found if one.rows]


def _peaks(title: str, peaks: Sequence[CellResult]) -> Table:
    notes = Notes()
    database = any(cell.peak and cell.peak.with_database for cell in peaks)
    columns = ["service", "connections", "requests/s", "per processor", "CPU/request"]
    columns += ["database's CPU"] if database else []

    def texts(peak: PeakResult) -> list[str]:
        of_database = [_or_dash(peak.database_cpu_ns, quantity.duration)] if database else []
        return [
            str(peak.connections),
            measured(peak.rate_per_s, quantity.three_digits),
            _or_dash(peak.rate_per_processor_s, quantity.three_digits),
            measured(peak.cpu_ns, quantity.duration),
            *of_database,
        ]

    rows = tuple(_row(cell, texts, len(columns) - 1, notes) for cell in peaks)
    order = "ranked by CPU time per request" if database else "ranked by requests/s"
    method = (
        f"{order}; the load was a closed loop, so percentiles of the latency would not be valid"
    )
    said = (method, *_unverified(peaks), *notes.lines())
    return Table(plain(title), (*columns, "verdict"), rows, said)


def _used(title: str, peaks: Sequence[CellResult]) -> Table:
    """What server and database used at the peak."""
    notes = Notes()
    rows = []
    for cell in peaks:
        peak, memory = cell.peak, cell.figures.get("memory")
        if peak is None or memory is None or not cell.executions:
            continue
        calls = peak.system_calls
        all_calls = None
        if calls is not None:
            all_calls = calls.read + calls.write + calls.wait + calls.lock + calls.other
        texts = (
            quantity.shown(memory),
            _or_dash(all_calls, quantity.three_digits),
            _or_dash(peak.switches, quantity.three_digits),
            _or_dash(peak.server_share, quantity.percent),
            _or_dash(peak.database_share, quantity.percent),
            _or_dash(peak.paused_share, quantity.percent),
            _or_dash(peak.collecting_share, quantity.percent),
        )
        judged = [memory, cell.figures["cpu"]]
        state = worst([one.verdict for one in judged])
        rows.append(Row((peak_name(cell), *texts, verdict_words(cell, judged, notes)), state))
    columns = (
        *("service", "memory", "system calls/request", "switches/request"),
        *("server busy", "database busy", "paused", "collecting", "verdict"),
    )
    return Table(plain(title), columns, tuple(rows), tuple(notes.lines()))


def _levels(title: str, peaks: Sequence[CellResult], cells: Sequence[CellResult]) -> Table:
    """The rate at each number of connections. If the highest rate is the last, the peak may lie
    beyond it."""
    by_place = {
        (contender(cell), cell.peak.connections): cell for cell in cells if cell.peak is not None
    }
    levels = sorted({connections for _, connections in by_place})
    rows, edges = [], []
    for peak in peaks:
        mine = [by_place.get((contender(peak), level)) for level in levels]
        if all(cell is None or not cell.executions for cell in mine):
            continue
        texts = [
            "" if cell is None or cell.peak is None else _rate(cell.peak.rate_per_s)
            for cell in mine
        ]
        state = worst(
            [cell.peak.rate_per_s.verdict for cell in mine if cell is not None and cell.peak]
        )
        rows.append(Row((peak_name(peak), *texts, state), state))
        if _at_edge(peak, cells):
            edges.append(peak_name(peak))
    notes: tuple[str, ...] = ()
    if edges:
        notes = (
            f"{', '.join(edges)}: the highest rate was measured with the largest number of "
            "connections, so the true peak may be higher; add a larger number of connections to "
            "the experiment",
        )
    columns = ("service", *map(str, levels), "verdict")
    return Table(plain(title), columns, tuple(rows), notes)


def _at_edge(peak: CellResult, cells: Sequence[CellResult]) -> bool:
    """Whether the peak has the most connections of several."""
    assert peak.peak is not None
    own = [
        cell.peak.connections
        for cell in cells
        if cell.peak is not None and contender(cell) == contender(peak)
    ]
    return len(own) > 1 and peak.peak.connections == max(own)


def score_table(score: ScoreResult) -> Table:
    """A composite score of one class."""
    version = f"score {score.name!r}, version {score.version}"
    rows = tuple(_score_row(row) for row in score.rows)
    of = (
        "requests/s"
        if score.of == "rate"
        else "the results of all tests, each divided by the best result in the same test and class"
    )
    notes = [
        f"{score.about}; the score combines {of}; the best service of the class has the score 100"
    ]
    if not score.verified:
        notes.append(
            "the weights of the score may be wrong, because they were not compared with their "
            f"source: {score.source}"
        )
    title = f"{score.benchmark} · {score.size} · {version} · {class_text(score.classification)}"
    columns = ("service", "score [95%]", "remark", "verdict")
    return Table(plain(title), columns, rows, tuple(map(plain, notes)))


def _score_row(row: ScoreRow) -> Row:
    name = plain(service_label(row.service, row.variant))
    where = surroundings(row.threads, row.factors)
    if where != ["1 thread"]:
        name += f", {', '.join(where)}"
    if row.value is None:
        return Row((name, "—", plain(row.reason), ""), None)
    star = "*" if row.verdict == "flagged" else ""
    text = f"{quantity.three_digits(row.value)}{star}{quantity.interval(row.interval)}"
    bound = f"database-bound: {', '.join(row.database_bound)}" if row.database_bound else ""
    return Row((name, text, bound, row.verdict), row.verdict)


def _row(
    cell: CellResult,
    texts: Callable[[PeakResult], Sequence[str]],
    width: int,
    notes: Notes,
) -> Row:
    blank = ("",) * width
    if cell.absent:
        return Row((peak_name(cell), *blank, plain(cell.absent)), None)
    if cell.peak is None or not cell.executions + cell.failed:
        return Row((peak_name(cell), *blank, "not measured"), None)
    figures = [cell.figures[name] for name in FIGURES]
    state = worst([figure.verdict for figure in figures])
    return Row((peak_name(cell), *texts(cell.peak), verdict_words(cell, figures, notes)), state)


def peak_name(cell: CellResult) -> str:
    """The name of the service of a peak, with the variant on which a framework runs, and with the
    threads and factors other than one thread."""
    assert cell.peak is not None
    where = surroundings(cell.threads, cell.factors)
    more = "" if where == ["1 thread"] else f", {', '.join(where)}"
    return plain(f"{service_label(cell.peak.service, cell.variant)}{more}")


def _rate(rate: Measured) -> str:
    return measured(rate.model_copy(update={"interval": None}), quantity.three_digits)


def measured(one: Measured, text: Callable[[float], str]) -> str:
    """A quantity as text: its bounds, or its value with its interval. A flagged quantity has a
    star; a void quantity has no number."""
    if one.verdict == "void":
        return "void"
    if one.value is None:
        return "—"
    star = "*" if one.verdict == "flagged" else ""
    low, high = one.bounds or (None, None)
    if low is not None and high is not None:
        return f"{text(low)} to {text(high)}{star}"
    if low is not None or high is not None:
        return (f"≥ {text(low)}" if low is not None else f"≤ {text(high or 0.0)}") + star
    if one.interval is None:
        return f"{text(one.value)}{star}"
    return f"{text(one.value)}{star} [{text(one.interval[0])}, {text(one.interval[1])}]"


def _or_dash(value: float | None, text: Callable[[float], str]) -> str:
    return "—" if value is None else text(value)
