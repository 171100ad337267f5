"""Colours that everybody tells apart, and that are never the only sign."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from evidence.honest_run import RUNTIMES, honest_run
from result.test_run import result_of
from runfair.report.page.palette import DARK, LIGHT, SERIES, SHAPES, Legend, Series, Theme

FloatArray = npt.NDArray[np.float64]

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency" (2009), table 1, severity 1.0, on linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TOLD_APART = 0.1  # in OKLab, in which 0.02 is just seen side by side
CONTRAST = 3.0  # WCAG 2.2, 1.4.11, of what has to be seen
TEXT_CONTRAST = 4.5  # 1.4.3


def linear(colour: str) -> FloatArray:
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(linear(each) @ weights) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb: FloatArray) -> FloatArray:
    """Björn Ottosson's perceptual space."""
    cone = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.asarray(lab @ np.cbrt(cone @ np.clip(rgb, 0, 1)))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_background(theme: Theme) -> None:
    for name in ("ink", "quiet", "link", "fair", "flagged", "void"):
        assert contrast(theme[name], theme["background"]) >= TEXT_CONTRAST, name
        assert contrast(theme[name], theme["surface"]) >= TEXT_CONTRAST, name
    for number in range(SERIES):
        assert contrast(theme[f"series-{number}"], theme["background"]) >= CONTRAST, number


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_series_are_told_apart(theme: Theme, sight: str) -> None:
    seen = [oklab(SIGHT[sight] @ linear(theme[f"series-{one}"])) for one in range(SERIES)]
    near = {
        (one, other): round(float(np.linalg.norm(seen[one] - seen[other])), 3)
        for one, other in combinations(range(SERIES), 2)
    }
    assert min(near.values()) >= TOLD_APART, min(near.items(), key=lambda item: item[1])


def test_no_two_have_both_colour_and_shape() -> None:
    many = [Series(str(number), number) for number in range(SERIES * len(SHAPES) // 2)]
    assert len({(one.colour, one.shape) for one in many}) == len(many)
    assert len({(one.colour, str(one.dash)) for one in many}) == len(many)


def test_both_themes_have_the_same_names() -> None:
    assert LIGHT.keys() == DARK.keys()


def test_everybody_looks_the_same_in_every_picture() -> None:
    result = result_of(honest_run())
    legend = Legend.of(result.cells)
    members = legend.among(result.cells)
    assert [one.name for one in members] == [runtime.name for runtime in RUNTIMES]
    assert legend.among(list(reversed(result.cells))) == members
