"""The runtimes that the probe knows: what each adapter is, and which modes it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from runfair.formats.probe import Mode

EVERY_MODE: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class Adapter:
    """`runtime` is its name in side files, `folder` the one in `probes/`; `families` are the
    catalogue's for such runtimes. `compiles`: unless told not to, the runtime also compiles, and
    the probe counts what its interpreter dispatches. `lowest` is the first version that it knows;
    what it does not understand of later ones, the probe itself finds."""

    runtime: str
    folder: str
    families: tuple[str, ...]
    versions: str
    lowest: str
    compiles: bool
    modes: tuple[Mode, ...] = EVERY_MODE


ADAPTERS = (
    Adapter("cpython", "cpython", ("cpython",), "CPython 3.10 to 3.13", "3.10", compiles=False),
    Adapter(
        "hotspot",
        "hotspot",
        ("openjdk", "temurin", "kotlin-jvm"),
        "HotSpot 17 and 25",
        "17",
        compiles=True,
    ),
    Adapter("node", "v8", ("node",), "Node 20 to 26", "20", compiles=True),
)


def adapter_of(family: str) -> Adapter | None:
    """Of a runtime family of the catalogue; None if the probe does not know such runtimes."""
    return next((adapter for adapter in ADAPTERS if family in adapter.families), None)


def supported() -> str:
    """What can be probed, for people."""
    return ", ".join(adapter.versions for adapter in ADAPTERS)
