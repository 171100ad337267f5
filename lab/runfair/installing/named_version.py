"""The versions that an experiment names, but that are not installed."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from runfair.formats.variant import Variant
from runfair.installing.offer import offers

# FAMILY-VERSION, perhaps with a last part that the experiment leaves open (node-18.*), and with
# settings (temurin-21+g1-gc).
_NAMED = re.compile(
    r"(?P<name>(?P<family>[a-z]+)-(?P<version>\d+(?:\.\d+)*))(?:\.\*)?(?:\+[a-z0-9-]+)?"
)


def not_installed(patterns: Sequence[str], among: Sequence[Variant]) -> list[Variant]:
    """A missing variant for each pattern that names a version of a known runtime and matches none
    of the variants. A part that the pattern leaves open is `x` in the variant's name."""
    found = []
    for pattern in patterns:
        named = _NAMED.fullmatch(pattern)
        kin = [one for one in among if named and one.family == named["family"]]
        if named is None or not kin or any(_names(pattern, one) for one in among):
            continue
        name = pattern.replace("*", "x")
        found.append(
            Variant(
                name=name,
                runtime=name.partition("+")[0],
                family=named["family"],
                lineage=kin[0].lineage,
                version=named["version"],
                language=kin[0].language,
                origin="",
                state="missing",
                reason="not installed",
                install=_install(named["name"]),
            )
        )
    return found


def _names(pattern: str, variant: Variant) -> bool:
    return pattern == variant.runtime or fnmatch.fnmatchcase(variant.name, pattern)


def _install(name: str) -> str:
    """The command that installs this version; empty if no registry offers it."""
    offered = any(f"{each.name}.".startswith(f"{name}.") for each in offers())
    return f"./runfair install {name}" if offered else ""
