"""Runs that commit one mistake, that come near one and do not, or that cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evidence.honest_run import GCC, cell_id
from evidence.records import Records
from runfair.formats.finding import Severity

SMALL = cell_id(GCC)


@dataclass(frozen=True)
class Story:
    """`tell` changes one thing in the honest run. The check's gravest finding on `cell` (None: on
    the run) must then be of `severity`, None for an honest neighbour of the mistake, of which it
    says nothing anywhere. `also` names the other checks that rightly see the same thing."""

    name: str
    tell: Callable[[Records], Records]
    severity: Severity | None
    cell: str | None = SMALL
    also: frozenset[str] = frozenset()
