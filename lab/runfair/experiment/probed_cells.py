"""Selects the cells that run once more under the bytecode probe."""

from __future__ import annotations

import platform

from runfair.formats.place import LOCAL
from runfair.formats.service import ServicePoint
from runfair.formats.variant import Variant, at_least
from runfair.probing.adapter import adapter_of


def can_be_probed(place: str, variant: Variant, service: ServicePoint | None = None) -> bool:
    """Whether the cell can run under the probe. The runtime of a user's own command is unknown, so
    the command is started under the probe, and its processes report whether they were probed. An
    external service cannot be probed, because it already runs. In another place the probe's files
    do not exist."""
    if platform.machine() != "x86_64" or place != LOCAL:
        return False
    if service is not None and service.kind != "program":
        return service.kind == "command"
    adapter = adapter_of(variant.family)
    return adapter is not None and at_least(variant.version or "0", adapter.lowest)
