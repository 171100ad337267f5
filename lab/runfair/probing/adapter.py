"""The runtimes that the bytecode probe supports, with the adapter and the modes of each, and the
cells that can run under the probe."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import get_args

from runfair.formats.place import LOCAL
from runfair.formats.probe import Mode
from runfair.formats.service import ServicePoint
from runfair.formats.variant import Variant, at_least

EVERY_MODE: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class Adapter:
    """The probe's adapter for a runtime.

    `runtime` is the runtime's name in side files, `folder` the adapter's folder in `probes/`,
    `families` the catalogue's families of such runtimes. `compiles`: the runtime has a JIT compiler
    (which may be switched off), and the probe counts only bytecodes that the interpreter executes.
    `lowest` is the oldest supported version. In later versions the probe itself detects structures
    that it does not know. `unsupported` has the flags, in the names of variants, that choose
    another interpreter.
    """

    runtime: str
    folder: str
    families: tuple[str, ...]
    versions: str
    lowest: str
    compiles: bool
    modes: tuple[Mode, ...] = EVERY_MODE
    unsupported: frozenset[str] = frozenset()


ADAPTERS = (
    Adapter("cpython", "cpython", ("cpython",), "CPython 3.10 to 3.14", "3.10", compiles=False),
    Adapter(
        "hotspot",
        "hotspot",
        ("openjdk", "temurin", "kotlin-jvm"),
        "HotSpot 17, 21 and 25",
        "17",
        compiles=True,
        unsupported=frozenset({"zero"}),
    ),
    Adapter("node", "v8", ("node",), "Node 20 to 26", "20", compiles=True),
)


def adapter_of(family: str) -> Adapter | None:
    """The adapter for a runtime family of the catalogue; None if the probe does not support it."""
    return next((adapter for adapter in ADAPTERS if family in adapter.families), None)


def supported() -> str:
    """A text for people that lists the runtimes that can be probed."""
    return ", ".join(adapter.versions for adapter in ADAPTERS)


def checks_can_be_removed(place: str, variant: Variant) -> bool:
    """Whether the variant's programs have code of TurboFan (V8's optimising compiler) whose checks
    can be removed."""
    return (
        variant.implementation == "node"
        and can_be_probed(place, variant)
        and {"jitless", "no-opt"}.isdisjoint(variant.name.split("+"))
    )


def can_be_probed(place: str, variant: Variant, service: ServicePoint | None = None) -> bool:
    """Whether the cell can run under the probe. The runtime of a user's own command is unknown, so
    the command is started under the probe, and its processes report whether they were probed. An
    external service cannot be probed, because it already runs. In another place the probe's files
    do not exist."""
    if platform.machine() != "x86_64" or place != LOCAL:
        return False
    if service is not None and service.kind != "program":
        return service.kind == "command"
    adapter = adapter_of(variant.implementation)
    return (
        adapter is not None
        and at_least(variant.version or "0", adapter.lowest)
        and adapter.unsupported.isdisjoint(variant.name.split("+"))
    )
