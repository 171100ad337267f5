"""What stands on the page, in its order: headline, pictures by kind, then every number."""

from __future__ import annotations

from dataclasses import dataclass

from runfair.formats.finding import Finding
from runfair.report.grid import Table
from runfair.report.page.cast import Cast
from runfair.report.page.headline import Headline, headline
from runfair.report.page.iterations import HOW_TO_READ, iteration_pictures
from runfair.report.page.material import Material
from runfair.report.page.picture import Picture
from runfair.report.page.scaling import sweep_pictures
from runfair.report.page.variants import variant_pictures
from runfair.report.table import tables


@dataclass(frozen=True)
class Section:
    """`notes` are said under its heading; those without a picture are left out."""

    name: str
    title: str
    pictures: tuple[Picture, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    run: str
    title: str
    headline: Headline
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]

    @property
    def pictures(self) -> list[Picture]:
        return [picture for section in self.sections for picture in section.pictures]


def contents(material: Material) -> Contents:
    evidence, result = material.evidence, material.result
    cast = Cast.of(result.cells)
    curves, left_out = iteration_pictures(evidence, result, cast)
    sections = (
        Section("variants", "Variants compared", tuple(variant_pictures(result, cast))),
        Section("sweeps", "Sweeps", tuple(sweep_pictures(result, cast))),
        Section(
            "iterations",
            "Iteration by iteration",
            tuple(curves),
            (HOW_TO_READ, *_left_out(left_out)),
        ),
    )
    return Contents(
        run=result.run,
        title=result.experiment,
        headline=headline(evidence, result),
        findings=tuple({(one.severity, one.text): one for one in result.findings}.values()),
        sections=tuple(section for section in sections if section.pictures),
        tables=tuple(tables(result)),
    )


def _left_out(cells: int) -> tuple[str, ...]:
    if not cells:
        return ()
    return (
        f"A page has room for so many curves: those of {cells:,} more cells are left out, steady "
        "ones first. Their numbers stand in the tables, their iterations in the run's folder.",
    )
