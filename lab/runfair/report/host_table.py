"""The table of the hosts of services that run on several."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.formats.result import CellResult
from runfair.report.notes import Notes, verdict_words
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = ("service", "host", "executions", "share of CPU time", "memory", "verdict")


def host_table(title: str, cells: Sequence[tuple[str, CellResult]], notes: Notes) -> Table:
    """The table of hosts, with a row for each host of each service by name. Without a service on
    several hosts, it has no rows."""
    rows = []
    for name, cell in cells:
        for one in cell.service.hosts if cell.service else []:
            words = verdict_words(cell, [cell.figures["cpu"], cell.figures["memory"]], notes)
            share = "—" if one.cpu_share is None else f"{one.cpu_share:.0%}"
            memory = quantity.size(round(one.memory_bytes))
            texts = (name, plain(one.host), str(one.executions), share, memory, words)
            rows.append(Row(texts, one.verdict))
    return Table(plain(f"{title} · hosts of the service"), COLUMNS, tuple(rows))
