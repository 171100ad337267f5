"""A question that a run answers: a sentence, and a small table beneath its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runfair.formats.finding import FigureName

State = Literal["answered", "missed", "open"]
Concern = tuple[str, FigureName]


@dataclass(frozen=True)
class Question:
    """The first of the `sentences` is the answer, the others say more. `rows` are texts in columns,
    the most important row first. `missed`: the answer is that an objective is not met; `open`:
    there is no answer. `concerns` are the figures that it rests on, each with its cell."""

    title: str
    sentences: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    state: State
    concerns: tuple[Concern, ...]
