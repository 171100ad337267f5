"""The runtimes here: `variants()` lists them, `select()` picks from them."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Sequence

from runfair.catalogue.discovery import Discovery, discover
from runfair.catalogue.family import Families, catalogue_files, load_families
from runfair.errors import UserMistake
from runfair.formats.variant import Variant

DEFAULT = "default"
ALL = "all"
NEAREST_SHOWN = 3


def variants(refresh: bool = False) -> list[Variant]:
    """Every variant of every runtime of the catalogue, by language, family and version.

    Starts processes only where something changed since the last call; `refresh` asks anew.
    Raises UserMistake for a catalogue file that cannot be used.
    """
    return discovered(refresh)[1].variants


def discovered(refresh: bool = False) -> tuple[Families, Discovery]:
    """The families as described, and what of them is here."""
    families = load_families(catalogue_files())
    return families, discover(families, refresh)


def select(
    patterns: Sequence[str], among: Sequence[Variant], *, some: bool = False
) -> list[Variant]:
    """The variants that the patterns name, each once, in the patterns' order.

    A pattern is a name, a glob, a language, a runtime or family, `default` (one a language) or
    `all` (the ready ones). A glob, a language, a runtime or a family leaves out what is
    unsupported. Raises UserMistake for a pattern that names nothing; with `some` only where that is
    no glob, or none names anything: an experiment is written for machines that have other runtimes.
    """
    chosen: dict[str, Variant] = {}
    idle = ""
    for pattern in patterns:
        named = _matching(pattern, among)
        if not named and not (some and "*" in pattern):
            raise UserMistake(_unknown(pattern, among))
        idle = idle or ("" if named else pattern)
        chosen.update((variant.name, variant) for variant in named)
    if idle and not chosen:
        raise UserMistake(_unknown(idle, among))
    return list(chosen.values())


def _matching(pattern: str, among: Sequence[Variant]) -> list[Variant]:
    if pattern == DEFAULT:
        return [variant for variant in among if variant.default]
    if pattern == ALL:
        return [variant for variant in among if variant.state == "ready"]
    exact = [variant for variant in among if variant.name == pattern]
    if exact:
        return exact
    grouped = [v for v in among if pattern in (v.language, v.runtime, v.family)]
    # Brackets would be a glob's, but no name has any; `+` has no meaning to fnmatch.
    matched = grouped or [v for v in among if fnmatch.fnmatchcase(v.name, pattern)]
    return [v for v in matched if v.state != "unsupported"] or matched


def _unknown(pattern: str, among: Sequence[Variant]) -> str:
    if pattern in (DEFAULT, ALL):
        return "no runtime is ready here; `runfair list runtimes` says what is missing"
    known = sorted({n for v in among for n in (v.name, v.language, v.runtime, v.family)})
    near = difflib.get_close_matches(pattern, known, n=NEAREST_SHOWN, cutoff=0.4)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return f"no runtime is called '{pattern}'{hint} (see `runfair list runtimes`)"
