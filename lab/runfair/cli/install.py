"""`./runfair install NAME…`: installs a runtime from a registry into the private folder."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.catalogue.runtime import variants
from runfair.cli.terminal import errors, output
from runfair.installing.offer import offers
from runfair.installing.registry import install as install_runtime
from runfair.installing.system import apt_line, missing
from runfair.installing.system import install as install_packages


def install(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help=(
                "Names of the runtimes to install, such as node-24. Without a name, the "
                "command lists all runtimes that it can install."
            )
        ),
    ] = None,
    system: Annotated[
        bool,
        typer.Option(
            "--system",
            help="Install the missing runtimes as Debian packages. This option needs root.",
        ),
    ] = False,
) -> None:
    """Install runtimes into runfair's private folder. Before a download, runfair shows the size of
    the download."""
    if system:
        _system(names or [])
        return
    if not names:
        for offer in offers():
            output.print(f"{offer.name:<16} {offer.size_bytes / 1e6:>6.0f} MB  {offer.how}")
        return
    for name in names:
        install_runtime(name, on_progress=lambda line: errors.print(escape(line), soft_wrap=True))
    variants(refresh=True)


def _system(names: list[str]) -> None:
    wanted = missing(names=names)
    if not wanted:
        output.print("no system package is missing")
        return
    errors.print(escape(apt_line(wanted)), soft_wrap=True)
    install_packages(wanted)
    variants(refresh=True)
