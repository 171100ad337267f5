"""Pictures of the versions of one runtime, in order: their CPU time relative to the run's
baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from runfair.evidence.run import RunEvidence
from runfair.formats.result import CellResult, GeometricMean, RunResult
from runfair.formats.variant import Variant, version_key
from runfair.report.page.drawing import (
    NUMBER_LABEL,
    joined,
    log_scale,
    log_ticks,
    quantitative,
    rounded,
    tooltip,
    view,
)
from runfair.report.page.lanes import Lane, figure_lane, mean_lane, relative
from runfair.report.page.palette import Series
from runfair.report.page.picture import Columns, Picture, Spec, judgement
from runfair.wording.naming import condition_text, workload
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, distinct, short

FEWEST_VERSIONS = 2
HEIGHT = 220
MEAN = "geometric mean"
CAPTION = (
    "Each mark is the CPU time of a version as a multiple of the CPU time of {baseline} (the "
    "dashed line), with its 95% confidence interval. The axis is logarithmic, and lower "
    "marks are faster. A line connects successive versions of a runtime that ran with the same "
    "flags. A filled mark is a fair value, and a hollow mark is a flagged (doubtful) value. If a "
    'value is void (not valid), the line has a gap, with the word "void" below.'
)
Variants = Mapping[str, Variant]
Lanes = Sequence[tuple[Variant, Lane]]


def version_pictures(evidence: RunEvidence, result: RunResult) -> Iterator[Picture]:
    """A picture for each sequence of versions that was measured under the same condition. The
    picture shows the geometric mean over all workloads, if there is one, and then each workload.
    """
    variants = {one.name: one for one in evidence.plan.variants}
    alike: dict[object, list[CellResult]] = {}
    for cell in result.cells:
        variant = variants.get(cell.variant)
        if cell.is_program and variant is not None and variant.version:
            alike.setdefault((variant.line, _surroundings(cell)), []).append(cell)
    for cells in alike.values():
        if len({variants[cell.variant].runtime for cell in cells}) >= FEWEST_VERSIONS:
            yield from _pictures(cells, variants, result)


def _pictures(
    cells: Sequence[CellResult], variants: Variants, result: RunResult
) -> Iterator[Picture]:
    first = cells[0]
    name = f"{short(variants[first.variant].line)} by version"
    where = (
        condition_text(first)
        if first.tier == "standard"
        else f"{condition_text(first)} · {short(first.tier)}"
    )
    names = dict.fromkeys(cell.variant for cell in cells)
    lines = _lines([variants[each] for each in names])
    baseline = short(result.baseline)
    means = [
        (variants[mean.variant], mean_lane(mean.variant, lines[mean.variant], mean))
        for mean in result.geometric_means
        if mean.figure == "cpu" and _surroundings(mean) == _surroundings(first)
        if mean.variant in names
    ]
    if len(means) >= FEWEST_VERSIONS:
        yield _picture(f"{name} · {MEAN} · {where}", means, cells, baseline)
    rows: dict[object, list[CellResult]] = {}
    for cell in cells:
        key = (cell.benchmark, cell.workload, cell.own, cell.seed, cell.drive)
        rows.setdefault(key, []).append(cell)
    told = distinct(workload(members[0]) for members in rows.values())
    for row, members in zip(told, rows.values(), strict=True):
        lanes = [
            (
                variants[cell.variant],
                figure_lane(cell.variant, lines[cell.variant], cell, "cpu", relative),
            )
            for cell in members
        ]
        yield _picture(f"{name} · {row} · {where}", lanes, members, baseline)


def _surroundings(one: CellResult | GeometricMean) -> tuple[object, ...]:
    """The condition that cells and means must have in common to be compared."""
    driven = one.driven if isinstance(one, GeometricMean) else one.drive is not None
    return (one.mode, one.size, one.tier, one.threads, one.factors, driven)


def _lines(variants: Sequence[Variant]) -> dict[str, Series]:
    """The name of each variant's line: the runtime's family and the variant's flags. A line joins
    several variants, so lines get the page's colours in the page's order.
    """
    told = {one.name: f"{one.line}{one.name.removeprefix(one.runtime)}" for one in variants}
    ordered = list(dict.fromkeys(told.values()))
    names = distinct(map(short, ordered))
    members = {line: Series(names[number], number) for number, line in enumerate(ordered)}
    return {name: members[line] for name, line in told.items()}


def _picture(title: str, lanes: Lanes, cells: Sequence[CellResult], baseline: str) -> Picture:
    ordered = sorted(lanes, key=lambda one: (one[1].series.number, _place(one[0])))
    runtimes = {one.runtime: one for one, _ in sorted(lanes, key=lambda one: _place(one[0]))}
    places = dict(zip(runtimes, distinct(map(_version, runtimes.values())), strict=True))
    return Picture(
        name=anchor(title),
        title=title,
        caption=CAPTION.format(baseline=baseline),
        spec=_spec(ordered, list(places.values()), baseline),
        data=_data(ordered, places),
        table=_table(title, ordered, baseline),
        judgement=judgement(cells, ("cpu",)),
    )


def _place(variant: Variant) -> tuple[object, str]:
    return (version_key(variant.version), variant.runtime)


def _version(variant: Variant) -> str:
    """The version as it is written in the runtime's name. This version is shorter than the version
    text that the runtime prints.
    """
    return short(variant.runtime.removeprefix(f"{variant.family}-"))


def _spec(lanes: Lanes, places: Sequence[str], baseline: str) -> Spec:
    members = sorted({one.series for _, one in lanes}, key=lambda one: one.number)
    reach = [1.0]
    for _, one in lanes:
        reach += [end for end in (one.value, *(one.interval or ())) if end is not None and end > 0]
    x = {
        "field": "place",
        "type": "ordinal",
        "title": "version",
        "scale": {"type": "point", "domain": list(places), "padding": 0.4},
        "axis": {"labelAngle": 0 if len(places) <= 8 else -45, "labelLimit": 90},
    }
    y = quantitative(
        "value",
        f"CPU time, × {baseline}",
        scale=log_scale(reach),
        axis={"values": log_ticks(reach, most=7), "labelExpr": NUMBER_LABEL},
    )
    shown = tooltip(("variant", "variant"), ("said", "CPU time"), ("verdict", "verdict"))
    return view(
        [
            {
                "data": {"values": [{"value": 1.0}]},
                "mark": {"type": "rule", "strokeDash": [4, 3]},
                "encoding": {"y": y},
            },
            *joined("points", {"x": x, "y": y}, members, shown),
            {
                "data": {"name": "words"},
                "mark": {"type": "text", "baseline": "bottom", "fontSize": 10, "dy": -4},
                "encoding": {
                    "x": x,
                    "y": {"value": HEIGHT},
                    "text": {"field": "word", "type": "nominal"},
                },
            },
        ],
        HEIGHT,
    )


def _data(lanes: Lanes, places: Mapping[str, str]) -> dict[str, Columns]:
    limits = [one.interval if one.value is not None else None for _, one in lanes]
    missing = Counter(
        (places[variant.runtime], "void" if one.verdict == "void" else "no number")
        for variant, one in lanes
        if one.value is None
    )
    return {
        "points": {
            "place": [places[variant.runtime] for variant, _ in lanes],
            "series": [one.series.name for _, one in lanes],
            "variant": [short(variant.name) for variant, _ in lanes],
            "value": [rounded(one.value) if one.value is not None else None for _, one in lanes],
            "low": [rounded(one[0]) if one else None for one in limits],
            "high": [rounded(one[1]) if one else None for one in limits],
            "verdict": [one.verdict for _, one in lanes],
            "said": [one.said for _, one in lanes],
        },
        "words": {
            "place": [place for place, _ in missing],
            "word": [
                word if count == 1 else f"{count} × {word}" for (_, word), count in missing.items()
            ],
        },
    }


def _table(title: str, lanes: Lanes, baseline: str) -> Table:
    rows = []
    for variant, one in lanes:
        who = (one.series.name, short(variant.name), variant.version, variant.origin)
        rows.append(Row((*who, one.said, one.verdict or ""), one.verdict))
    columns = ("line", "variant", "version", "origin", f"CPU time, × {baseline}", "verdict")
    return Table(title, columns, tuple(rows))
