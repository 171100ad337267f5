"""Which variants a framework is measured on."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.catalogue.runtime import discovered, select
from runfair.catalogue.service import Framework
from runfair.formats.variant import Variant, at_least, version_key


def service_variants(
    framework: Framework, patterns: Sequence[str], among: Sequence[Variant]
) -> list[Variant]:
    """Those that the patterns name and the framework runs on; without patterns the usual one of its
    language, or else of its first family, which may be missing here."""
    families = framework.text.families
    possible = [one for one in among if one.family in families]
    if patterns:
        return [one for one in select(patterns, among) if one in possible]
    minimum = framework.text.minimum
    recent = [one for one in possible if not minimum or at_least(one.version or "0", minimum)]
    usual = [one for one in recent if one.default and one.state == "ready"]
    if usual:
        return usual[:1]
    # Of those that are all too old the reason is told.
    for family in families:
        mine = [one for one in recent or possible if one.family == family]
        if mine:
            return [max(mine, key=_usualness)]
    described = discovered()[0].families[families[0]]
    return [
        Variant(
            name=families[0],
            runtime=families[0],
            family=families[0],
            version="",
            language=framework.text.language,
            origin="",
            state="missing",
            reason=f"{families[0]} is missing: {described.install}",
            install=described.install,
        )
    ]


def _usualness(variant: Variant) -> tuple[bool, bool, bool, tuple[object, ...]]:
    usual = discovered()[0].families[variant.family].default
    named = variant.name == (f"{variant.runtime}+{usual}" if usual else variant.runtime)
    return (variant.state == "ready", variant.default, named, tuple(version_key(variant.version)))
