"""The services at one operating point and their evidence, as the page's pictures need them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.load import LoadEvidence
from runfair.evidence.run import RunEvidence
from runfair.formats.result import CellResult, RunResult
from runfair.formats.service import Objective, spoken
from runfair.formats.service_result import ServiceResult
from runfair.report.page.drawing import DURATION_LABEL, log_scale, log_ticks, quantitative
from runfair.report.page.palette import colour
from runfair.report.page.picture import Spec
from runfair.report.service_tables import service_groups
from runfair.wording.naming import common_surroundings, objective_text
from runfair.wording.text import short


@dataclass(frozen=True, eq=False)
class Served:
    """A service's result and evidence. `service` is the part of `cell` that only services have."""

    cell: CellResult
    service: ServiceResult
    evidence: CellEvidence | None

    @property
    def loaded(self) -> list[tuple[ExecutionEvidence, LoadEvidence]]:
        """The completed executions that reached the operating point and had a good answer."""
        return [
            (one, one.load)
            for one in (self.evidence.completed if self.evidence is not None else ())
            if one.load is not None and one.load.latency.total
        ]

    @property
    def middle(self) -> tuple[ExecutionEvidence, LoadEvidence] | None:
        """The execution that represents the others: its mean latency is the median of the
        executions' means."""
        ordered = sorted(self.loaded, key=lambda one: one[1].mean_ns or 0.0)
        return ordered[len(ordered) // 2] if ordered else None


@dataclass(frozen=True, eq=False)
class Point:
    title: str
    rate_per_s: float
    objective: Objective | None
    served: tuple[Served, ...]

    @property
    def cells(self) -> list[CellResult]:
        return [one.cell for one in self.served]


def operating_points(evidence: RunEvidence, result: RunResult) -> Iterator[Point]:
    """The operating points with their services. The services are grouped as in the tables, in the
    order of the plan.
    """
    seen = {one.cell.id: one for one in evidence.services}
    for cells in service_groups(result):
        served = tuple(
            Served(cell, cell.service, seen.get(cell.id))
            for cell in cells
            if cell.service is not None
        )
        first, asked = served[0].cell, served[0].service
        title = f"{short(first.benchmark)} · {short(first.workload)} · {first.size}"
        title += f" · {asked.rate_per_s:g}/s{spoken(asked.protocol)}"
        if asked.objective is not None:
            title += f", {objective_text(asked.objective)}"
        parts = [*common_surroundings(cells), *asked.distinction]
        title += "".join(f", {one}" for one in parts)
        yield Point(title, asked.rate_per_s, asked.objective, served)


def latency_axis(
    field: str, title: str, reach: Sequence[float], objective: Objective | None, **scale: object
) -> dict[str, object]:
    """A logarithmic axis of latency that includes the objective."""
    ends = [one for one in reach if one > 0] or [1e6]
    if objective is not None:
        ends.append(objective.limit_ns)
    return quantitative(
        field,
        title,
        scale={**log_scale(ends), **scale},
        axis={"values": log_ticks(ends, most=7), "labelExpr": DURATION_LABEL},
    )


def limit_layers(objective: Objective | None, y: Spec) -> list[Spec]:
    """The layers that draw the objective as a dashed line with its name. Empty if the experiment
    states no objective.
    """
    if objective is None:
        return []
    limit: Spec = {"values": [{y["field"]: objective.limit_ns}]}
    text = f"objective {objective_text(objective)}"
    return [
        {
            "data": limit,
            "mark": {"type": "rule", "strokeDash": [6, 4], "color": colour("ink")},
            "encoding": {"y": y},
        },
        {
            "data": limit,
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "top",
                "dx": -4,
                "dy": 4,
                "text": text,
            },
            "encoding": {"y": y, "x": {"value": "width"}},
        },
    ]
