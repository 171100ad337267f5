"""A flame graph of the bytecode probe's samples: call paths, with the bytecodes at the top."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from runfair.formats.probe import TRUNCATED, FrameKind, FrameShare, ProbeTable
from runfair.report.page.drawing import quantitative, rounded, tooltip, view
from runfair.report.page.palette import colour
from runfair.report.page.picture import WIDTH, Judgement, Picture, Spec, Value
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief

LEVELS: tuple[FrameKind, ...] = ("part", "function", "line", "bytecode")
ROW_HEIGHT = 20
LEAST_ROWS = 4
LETTER = 8.5  # pixels of a letter, with room at the ends of the box
LEAST_LETTERS = 3
MOST_ROWS = 60
MOST_STEPS = 12  # of a path in the table
CALL_PATH = "the call path from the outermost function to the innermost one"
# Where each runtime's samples get their functions from.
FRAMES = {
    "cpython": "CPython's thread state, which points to the frame of the running function",
    "hotspot": "the frame of HotSpot's interpreter, or from the compiled code that was running. A "
    "function that HotSpot inlined has no box in the picture",
    "node": "V8's own profiler. A function that V8 inlined has no box in the picture",
}


def flame_graph(title: str, table: ProbeTable, judgement: Judgement, origin: str) -> Picture:
    """The picture of a table that has frames. `origin` says where the data comes from."""
    frames = table.frames
    heading = f"{title} · flame graph"
    starts, depths = _starts(frames), _depths(frames)
    names = [_name(one) for one in frames]
    labels = [_label(name, one.share) for name, one in zip(names, frames, strict=True)]
    data: dict[str, list[Value]] = {
        "level": [one.kind for one in frames],
        "depth": [*depths],
        "centre": [depth + 0.5 for depth in depths],
        "top": [depth + 1 for depth in depths],
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
            "Each box is as wide as its share of the CPU time. From the bottom to the top, the "
            "boxes show the part of the runtime, "
            f"{'the function' if table.no_call_paths else CALL_PATH}, the source line, and the "
            "bytecode. The probe gets the functions from "
            f"{FRAMES.get(table.runtime, 'the runtime')}. {_missing(table)}{origin}"
        ),
        spec=_spec(max(LEAST_ROWS, *depths) + 1),
        data={"frames": data},
        table=_table(heading, frames, names),
        judgement=judgement,
    )


def _missing(table: ProbeTable) -> str:
    """A sentence about the callers that the flame graph does not show; empty if it shows all."""
    if table.no_call_paths:
        return f"{table.no_call_paths[0].upper()}{table.no_call_paths[1:]}. "
    if any(one.name == TRUNCATED for one in table.frames):
        return (
            f"The box {TRUNCATED} stands for the outermost callers, which the probe did not "
            "record. "
        )
    return ""


def _depths(frames: Sequence[FrameShare]) -> list[int]:
    """The number of boxes below each box."""
    depths: list[int] = []
    for one in frames:
        depths.append(0 if one.below is None else depths[one.below] + 1)
    return depths


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


def _spec(rows: int) -> Spec:
    own = {"data": {"name": "frames"}}
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, rows], "nice": False}}
    level = {
        "field": "level",
        "type": "nominal",
        "title": None,
        "scale": {
            "domain": list(LEVELS),
            "range": [colour(f"series-{at}") for at in range(len(LEVELS))],
        },
    }
    shown = tooltip(("name", "box"), ("level", "level"), ("said", "share of CPU time"))
    scale = {"domain": [0, 100]}
    boxes = {
        **own,
        "mark": {
            "type": "rect",
            "opacity": 0.35,
            "stroke": colour("background"),
            "strokeWidth": 1,
        },
        "encoding": {
            "x": quantitative("from", "share of the CPU time, %", scale=scale),
            "x2": {"field": "to"},
            "y": {"field": "depth", **y},
            "y2": {"field": "top"},
            "color": level,
            "tooltip": shown,
        },
    }
    labels = {
        **own,
        "mark": {"type": "text", "color": colour("ink"), "fontSize": 11},
        "encoding": {
            "x": quantitative("middle", "share of the CPU time, %", scale=scale),
            "y": {"field": "centre", **y},
            "text": {"field": "label", "type": "nominal"},
            "tooltip": shown,
        },
    }
    return view([boxes, labels], ROW_HEIGHT * rows)


def _table(heading: str, frames: Sequence[FrameShare], names: Sequence[str]) -> Table:
    """The bytecodes, each with the boxes below it. Of a long path, the middle is left out."""
    rows = []
    for at, one in enumerate(frames):
        if one.kind != "bytecode":
            continue
        stack = []
        below: int | None = at
        while below is not None:
            stack.append(names[below])
            below = frames[below].below
        if len(stack) > MOST_STEPS:
            left_out = f"… {len(stack) - MOST_STEPS} more …"
            stack[MOST_STEPS // 2 : len(stack) - MOST_STEPS // 2] = [left_out]
        rows.append((one.share, Row((" ← ".join(stack), quantity.percent(one.share)), None)))
    rows.sort(key=lambda row: -row[0])
    return Table(heading, ("frames", "CPU time"), tuple(row for _, row in rows[:MOST_ROWS]))
