"""The boxes of a flame graph, from the samples of processes.

The levels are, from the bottom: the part of the runtime, the function, the line, and the bytecode.
A sample has the innermost function alone: the probe does not record its callers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from runfair.formats.probe import FrameKind, FrameShare, SampledPlace

LEAST_SHARE = 0.002  # narrower boxes are left out
INTERPRETER = "interpreter"
OUTSIDE = "outside the interpreter"

Step = tuple[FrameKind, str, str]  # kind, name, and the path of the source file
Path = tuple[Step, ...]


def frame_shares(places: Sequence[SampledPlace], samples: int) -> list[FrameShare]:
    """The boxes, each after the box below it, the widest of its neighbours first. Shares are those
    of all `samples`.
    """
    within: Counter[Path] = Counter()
    for place in places:
        steps = tuple(_steps(place))
        for end in range(1, len(steps) + 1):
            within[steps[:end]] += place.samples
    above: dict[Path, list[Path]] = {}
    for path in sorted(within, key=lambda path: (-within[path], path)):
        if within[path] >= LEAST_SHARE * samples:
            above.setdefault(path[:-1], []).append(path)
    found: list[FrameShare] = []

    def add(path: Path, below: int | None) -> None:
        kind, name, source = path[-1]
        found.append(
            FrameShare(kind=kind, name=name, path=source, below=below, share=within[path] / samples)
        )
        own = len(found) - 1
        for next_path in above.get(path, []):
            add(next_path, own)

    for path in above.get((), []):
        add(path, None)
    return found


def _steps(place: SampledPlace) -> Iterator[Step]:
    """The boxes that a sample lies in, from the bottom."""
    yield "part", place.part or (INTERPRETER if place.bytecode is not None else OUTSIDE), ""
    if place.function:
        yield "function", place.function, place.path
    if place.line is not None:
        yield "line", str(place.line), place.path
    if place.bytecode is not None:
        yield "bytecode", place.bytecode, ""
