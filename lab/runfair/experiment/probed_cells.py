"""Which cells run once more, under the probe of their bytecodes."""

from __future__ import annotations

import platform

from runfair.formats.place import LOCAL
from runfair.formats.service import ServicePoint
from runfair.formats.variant import Variant, at_least
from runfair.probing.adapter import adapter_of


def can_be_probed(place: str, variant: Variant, service: ServicePoint | None = None) -> bool:
    """Whether the probe may enter it. A command of the user's names no runtime: it is started under
    the probe, and its processes tell. A service that runs already cannot be entered, and in another
    place the probe's files are not there."""
    if platform.machine() != "x86_64" or place != LOCAL:
        return False
    if service is not None and service.kind != "program":
        return service.kind == "command"
    adapter = adapter_of(variant.family)
    return adapter is not None and at_least(variant.version or "0", adapter.lowest)
