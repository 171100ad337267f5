"""Loops that execute copies of a statement, for one language.

A loop's program takes the number of iterations as its argument, and prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Statement:
    """A statement to copy. `within` names the function of the language's template in which the
    copies stand."""

    text: str
    within: str = ""


@dataclass(frozen=True)
class Loop:
    """The number `copies` of a statement in a loop. `name` is unique."""

    name: str
    statement: Statement
    copies: int


@dataclass(frozen=True)
class Language:
    """How loops are written in a language. `write` makes the programs in a folder. `arguments` are
    the arguments of the interpreter that run a loop's program in that folder."""

    statements: Sequence[Statement]
    write: Callable[[Path, Sequence[Loop]], None]
    arguments: Callable[[Path, Loop], list[str]]
