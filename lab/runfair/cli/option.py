"""The arguments and options that several verbs share, and functions that read their values."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from runfair.errors import UserMistake
from runfair.fairness.figures import NAMED
from runfair.formats.distribution import SHARES
from runfair.formats.finding import FigureName

RunName = Annotated[
    str, typer.Argument(help="A run's folder or name, or `latest` for the latest run.")
]
Results = Annotated[
    Path | None,
    typer.Option(
        help=(
            "The folder that contains the runs. The default is the environment variable "
            "RUNFAIR_RESULTS."
        )
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        help=(
            "If another run is measuring on this machine, wait up to this number of seconds for "
            "it to end."
        ),
        envvar="RUNFAIR_WAIT",
    ),
]
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Also print facts about the run, and all tables with notes on every value.",
    ),
]
MachinesFile = Annotated[
    Path | None,
    typer.Option(
        "--machines",
        help=(
            "Path of a file machines.toml, which names the machines to use; or `local`, to use "
            "this machine."
        ),
        metavar="FILE",
    ),
]
Figures = Annotated[
    list[str] | None,
    typer.Option(
        help="Show only this measured value, such as cpu or p99. You can repeat the option.",
        metavar="FIGURE",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "Set a parameter of the benchmark, such as letters=5, instead of using the value that "
            "belongs to the chosen size. You can repeat the option."
        )
    ),
]

_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?)%", re.ASCII)


def known_figures(named: list[str]) -> list[FigureName]:
    """The figures with these names. Raises UserMistake if no figure can have one of the names."""
    for one in named:
        if one not in NAMED and one.partition(".")[2] not in SHARES:
            raise UserMistake(
                f"--figure {one}: there is no figure with this name; choose one of "
                f"{', '.join(NAMED)}, or a percentile of a benchmark's distribution, such as "
                "lateness.p99"
            )
    return named


def fraction(option: str, percentage: str) -> float:
    """The fraction that an option states as a percentage: 0.03 for `3%`."""
    found = _PERCENTAGE.fullmatch(percentage)
    if found is None:
        raise UserMistake(
            f"{option} {percentage}: this is not a percentage; give a percentage such as 3%"
        )
    return float(found[1]) / 100


def parameters_named(named: list[str]) -> dict[str, str]:
    """The parameters that `--param NAME=VALUE` gives, as texts."""
    found = {}
    for text in named:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserMistake(
                f"--param {text}: write the name and the value of a parameter, as in NAME=VALUE"
            )
        found[name] = value
    return found
