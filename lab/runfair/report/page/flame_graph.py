"""A flame graph of the bytecode probe's samples, with the bytecodes as its last level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from runfair.formats.probe import FrameShare, ProbeTable
from runfair.report.page.drawing import quantitative, rounded, tooltip, view
from runfair.report.page.judgement import Judgement
from runfair.report.page.palette import colour
from runfair.report.page.picture import WIDTH, Picture, Spec, Value
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief

LEVELS = ("part", "function", "line", "bytecode")  # from the bottom
ROW_HEIGHT = 34
LETTER = 8.5  # pixels of a letter, with room at the ends of the box
LEAST_LETTERS = 3
MOST_ROWS = 60
# Where each runtime's samples get their function from.
FRAMES = {
    "cpython": "the frame that CPython's thread state points to",
    "hotspot": "the frame of HotSpot's interpreter; compiled code has no function",
    "node": "the frame of V8's interpreter; compiled code has no function",
}


def flame_graph(title: str, table: ProbeTable, judgement: Judgement, origin: str) -> Picture:
    """The picture of a table that has frames. `origin` says where the data comes from."""
    frames = table.frames
    heading = f"{title} · flame graph"
    starts = _starts(frames)
    names = [_name(one) for one in frames]
    labels = [_label(name, one.share) for name, one in zip(names, frames, strict=True)]
    data: dict[str, list[Value]] = {
        "level": [one.kind for one in frames],
        "from": [rounded(100 * start) for start in starts],
        "to": [
            rounded(100 * (start + one.share)) for start, one in zip(starts, frames, strict=True)
        ],
        "middle": [
            rounded(100 * (start + one.share / 2))
            for start, one in zip(starts, frames, strict=True)
        ],
        "label": [*labels],
        "name": [*names],
        "said": [quantity.percent(one.share) for one in frames],
    }
    return Picture(
        name=anchor("flame-graph", title),
        title=heading,
        caption=(
            "Each box is as wide as its share of the CPU time. From the bottom: the part of the "
            "runtime, the function, its line, and the bytecode. The function is the innermost one, "
            f"from {FRAMES.get(table.runtime, 'the runtime')}; callers are not recorded. {origin}"
        ),
        spec=_spec(),
        data={"frames": data},
        table=_table(heading, frames, names),
        judgement=judgement,
    )


def _starts(frames: Sequence[FrameShare]) -> list[float]:
    """Where each box begins. A box begins at the left end of the box below it, or at the end of its
    neighbour.
    """
    starts: list[float] = []
    free: dict[int | None, float] = {None: 0.0}
    for at, one in enumerate(frames):
        start = free[one.below]
        starts.append(start)
        free[one.below] = start + one.share
        free[at] = start
    return starts


def _name(frame: FrameShare) -> str:
    file = PurePosixPath(frame.path).name
    if frame.kind == "line":
        return brief(f"{file}:{frame.name}", 80)
    return brief(frame.name, 80)


def _label(name: str, share: float) -> str:
    """As much of the name as fits into the box."""
    letters = int(share * WIDTH / LETTER)
    if letters >= len(name):
        return name
    return f"{name[: letters - 1]}…" if letters > LEAST_LETTERS else ""


def _spec() -> Spec:
    own = {"data": {"name": "frames"}}
    y = {
        "field": "level",
        "type": "nominal",
        "sort": list(reversed(LEVELS)),
        "title": None,
    }
    shown = tooltip(("name", "box"), ("level", "level"), ("said", "share of CPU time"))
    scale = {"domain": [0, 100]}
    boxes = {
        **own,
        "mark": {
            "type": "bar",
            "color": colour("series-0"),
            "height": {"band": 0.96},
            "opacity": 0.35,
            "stroke": colour("background"),
            "strokeWidth": 1,
        },
        "encoding": {
            "x": quantitative("from", "share of the CPU time, %", scale=scale),
            "x2": {"field": "to"},
            "y": y,
            "tooltip": shown,
        },
    }
    labels = {
        **own,
        "mark": {"type": "text", "color": colour("ink"), "fontSize": 11},
        "encoding": {
            "x": quantitative("middle", "share of the CPU time, %", scale=scale),
            "y": y,
            "text": {"field": "label", "type": "nominal"},
            "tooltip": shown,
        },
    }
    return view([boxes, labels], ROW_HEIGHT * len(LEVELS))


def _table(heading: str, frames: Sequence[FrameShare], names: Sequence[str]) -> Table:
    """The bytecodes, each with the boxes below it."""
    rows = []
    for at, one in enumerate(frames):
        if one.kind != "bytecode":
            continue
        stack = []
        below: int | None = at
        while below is not None:
            stack.append(names[below])
            below = frames[below].below
        rows.append((one.share, Row((" ← ".join(stack), quantity.percent(one.share)), None)))
    rows.sort(key=lambda row: -row[0])
    return Table(heading, ("frames", "CPU time"), tuple(row for _, row in rows[:MOST_ROWS]))
