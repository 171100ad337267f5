"""The call paths of processes' samples: the boxes of a flame graph, and folded stacks.

A path has, from the bottom: the part of the runtime, the callers of the function, the function, the
line, and the bytecode. If the outer callers of a path are missing, `TRUNCATED` stands for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from runfair.formats.probe import (
    TRUNCATED,
    TRUNCATED_CALLERS,
    FrameKind,
    FrameShare,
    FunctionShare,
    SampledPlace,
    Sampling,
)

LEAST_SHARE = 0.002  # narrower boxes are left out
INTERPRETER = "interpreter"
OUTSIDE = "outside the interpreter"
UNKNOWN = "[unknown]"

Step = tuple[FrameKind, str, str]  # kind, name, and the path of the source file


@dataclass
class _Box:
    """A box with the boxes above it. `own` counts the samples that end in the box."""

    own: int = 0
    samples: int = 0
    above: dict[Step, _Box] = field(default_factory=dict)

    def at(self, step: Step) -> _Box:
        return self.above.setdefault(step, _Box())

    def add_up(self) -> int:
        self.samples = self.own + sum(box.add_up() for box in self.above.values())
        return self.samples


def frame_shares(samplings: Sequence[Sampling], samples: int) -> list[FrameShare]:
    """The boxes, each after the box below it, the widest of its neighbours first. Shares are those
    of all `samples`.
    """
    found: list[FrameShare] = []

    def add(box: _Box, below: int | None) -> None:
        for step, one in sorted(box.above.items(), key=lambda item: (-item[1].samples, item[0])):
            if one.samples < LEAST_SHARE * samples:
                break
            kind, name, path = step
            share = one.samples / samples
            found.append(FrameShare(kind=kind, name=name, path=path, below=below, share=share))
            add(one, len(found) - 1)

    add(_tree(samplings), None)
    return found


def function_shares(samplings: Sequence[Sampling], samples: int) -> list[FunctionShare]:
    """The functions with their shares of all `samples`, the hottest first. A sample in compiled
    code or in the runtime itself belongs to the innermost function of its call path."""
    found: Counter[tuple[str, str]] = Counter()
    for sampling in samplings:
        for place in sampling.places:
            path, function, caller = place.path, place.function, place.caller or 0
            if not function and caller > TRUNCATED_CALLERS and sampling.calls is not None:
                call = sampling.calls[caller]
                path, function = call.path, call.function or UNKNOWN
            if function:
                found[path, function] += place.samples
    return [
        FunctionShare(path=path, function=function, share=count / samples)
        for (path, function), count in found.most_common()
    ]


def folded_stacks(samplings: Sequence[Sampling]) -> list[str]:
    """Each path with its number of samples, in the format of FlameGraph's stackcollapse programs:
    the names from the bottom, separated by semicolons, a blank, and the number.
    """
    found: Counter[str] = Counter()

    def add(box: _Box, names: tuple[str, ...]) -> None:
        if box.own:
            found[";".join(names)] += box.own
        for step, one in box.above.items():
            add(one, (*names, _folded(step)))

    add(_tree(samplings), ())
    return [f"{names} {count}" for names, count in sorted(found.items())]


def _folded(step: Step) -> str:
    kind, name, path = step
    file = PurePosixPath(path).name
    text = {"function": f"{name} ({file})", "line": f"{file}:{name}"}.get(kind, name)
    return (text if path else name).replace(";", ":").replace("\n", " ")


def _tree(samplings: Sequence[Sampling]) -> _Box:
    """A box that holds the boxes of all samples."""
    root = _Box()
    for sampling in samplings:
        known: dict[tuple[str, int], _Box] = {}
        for place in sampling.places:
            part = place.part or (INTERPRETER if place.bytecode is not None else OUTSIDE)
            box = _box_of_caller(root.at(("part", part, "")), part, place.caller, sampling, known)
            for step in _own_steps(place):
                box = box.at(step)
            box.own += place.samples
    root.add_up()
    return root


def _box_of_caller(
    bottom: _Box,
    part: str,
    caller: int | None,
    sampling: Sampling,
    known: dict[tuple[str, int], _Box],
) -> _Box:
    """The box of a place's innermost caller. `known` has the boxes of this sampling's callers."""
    if not caller or sampling.calls is None:
        return bottom
    missing = []
    while caller > TRUNCATED_CALLERS and (part, caller) not in known:
        missing.append(caller)
        caller = sampling.calls[caller].caller
    box = known.get((part, caller), bottom)
    if caller == TRUNCATED_CALLERS:
        box = bottom.at(("function", TRUNCATED, ""))
    for index in reversed(missing):
        call = sampling.calls[index]
        box = known[(part, index)] = box.at(("function", call.function or UNKNOWN, call.path))
    return box


def _own_steps(place: SampledPlace) -> Iterator[Step]:
    """The boxes of a sample above those of its callers."""
    if place.function:
        yield "function", place.function, place.path
    if place.line is not None:
        yield "line", str(place.line), place.path
    if place.bytecode is not None:
        yield "bytecode", place.bytecode, ""
