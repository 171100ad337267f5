"""A ranking of variants by a figure, each compared with the baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.result import CellResult, Figure, GeometricMean, Relative
from runfair.report.conclusion.question import Row, absent, capital, listed, row, short_names
from runfair.report.table import FEWEST_ALIKE
from runfair.wording import quantity
from runfair.wording.naming import label, name_of
from runfair.wording.quantity import NOT_BOUNDED, bounded_ratio, interval
from runfair.wording.text import short

MOST_RANKED = 8  # variants that a sentence names with their ratios
RATIO = "ratio (95%)"
Side = Literal["lower", "unclear", "higher"]
SIDES: dict[Side, str] = {
    "lower": "lower with",
    "unclear": "not clearly different with",
    "higher": "higher with",
}


@dataclass(frozen=True)
class Ranked:
    """A ranked variant: its row in a table, and its figure as part of a sentence (`brief`). `side`
    is None for the baseline, and if there is no comparison. `absent` is the reason why the variant
    has no figures."""

    name: str
    row: Row
    brief: str
    verdict: VerdictState
    side: Side | None
    absent: str = ""


@dataclass(frozen=True)
class Ranking:
    """The ranking of one condition. `label` names the condition; `baseline` is empty if there is no
    comparison. `heading` names the columns of the rows, if the texts do not."""

    label: str
    figure: FigureName
    baseline: str
    ranked: tuple[Ranked, ...]
    heading: Row = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the ranked variants. Variants that have no figures for the same reason share
        a row, if there are at least `FEWEST_ALIKE` of them."""
        alike = Counter(one.absent for one in self.ranked)
        return tuple(
            dict.fromkeys(
                (f"{alike[one.absent]} variants", one.absent)
                if one.absent and alike[one.absent] >= FEWEST_ALIKE
                else one.row
                for one in self.ranked
            )
        )

    @property
    def in_rows(self) -> bool:
        """Whether the rows contain all that `answer` says."""
        return bool(self.heading and self.baseline)

    def answer(self) -> str:
        """The sentence that says which variants take less than the baseline and which take more,
        with their ratios."""
        shorts = short_names(one.name for one in self.ranked)
        told = {
            side: [f"{shorts[one.name]} ({one.brief})" for one in self.ranked if one.side == side]
            for side in SIDES
        }
        sides = [
            f"{words} {listed(told[side], MOST_RANKED)}"
            for side, words in SIDES.items()
            if told[side]
        ]
        what = name_of(self.figure)
        if sides:
            return f"Against {self.baseline} (= 1), {what} is {', '.join(sides)}."
        return self._listed(what)

    def line(self) -> str:
        """The whole ranking as a sentence. It names the baseline if no ranked variant is the
        baseline."""
        if not self.baseline or any(one.side is None and not one.absent for one in self.ranked):
            return self._listed(self.label)
        reference = short_names([self.baseline])[self.baseline]
        return self._listed(f"{self.label}, {name_of(self.figure)} ({reference} = 1)")

    def _listed(self, what: str) -> str:
        """The ranked variants as a list in a sentence; empty if there are no figures."""
        if all(one.verdict == "void" for one in self.ranked):
            return ""
        shorts = short_names(one.name for one in self.ranked)
        every = len(self.ranked) > 1 and all(one.verdict == "flagged" for one in self.ranked)
        told = ", ".join(
            f"{shorts[one.name]} {one.brief}"
            + (" (flagged)" if one.verdict == "flagged" and not every else "")
            for one in self.ranked
        )
        return f"{capital(what)}: {told}{', all flagged' if every else ''}."


def of_means(
    title: str, figure: FigureName, means: Sequence[GeometricMean], cells: Sequence[CellResult]
) -> Ranking:
    """The ranking by geometric means in one condition. The baseline, whose mean is 1, is not
    ranked; variants without a mean come last."""
    baseline = means[0].baseline
    ranked = [
        Ranked(
            short(one.variant),
            (
                short(one.variant),
                _with_limits(one),
                _side(one),
                *(() if one.verdict == "fair" else (one.verdict,)),
            ),
            ratio_text(one),
            one.verdict,
            _side(one),
        )
        for one in sorted(means, key=lambda one: one.value)
        if one.variant != baseline
    ]
    told = {one.variant for one in means}
    for variant in dict.fromkeys(cell.variant for cell in cells):
        if variant not in told:
            mine = [cell for cell in cells if cell.variant == variant]
            name, reason = short(variant), _lacking(mine, figure)
            ranked.append(Ranked(name, (name, reason), "—", "void", None, reason))
    heading = ("lower is better", RATIO, _than(short(baseline)))
    return Ranking(title, figure, short(baseline), tuple(ranked), heading)


def _than(baseline: str) -> str:
    """The name of the column that says on which side of the baseline a variant is."""
    return f"than {short_names([baseline])[baseline]}"


def _lacking(cells: Sequence[CellResult], figure: FigureName) -> str:
    reasons = [cell.absent for cell in cells if cell.absent]
    if len(reasons) == len(cells):
        return reasons[0]
    told = [one for cell in cells if (one := cell.figures.get(figure)) and one.relative]
    return (
        f"no geometric mean, because {len(cells) - len(told)} of {len(cells)} workloads are missing"
    )


def of_cells(
    title: str, cells: Sequence[CellResult], figures: Sequence[FigureName], limits: Collection[str]
) -> Ranking:
    """The ranking of a comparison group by the first of the `figures`. All `figures` are shown."""
    asked = figures[0]
    ordered = sorted(cells, key=lambda cell: _order(cell.figures.get(asked)))
    sides = {cell.id: _side_of(cell.figures.get(asked)) for cell in ordered}
    compared = any(sides.values())
    baseline = _baseline(cells, asked) if compared else ""
    heading: Row = ()
    if len(figures) == 1:
        better = next((one.better for cell in cells if (one := cell.figures.get(asked))), "lower")
        heading = (f"{better} is better", name_of(asked))
        if compared:
            heading = (*heading, RATIO, _than(baseline))
    ranked = []
    for cell in ordered:
        figure = cell.figures.get(asked)
        value, ratio = quantity.shown(figure), _ratio(figure)
        texts = [f"{_column(one)} {quantity.shown(cell.figures.get(one))}" for one in figures]
        if len(figures) == 1:
            texts = [value, ratio, sides[cell.id] or ""] if compared else [value]
        ranked.append(
            Ranked(
                label(cell),
                row(label(cell), cell, texts, figures, limits),
                ratio_text(figure.relative) if compared and figure and figure.relative else value,
                "void" if figure is None or figure.value is None else figure.verdict,
                sides[cell.id],
                absent(cell, limits),
            )
        )
    return Ranking(title, asked, baseline, tuple(ranked), heading)


def _column(figure: FigureName) -> str:
    """The name of the column. A percentile is named without its distribution, because the title
    names the distribution."""
    return name_of(figure).rpartition(" ")[2] if "." in figure else name_of(figure)


def _ratio(figure: Figure | None) -> str:
    if figure is None or figure.relative is None:
        return ""
    return _with_limits(figure.relative)


def _with_limits(one: Relative | GeometricMean) -> str:
    """The ratio with its interval, or its bounds, which contain the interval."""
    return ratio_text(one) if one.bounds else f"{ratio_text(one)}{interval(one.interval)}"


def ratio_text(one: Relative | GeometricMean) -> str:
    """The ratio without its interval, or its bounds."""
    if one.bounds is None:
        return quantity.three_digits(one.value)
    return bounded_ratio(one.bounds) or NOT_BOUNDED


def _baseline(cells: Sequence[CellResult], asked: FigureName) -> str:
    names = (
        one.relative.baseline
        for cell in cells
        if (one := cell.figures.get(asked)) is not None and one.relative is not None
    )
    return short(next(names, ""))


def _order(figure: Figure | None) -> tuple[bool, float]:
    """The sort key of figures: the best figure comes first, and figures without a value come
    last."""
    if figure is None or figure.value is None:
        return True, 0.0
    return False, figure.value if figure.better == "lower" else -figure.value


def _side_of(figure: Figure | None) -> Side | None:
    if figure is None or figure.relative is None:
        return None
    relative = figure.relative
    if relative.value == 1 and relative.interval is None:
        return None  # the baseline itself
    return "unclear" if relative.within_noise_floor else _side(relative)


def _side(one: Relative | GeometricMean) -> Side:
    """The side of the baseline on which the whole 95% interval lies, or all values between the
    bounds."""
    low, high = one.bounds or one.interval or (None, None)
    if high is not None and high < 1:
        return "lower"
    return "higher" if low is not None and low > 1 else "unclear"
