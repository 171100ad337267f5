"""The tables of services at their operating point: latencies, costs, curves, warm-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from runfair.fairness.objective import WORDS
from runfair.formats.finding import FigureName, VerdictState, worst
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.formats.service import service_label, spoken
from runfair.formats.service_result import Meets, RuntimeEvents, ServiceResult
from runfair.report.capacity_table import capacity_table, knee_words
from runfair.report.host_table import host_table
from runfair.report.notes import Notes, verdict_words
from runfair.report.peak_tables import mixed_classes
from runfair.report.processor_tables import cycles_row
from runfair.report.requirements import requirement_table
from runfair.wording import quantity
from runfair.wording.naming import NAMES, common_surroundings, name_of, objective_text
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

LATENCY: tuple[FigureName, ...] = ("p50", "p90", "p99", "p99_9", "p99_99", "max")
COST: tuple[FigureName, ...] = ("cpu", "memory", "start")
HEADS = {**NAMES, "cpu": "CPU/request", "memory": "memory", "start": "first answer"}


def service_tables(result: RunResult) -> list[Table]:
    """The tables of each operating point: latencies, costs, and all other measured quantities."""
    return [table for cells in service_groups(result) for table in _point(cells)]


def service_groups(result: RunResult) -> list[list[CellResult]]:
    """The services of each comparison group: at one operating point, with the same database."""
    groups: dict[tuple[object, ...], list[CellResult]] = {}
    for cell in result.cells:
        if cell.service is not None:
            asked = cell.service
            key = (
                *(cell.benchmark, cell.workload, cell.size, cell.threads, cell.factors),
                *(asked.rate_per_s, asked.objective, asked.protocol, asked.group),
            )
            groups.setdefault(key, []).append(cell)
    return list(groups.values())


def _point(cells: Sequence[CellResult]) -> list[Table]:
    first = cells[0].service
    assert first is not None
    title = f"{cells[0].benchmark} · {cells[0].workload} · {cells[0].size}"
    title += f" · {first.rate_per_s:g}/s{spoken(first.protocol)}"
    if first.objective is not None:
        title += f", objective {objective_text(first.objective)}"
    parts = "".join(f", {one}" for one in (*common_surroundings(cells), *first.distinction))
    title += parts
    # These tables are narrow, and a title is wrapped at the width of its table.
    brief = f"{cells[0].workload} · {first.rate_per_s:g}/s{spoken(first.protocol)}{parts}"
    # All tables share a list of notes, because every finding concerns latency or cost.
    notes = Notes()
    latency = _rows(cells, LATENCY, notes, objective=True)
    cost = _figures(f"{title} · cost", COST, _rows(cells, COST, notes, objective=False))
    named = [(_name(cell), cell.service) for cell in cells if cell.service]
    further = [
        _requests(brief, cells, notes),
        _relays(brief, cells, notes),
        host_table(brief, [(_name(one), one) for one in cells], notes),
        _cycles(brief, cells, notes),
        _starts(brief, cells, notes),
        _system_calls(brief, cells, notes),
        _collectors(brief, cells, notes),
        _events(brief, cells, notes),
        _curves(brief, cells),
        capacity_table(brief, [(name, one.capacity) for name, one in named if one.capacity]),
        requirement_table(
            brief, [(name, each) for name, one in named for each in one.requirements]
        ),
    ]
    return [
        _figures(f"{title} · latency", LATENCY, latency, objective=True),
        replace(cost, notes=(*mixed_classes(cells), *notes.lines())),
        *(table for table in further if table.rows),
    ]


def _rows(
    cells: Sequence[CellResult], shown: tuple[FigureName, ...], notes: Notes, *, objective: bool
) -> tuple[Row, ...]:
    return tuple(_row(cell, shown, notes, objective=objective) for cell in cells)


def _figures(
    title: str, shown: tuple[FigureName, ...], rows: tuple[Row, ...], *, objective: bool = False
) -> Table:
    middle = ("objective",) if objective else ()
    columns = ("service", *(HEADS[figure] for figure in shown), *middle, "verdict")
    return Table(plain(title), columns, rows)


def _row(cell: CellResult, shown: tuple[FigureName, ...], notes: Notes, *, objective: bool) -> Row:
    name, asked = _name(cell), cell.service
    blank = ("",) * (len(shown) + objective)
    if cell.absent:
        return Row((name, *blank, plain(cell.absent)), None)
    if asked is None or not cell.figures or not cell.executions + cell.failed:
        return Row((name, *blank, "not measured"), None)
    figures = [cell.figures[figure] for figure in shown]
    texts = [_text(figure, one) for figure, one in zip(shown, figures, strict=True)]
    if objective:
        texts.append(_answer(asked.meets))
    state = worst([figure.verdict for figure in figures])
    return Row((name, *texts, verdict_words(cell, figures, notes)), state)


def _name(cell: CellResult) -> str:
    assert cell.service is not None
    name = service_label(cell.service.service, cell.variant)
    if cell.service.instances != cell.factors.instances * cell.factors.hosts:
        name += f", {cell.service.instances} instances"
    return plain(name)


def _text(name: FigureName, figure: Figure) -> str:
    if figure.verdict == "void":
        return "void"
    if figure.value is None:
        return "—"
    star = "*" if figure.verdict == "flagged" else ""
    if figure.bounds is not None:
        return quantity.bounded(figure.value, figure.bounds, figure.unit) + star

    def shown(value: float) -> str:
        return quantity.in_unit(value, figure.unit)

    if figure.interval is None or name not in ("p99", "cpu"):
        return shown(figure.value) + star
    low, high = figure.interval
    return f"{shown(figure.value)}{star} [{shown(low)}, {shown(high)}]"


def _judged(
    cell: CellResult, figures: Sequence[FigureName], notes: Notes
) -> tuple[str, VerdictState]:
    """The worst of the verdicts of these figures, in words and as a state."""
    found = [cell.figures[name] for name in figures]
    return verdict_words(cell, found, notes), worst([figure.verdict for figure in found])


def _void_or(void: bool, text: str) -> str:
    return "void" if void else text


def _aspect(
    cells: Sequence[CellResult],
    notes: Notes,
    judged_by: Sequence[FigureName],
    texts: Callable[[ServiceResult], Sequence[str] | None],
) -> tuple[Row, ...]:
    """A row for each service with data: its name, the `texts`, and the verdict of the figures
    behind these texts."""
    rows = []
    for cell in cells:
        shown = texts(cell.service) if cell.service else None
        if shown is not None:
            words, state = _judged(cell, judged_by, notes)
            rows.append(Row((_name(cell), *shown, words), state))
    return tuple(rows)


def _requests(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of the costs of a request other than its CPU time."""

    def texts(service: ServiceResult) -> Sequence[str] | None:
        cost = service.cost
        return (
            None
            if cost is None
            else (
                _or_dash(cost.system_share, quantity.percent),
                _or_dash(cost.run_queue_ns, quantity.duration),
                _or_dash(cost.switches, quantity.three_digits),
                _or_dash(cost.database_ns, quantity.duration),
                _or_dash(cost.database_cpu_ns, quantity.duration),
                _or_dash(cost.sent_bytes, quantity.size),
                _or_dash(cost.received_bytes, quantity.size),
            )
        )

    columns = (
        *("service", "CPU in the kernel", "run queue", "switches", "in the database"),
        *("its CPU", "request", "answer", "verdict"),
    )
    return Table(plain(f"{title} · a request"), columns, _aspect(cells, notes, ("cpu",), texts))


def _relays(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of the relay: the declared round trip, and the relay's own delay and cost."""

    def texts(service: ServiceResult) -> Sequence[str] | None:
        relay = service.relay
        return (
            None
            if relay is None
            else (
                "network"
                if relay.round_trip_ns is None
                else quantity.duration(relay.round_trip_ns),
                quantity.three_digits(relay.queries_per_request),
                _or_dash(relay.added_p50_ns, quantity.duration),
                _or_dash(relay.added_p99_ns, quantity.duration),
                _or_dash(relay.cpu_per_query_ns, quantity.duration),
            )
        )

    columns = (
        *("service", "round trip", "queries/request", "p50 of the relay's delay", "p99"),
        *("its CPU/query", "verdict"),
    )
    return Table(plain(f"{title} · relay"), columns, _aspect(cells, notes, ("p50",), texts))


def _cycles(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of cycles and instructions per request, if the processor counts them."""
    rows = []
    for cell in cells:
        cost = cell.service.cost if cell.service else None
        if cost is None or cost.cycles is None:
            continue
        words, state = _judged(cell, ("cpu",), notes)
        row = cycles_row(_name(cell), cost.cycles, cost.instructions, user_only=cost.user_only)
        rows.append(Row((*row, words), state))
    columns = ("service", "cycles/request", "instructions", "IPC", "verdict")
    return Table(plain(f"{title} · processor cycles per request"), columns, tuple(rows))


def _answer(met: Meets | None) -> str:
    return "—" if met is None else WORDS[met]


def _or_dash(value: float | None, shown: Callable[[float], str]) -> str:
    return "—" if value is None else shown(value)


def _starts(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of the warm-up: times from the process's start, and levels of the median latency.
    Several executions are shown as a range."""
    rows = []
    for cell in cells:
        seen = cell.service.warm_up if cell.service else []
        kinds = list(dict.fromkeys(one.classification for one in seen))
        first = [one.first_answer_ns for one in seen if one.first_answer_ns is not None]
        steady = [one.steady_ns for one in seen if one.steady_ns is not None]
        if seen:
            words, state = _judged(cell, ("start", "p50"), notes)
            unstarted, void = (cell.figures[one].verdict == "void" for one in ("start", "p50"))
            answered = _void_or(unstarted, _range(first, quantity.duration))
            settled = _void_or(void, _range(steady, quantity.duration))
            levels = [one.levels for one in seen if one.levels]
            p50s_ns = ([round(one[end].p50_ns) for one in levels] for end in (0, -1))
            p50s = [_void_or(void, _range(each, quantity.duration)) for each in p50s_ns]
            changes = _void_or(void, _range([len(one) - 1 for one in levels], str))
            row = (_name(cell), answered, settled, *p50s, changes, ", ".join(kinds))
            rows.append(Row((*row, words), state))
    columns = (
        *("service", "first good answer", "steady after", "p50 at first", "at last", "changes"),
        *("warm-up", "verdict"),
    )
    return Table(plain(f"{title} · warm-up"), columns, tuple(rows))


def _range(values: Sequence[int], text: Callable[[int], str]) -> str:
    """The range of the executions' values, from the least to the greatest."""
    if not values:
        return "—"
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def _system_calls(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of system calls by kind, for services whose calls could be counted."""

    def texts(service: ServiceResult) -> Sequence[str] | None:
        calls = service.system_calls
        if calls is None:
            return None
        kinds = (calls.read, calls.write, calls.wait, calls.lock, calls.other)
        return [quantity.three_digits(each) for each in (sum(kinds), *kinds)]

    columns = ("service", "all", "read", "write", "wait", "lock", "other", "verdict")
    rows = _aspect(cells, notes, ("cpu",), texts)
    return Table(plain(f"{title} · system calls per request"), columns, rows)


def _collectors(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    """The table of allocation per request and of garbage collection."""
    rows = []
    for cell in cells:
        seen = cell.service.events if cell.service else None
        if seen is None:
            rows.append(Row((_name(cell), *[""] * 4, "no runtime events available", ""), None))
            continue
        words, state = _judged(cell, ("cpu",), notes)
        void = state == "void"
        row = (
            _name(cell),
            _void_or(void, _or_dash(seen.allocated_bytes_per_request, quantity.size)),
            _void_or(void, _or_dash(seen.allocated_bytes_per_s, quantity.size)),
            _void_or(void, _or_dash(seen.collections_per_s, quantity.three_digits)),
            _void_or(void, _or_dash(seen.collecting_share, quantity.percent)),
            seen.allocation_untold or _off_by(seen.allocation_rounding),
            words,
        )
        rows.append(Row(row, state))
    if not any(cell.service and cell.service.events for cell in cells):
        rows = []
    columns = (
        *("service", "allocated/request", "allocated/s", "collections/s", "collecting"),
        *("allocation", "verdict"),
    )
    return Table(plain(f"{title} · collector"), columns, tuple(rows))


def _off_by(rounding: float | None) -> str:
    """The largest error of the allocation as text; empty if three digits cannot show it."""
    return "" if rounding is None or rounding < 0.001 else f"to ±{quantity.percent(rounding)}"


def _tail_share(seen: RuntimeEvents) -> str:
    """The share of the tail that overlapped a pause; a range if two places' clocks leave it
    uncertain."""
    if seen.tail_share is None or seen.tail_share_range is None:
        return _or_dash(seen.tail_share, quantity.percent)
    least, most = map(quantity.percent, seen.tail_share_range)
    return f"{quantity.percent(seen.tail_share)} [{least}, {most}]"


def _events(title: str, cells: Sequence[CellResult], notes: Notes) -> Table:
    if not any(cell.service and cell.service.events for cell in cells):
        return Table(plain(title), (), ())
    rows = []
    for cell in cells:
        seen = cell.service.events if cell.service else None
        if seen is None:
            rows.append(Row((_name(cell), *[""] * 6, "no runtime events available", ""), None))
            continue
        words, state = _judged(cell, ("cpu", "p99"), notes)
        own, tail = (cell.figures[name].verdict == "void" for name in ("cpu", "p99"))
        row = (
            _name(cell),
            _void_or(own, _or_dash(seen.pauses_per_s, quantity.three_digits)),
            _void_or(own, _or_dash(seen.paused_share, quantity.percent)),
            _void_or(own, _or_dash(seen.longest_pause_ns or None, quantity.duration)),
            _void_or(tail, _tail_share(seen)),
            _void_or(tail, _or_dash(seen.chance_share, quantity.percent)),
            str(seen.late_compilations),
            f"{seen.collections} GCs in {seen.executions} executions",
            words,
        )
        rows.append(Row(row, state))
    columns = (
        *("service", "pauses/s", "paused", "longest", "of the slowest 1%", "by chance"),
        *("late compilations", "remark", "verdict"),
    )
    return Table(plain(f"{title} · pauses"), columns, tuple(rows))


def _curves(title: str, cells: Sequence[CellResult]) -> Table:
    """The table of latency by rate, with the knee of each service in words."""
    rows = []
    knees = [
        f"{_name(cell)}: {knee_words(cell.service.knee)}"
        for cell in cells
        if cell.service is not None and cell.service.knee is not None
    ]
    for cell in cells:
        for point in cell.service.curve if cell.service else ():
            void, star = point.verdict == "void", "*" if point.verdict == "flagged" else ""
            texts = [
                "void" if void else "—" if value is None else quantity.duration(value) + star
                for value in (point.p50_ns, point.p99_ns, point.objective_ns)
            ]
            met = _answer(None if void else point.meets)
            row = (_name(cell), f"{point.rate_per_s:g}/s", *texts, met, point.verdict)
            rows.append(Row(row, point.verdict))
    asked = _asked(cells)
    head = (
        "objective's"
        if asked is None or asked.objective is None
        else (name_of(asked.objective.percentile))
    )
    columns = ("service", "rate", "p50", "p99", head, "objective", "verdict")
    return Table(plain(f"{title} · curve"), columns, tuple(rows), notes=tuple(knees))


def _asked(cells: Sequence[CellResult]) -> ServiceResult | None:
    return next((cell.service for cell in cells if cell.service is not None), None)
