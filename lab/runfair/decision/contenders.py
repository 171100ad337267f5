"""The services that are compared at an operating point, and their baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runfair.errors import UserMistake
from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import Group, RunEvidence
from runfair.formats.plan import Cell
from runfair.formats.service import Objective, ServicePoint, service_label, service_name


@dataclass(frozen=True, eq=False)
class Contenders:
    """The baseline and the candidates, all of which could run on this machine. If the run has a
    single service at the operating point, there are no candidates. If the intended baseline could
    not run, `note` names its substitute. Otherwise `note` is empty."""

    baseline: CellEvidence
    candidates: tuple[CellEvidence, ...]
    note: str = ""

    @property
    def service(self) -> ServicePoint:
        service = self.baseline.cell.service
        assert service is not None
        return service

    @property
    def objective(self) -> Objective:
        asked = self.service.point.objective
        assert asked is not None
        return asked


class NothingToDecide(UserMistake):
    """The run has no services with an objective that could run. The message says how to measure
    them."""


def contender_name(cell: Cell) -> str:
    return service_label(service_name(cell.tier, cell.variant), cell.variant)


def contenders(run: RunEvidence, baseline: str | None = None) -> list[Contenders]:
    """The services at each operating point that has an objective, and whose services could run
    here: a single service, or at least two of several. The baseline is the first service that the
    experiment names, or the given `baseline`: a service, a framework or a variant.

    Raises NothingToDecide if no operating point qualifies, and UserMistake if no operating point
    has the given baseline.
    """
    points: dict[Group, list[Cell]] = {}
    for cell in run.plan.cells:
        if cell.service is not None:
            points.setdefault(cell.group, []).append(cell)
    if not points:
        raise NothingToDecide(
            "this run measured no service; run an experiment that contains a [[serve]] table"
        )
    fit = [cells for cells in points.values() if _has_objective(cells)]
    if not fit:
        raise NothingToDecide(
            "no service of this run has an objective; state an `objective` in the [[serve]] table "
            "of the experiment"
        )
    named = [cells for cells in fit if baseline is None or _named(cells, baseline)]
    if not named:
        known = dict.fromkeys(contender_name(cell) for cells in fit for cell in cells)
        raise UserMistake(
            f"--baseline {baseline}: the run has no such service; its services are "
            f"{', '.join(known)}"
        )
    seen = {one.cell.id: one for one in run.services}
    able = [cells for cells in named if sum(cell.id in seen for cell in cells) >= _needed(cells)]
    if not able:
        lacking = (cell for cells in named for cell in cells if cell.id not in seen)
        raise NothingToDecide(
            f"nothing can be decided, because too few services could run: {_could_not(lacking)}"
        )
    return [_contenders(cells, seen, baseline) for cells in able]


def _needed(cells: Sequence[Cell]) -> int:
    """The least number of services that must have run: a comparison needs two. The largest possible
    gain over a single service needs this service only."""
    return min(2, len(cells))


def _contenders(
    cells: Sequence[Cell], seen: dict[str, CellEvidence], baseline: str | None
) -> Contenders:
    able = [cell for cell in cells if cell.id in seen]
    wanted = [cells[0]] if baseline is None else _named(cells, baseline)
    chosen = next((cell for cell in wanted if cell.id in seen), None)
    if chosen is None and baseline is not None:
        raise UserMistake(
            f"--baseline {baseline}: this service cannot be the baseline, because "
            f"{_could_not(wanted)}"
        )
    note = ""
    if chosen is None:
        chosen = able[0]
        note = f"the baseline is {contender_name(chosen)}, because {_could_not(wanted)}"
    others = tuple(seen[cell.id] for cell in able if cell.id != chosen.id)
    return Contenders(seen[chosen.id], others, note)


def _has_objective(cells: Sequence[Cell]) -> bool:
    service = cells[0].service
    return service is not None and service.point.objective is not None


def _named(cells: Sequence[Cell], name: str) -> list[Cell]:
    return [cell for cell in cells if name in (contender_name(cell), cell.tier, cell.variant)]


def _could_not(cells: Iterable[Cell]) -> str:
    told = dict.fromkeys(
        f"{contender_name(cell)} could not run ({cell.failed_to_build or cell.unsupported})"
        for cell in cells
    )
    return "; ".join(told)
