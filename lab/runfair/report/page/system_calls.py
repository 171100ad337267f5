"""What a request asks of the kernel, kind by kind, for each service."""

from __future__ import annotations

from runfair.formats.finding import VerdictState
from runfair.formats.result import RequestSystemCalls
from runfair.report.page.cast import Cast
from runfair.report.page.judgement import judgement
from runfair.report.page.operating_point import Point, Served
from runfair.report.page.picture import Picture
from runfair.report.page.stacked_bars import Bar, Part, bars_data, bars_spec
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor

KINDS = ("read", "write", "wait", "lock", "other")
CAPTION = (
    "System calls per request, as the median of the executions for each kind: reads and writes of "
    "sockets and files, waits for events and time, locks (futexes), and others. The kernel counted "
    "them under a separate load at the operating point's rate, which gives no other figure. If "
    "there is less than one call per request, a call serves several requests."
)
_Rows = list[tuple[str, Served]]


def system_call_picture(point: Point, cast: Cast) -> Picture | None:
    """None where no service's were counted."""
    rows = [(cast.member(served.cell).name, served) for served in point.served]
    if not any(served.service.system_calls for _, served in rows):
        return None
    title = f"System calls a request · {point.title}"
    bars = [_bar(name, served) for name, served in rows]
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION,
        spec=bars_spec(bars, KINDS, "system calls a request", "calls a request"),
        data=bars_data(bars),
        table=_table(title, rows),
        judgement=judgement(point.cells, ("cpu",)),
    )


def _bar(row: str, served: Served) -> Bar:
    calls = served.service.system_calls
    if calls is None:
        return Bar(row, {}, _untold(served))
    parts = _by_kind(calls)
    return Bar(row, {one: Part(n, quantity.three_digits(n)) for one, n in parts.items()})


def _by_kind(calls: RequestSystemCalls) -> dict[str, float]:
    return dict(
        zip(KINDS, (calls.read, calls.write, calls.wait, calls.lock, calls.other), strict=True)
    )


def _state(served: Served) -> VerdictState | None:
    cpu = served.cell.figures.get("cpu")
    return cpu.verdict if cpu is not None else None


def _untold(served: Served) -> str:
    return "void" if _state(served) == "void" else "not counted"


def _table(title: str, rows: _Rows) -> Table:
    made = []
    for name, served in rows:
        calls, state = served.service.system_calls, _state(served)
        if calls is None:
            texts = [_untold(served)] * (len(KINDS) + 1)
        else:
            counts = list(_by_kind(calls).values())
            texts = [quantity.three_digits(one) for one in (sum(counts), *counts)]
        made.append(Row((name, *texts, state or ""), state))
    return Table(title, ("service", "all", *KINDS, "verdict"), tuple(made))
