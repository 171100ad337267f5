"""A picture of the machine's speed during the run, as every reading of the reference loop shows
it."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.evidence.machine_level import MachineLevel
from runfair.formats.host import KINDS, ReferenceReading
from runfair.report.page.drawing import HEIGHT, marks, quantitative, reduced, rounded, tooltip, view
from runfair.report.page.palette import Series
from runfair.report.page.picture import Judgement, Picture, Value
from runfair.wording.table import Row, Table
from runfair.wording.text import brief

TITLE = "How fast the machine was"
CAPTION = (
    "Between executions, runfair ran a reference loop of constant work on the measured "
    "processors. One kind of the loop computes, and the other kind walks through memory. The loop "
    "takes longer if the machine becomes slower, or if other processes use the same core or cache. "
    "Each point is the loop's CPU time per step, divided by the median of all points of the same "
    "kind and processor. For example, 1.05 means 5% slower. If a program became slower but the "
    "points did not rise, the program probably changed, not the machine. runfair does not correct "
    "measured values by the points, because the loop did not run at the same time as the programs."
)
STARTS = (
    " The clock of these times begins anew at each start of a machine. The picture therefore shows "
    "only the readings after the last start; the table shows the readings after all {} starts."
)
MOST_COLUMNS = 400


def level_picture(level: MachineLevel) -> Picture | None:
    """The picture of the readings; None if there are none."""
    if not level.readings:
        return None
    members = [Series(kind, number) for number, kind in enumerate(KINDS)]
    shown = _shown(level)
    first_ns = shown[0].started_monotonic_ns
    starts = len({one.boot_id for one in level.readings})
    columns: dict[str, list[Value]] = {
        "x": [rounded((one.started_monotonic_ns - first_ns) / 1e9) for one in shown],
        "y": [rounded(level.relative(one)) for one in shown],
        "series": [one.kind for one in shown],
        "verdict": ["fair"] * len(shown),
        "said": [f"{level.relative(one):.3f}" for one in shown],
        "busy": [_busy(one) for one in shown],
    }
    places = {
        "x": quantitative("x", "seconds since the first reading"),
        "y": quantitative("y", "relative CPU time per step", scale={"zero": False}),
    }
    told = tooltip(("said", "relative"), ("busy", "busy since the previous reading"))
    return Picture(
        name="machine-level",
        title=TITLE,
        caption=CAPTION + STARTS.format(starts) * (starts > 1),
        spec=view(marks("readings", places, members, size=30, shown=told), HEIGHT),
        data={"readings": columns},
        table=_table(level),
        judgement=Judgement("fair", {}),
    )


def _shown(level: MachineLevel) -> list[ReferenceReading]:
    """The readings in order. If there are very many, the least and the greatest reading of each
    stretch are kept. The monotonic clock restarts when the machine boots, so only readings since
    the last boot are shown.
    """
    boot = level.readings[-1].boot_id
    own = [
        [one for one in level.readings if one.kind == kind and one.boot_id == boot]
        for kind in KINDS
    ]
    kept = [
        members[place]
        for members in own
        if members
        for place in reduced([level.relative(one) for one in members], MOST_COLUMNS)
    ]
    return sorted(kept, key=lambda one: one.started_monotonic_ns)


def _table(level: MachineLevel) -> Table:
    rows = []
    for (_, kind, processor), members in level.lanes.items():
        relative = [level.relative(one) for one in members]
        least, greatest = f"{min(relative):.3f}", f"{max(relative):.3f}"
        cells = (kind, str(processor), f"{len(members):,}", least, greatest, _all_busy(members))
        rows.append(Row(cells, None))
    columns = ("kind", "processor", "readings", "fastest", "slowest", "busy meanwhile")
    return Table(TITLE, columns, tuple(rows))


def _busy(reading: ReferenceReading) -> str:
    return brief(", ".join(f"{one.name} {one.share:.0%}" for one in reading.busy)) or "nobody"


def _all_busy(members: Sequence[ReferenceReading]) -> str:
    names = dict.fromkeys(one.name for each in members for one in each.busy)
    return brief(", ".join(names)) or "nobody"
