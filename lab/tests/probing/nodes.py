"""The Nodes of this machine."""

from __future__ import annotations

import pytest

from probing.jvms import first_quickly
from runfair.catalogue.runtime import variants
from runfair.formats.variant import at_least


def nodes() -> list[str]:
    """One executable of each supported version, the default first."""
    found = [
        variant
        for variant in variants()
        if variant.family == "node"
        and variant.state == "ready"
        and variant.executable
        and at_least(variant.version, "20")
    ]
    found.sort(key=lambda variant: not variant.default)
    return list(dict.fromkeys(str(variant.executable) for variant in found))


every_node = pytest.mark.parametrize("node", first_quickly(nodes()))
