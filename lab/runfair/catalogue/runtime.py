"""The installed runtimes: `variants()` finds their variants, `select()` picks from them."""

from __future__ import annotations

import difflib
import fnmatch
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from runfair.catalogue.candidate import Candidate, PathFolders, candidates
from runfair.catalogue.discovery_cache import Answers, DiscoveryCache
from runfair.catalogue.family import Families, Family, Tool, catalogue_files, load_families
from runfair.catalogue.found_runtime import FoundRuntime, distinct, named, origin_of, slug
from runfair.errors import UserMistake
from runfair.formats.variant import State, Variant, at_least, version_key
from runfair.paths import private_folder


@dataclass(frozen=True)
class Discovery:
    """The outcome of a search: the variants, and the path of each shared tool that is installed."""

    variants: list[Variant]
    tools: dict[str, str]


def discover(families: Families, refresh: bool) -> Discovery:
    """All variants. A candidate is asked only if it is new or has changed since the last call."""
    cache = DiscoveryCache.read()
    path = PathFolders()
    wanted: list[tuple[str, Family | Tool]] = [*families.families.items(), *families.tools.items()]
    found = {name: candidates(entry.search, entry.ignore, path) for name, entry in wanted}
    stale = cache.stale
    answers = Answers({} if refresh else cache.given if stale else cache.answers)
    tools = _tools(families, found, answers)
    variants = _variants(families, found, answers, tools)
    variants = _with_vanished(variants, [] if refresh else cache.variants, families)
    if (answers.asked, variants) != (cache.answers, cache.variants) or stale or refresh:
        now = time.time_ns() if answers.anew else cache.asked_realtime_ns
        DiscoveryCache(asked_realtime_ns=now, variants=variants, answers=answers.asked).write()
    return Discovery(variants, tools)


def _tools(
    families: Families, found: dict[str, list[Candidate]], answers: Answers
) -> dict[str, str]:
    tools = {}
    for name, tool in families.tools.items():
        usable = []
        for candidate in found[name]:
            told = answers.of(tool.identify, candidate)
            if not told.reason and at_least(told.facts["version"], tool.minimum):
                usable.append((version_key(told.facts["version"]), candidate.path))
        if usable:
            usable.sort(key=lambda pair: pair[0])
            tools[name] = usable[0 if tool.pick == "oldest" else -1][1]
    return tools


def _variants(
    families: Families,
    found: dict[str, list[Candidate]],
    answers: Answers,
    tools: dict[str, str],
) -> list[Variant]:
    variants: list[Variant] = []
    complained: set[tuple[str, str]] = set()
    runtimes: list[FoundRuntime] = []
    for name, family in families.families.items():
        here = []
        for candidate in found[name]:
            told = answers.of(family.identify, candidate)
            if not told.reason:
                here.append(FoundRuntime(name, family, candidate, told.facts))
            elif not told.other and (family.language, candidate.real) not in complained:
                complained.add((family.language, candidate.real))
                variants.append(_unidentified(name, family, candidate, told.reason))
        mine = named(distinct(here))
        runtimes += mine
        lacking = _lacking_tool(families, family, tools)
        for runtime in mine:
            variants += _without(lacking, families, _of_runtime(runtime, answers))
        if not mine:
            variants.append(_absent(name, family))
    variants = [
        one.model_copy(update={"kin": families.kin.get(one.family, "")}) for one in variants
    ]
    return _sorted(_with_defaults(variants, runtimes, families))


def _of_runtime(runtime: FoundRuntime, answers: Answers) -> list[Variant]:
    family = runtime.family
    variants = []
    for suffix, recipe in family.variants.items():
        state: State = "ready"
        reason = install = ""
        needed = [*family.needs, *recipe.needs]
        lacking = next((runtime.filled(one) for one in needed if not runtime.has(one)), "")
        minimum = max(family.minimum, recipe.minimum or "0", key=version_key)
        if not at_least(runtime.version, minimum):
            state, reason = "unsupported", f"older than version {minimum}, which this variant needs"
        elif lacking:
            state, reason = "missing", f"{lacking} is not installed"
            install = runtime.filled(recipe.install or family.install)
        elif not answers.passes(recipe, runtime):
            state, reason = (
                "missing",
                f"the installed {runtime.name} lacks a part that this variant needs",
            )
            install = runtime.filled(recipe.install)
            if not install:
                state, reason = (
                    "unsupported",
                    f"the installed {runtime.name} does not support this variant",
                )
        variants.append(
            Variant(
                name=f"{runtime.name}+{suffix}" if suffix else runtime.name,
                runtime=runtime.name,
                family=runtime.family_name,
                lineage=family.lineage,
                version=runtime.version,
                language=family.language,
                origin=runtime.origin,
                state=state,
                executable=runtime.executable,
                identity=runtime.identity,
                settings=recipe.settings,
                lacks=recipe.lacks,
                reason=reason,
                install=install,
                steady_share=family.steady_share,
            )
        )
    return variants


def _lacking_tool(families: Families, family: Family, tools: dict[str, str]) -> str:
    """The first tool of the family's build that is not installed; empty if all are."""
    shared = [families.shared[family.build.after]] if family.build.after else []
    wanted = [tool for recipe in (family.build, *shared) for tool in recipe.tools]
    return next((tool for tool in wanted if tool not in tools), "")


def _without(tool: str, families: Families, variants: list[Variant]) -> list[Variant]:
    """The variants. If a tool is missing, variants that were ready become missing."""
    if not tool:
        return variants
    missing = {
        "state": "missing",
        "reason": f"{tool} is not installed",
        "install": families.tools[tool].install,
    }
    return [v.model_copy(update=missing) if v.state == "ready" else v for v in variants]


def _unidentified(name: str, family: Family, candidate: Candidate, reason: str) -> Variant:
    """The entry for a candidate that failed, hung or gave an answer that cannot be used. The entry
    is shown, and other variants are not affected.
    """
    runtime = f"{name}@{slug(candidate.path)}"
    return Variant(
        name=runtime,
        runtime=runtime,
        family=name,
        version="",
        language=family.language,
        origin=origin_of(candidate.path),
        state="unsupported",
        executable=candidate.path,
        reason=reason,
        install=family.install,
    )


def _absent(name: str, family: Family) -> Variant:
    return Variant(
        name=name,
        runtime=name,
        family=name,
        version="",
        language=family.language,
        origin="",
        state="missing",
        reason="not installed",
        install=family.install,
    )


def _with_defaults(
    variants: list[Variant], runtimes: list[FoundRuntime], families: Families
) -> list[Variant]:
    """Marks the default variant of each language: it belongs to the best runtime of the preferred
    family that is ready.

    If no family is ready, the preferred family's missing entry becomes the default, so that a
    default experiment shows which language it lacks.
    """
    ready = {variant.name for variant in variants if variant.state == "ready"}
    best: dict[str, tuple[tuple[object, ...], str]] = {}
    for runtime in runtimes:
        family = runtime.family
        name = f"{runtime.name}+{family.default}" if family.default else runtime.name
        rank = (-family.preference, *runtime.rank())
        if name in ready and (family.language not in best or rank > best[family.language][0]):
            best[family.language] = (rank, name)
    chosen = {name for _, name in best.values()}
    for variant in sorted(variants, key=lambda v: families.families[v.family].preference):
        if variant.language not in best and variant.state == "missing":
            best[variant.language] = ((), variant.name)
            chosen.add(variant.name)
    return [v.model_copy(update={"default": v.name in chosen}) for v in variants]


def _with_vanished(
    variants: list[Variant], before: list[Variant], families: Families
) -> list[Variant]:
    """Adds the variants that were ready before but whose program has vanished. Vanished variants
    are shown until the next full search.
    """
    names = {variant.name for variant in variants}
    gone = [
        old.model_copy(
            update={
                "state": "missing",
                "default": False,
                "reason": f"{old.executable} no longer exists",
                "install": old.install or families.families[old.family].install,
            }
        )
        for old in before
        if old.name not in names
        and old.executable
        and old.version
        and old.family in families.families
        and not Path(old.executable).exists()
    ]
    return _sorted([*variants, *gone])


def _version(variant: Variant) -> tuple[tuple[int, ...], bool, str]:
    return version_key(variant.version)


def _sorted(variants: list[Variant]) -> list[Variant]:
    return sorted(variants, key=lambda v: (v.language, v.family, version_key(v.version), v.name))


NOT = "!"
NEWEST = "newest:"
DEFAULT = "default"
ALL = "all"
NEAREST_SHOWN = 3
MATCHES_SHOWN = 6


def variants(refresh: bool = False) -> list[Variant]:
    """Every variant of every runtime of the catalogue, by language, family and version.

    Processes are started only if a candidate changed since the last call. If `refresh` is set,
    every candidate is asked again. Raises UserMistake if a catalogue file cannot be used.
    """
    return discovered(refresh)[1].variants


def discovered(refresh: bool = False) -> tuple[Families, Discovery]:
    """The families as the catalogue describes them, and the outcome of the search for them."""
    families = load_families(catalogue_files())
    return families, discover(families, refresh)


def recently_discovered() -> tuple[Families, Discovery]:
    """The result of `discovered()`, remembered, because a search takes 0.1 s and a run builds
    hundreds of programs. The search is repeated if the catalogue's files, the environment, a folder
    of PATH or the folder of installed runtimes changed.
    """
    files = catalogue_files()
    folders = [*map(Path, PathFolders().folders), private_folder() / "runtimes"]
    changed = tuple(map(_changed_ns, [*files, *folders]))
    return _discovered(tuple(files), changed, tuple(sorted(os.environ.items())))


def _changed_ns(path: Path) -> int:
    """The time of a file's last change; 0 if the user may not see the file, or if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _discovered(
    _files: tuple[Path, ...],
    _changed_ns: tuple[int, ...],
    _environment: tuple[tuple[str, str], ...],
) -> tuple[Families, Discovery]:
    return discovered()


def select(
    patterns: Sequence[str], among: Sequence[Variant], *, some: bool = False
) -> list[Variant]:
    """The variants that the patterns name, in the order of the patterns and without duplicates.

    A pattern is a name, a glob, a language, a runtime or family, `default` (the default variant of
    each language) or `all` (the ready variants). `newest:PATTERN` leaves out the variants of older
    versions: of each family, it keeps those of the newest installed version. `!PATTERN` takes away
    what it matches. A glob, a language, a runtime or a family leaves out unsupported variants.
    Raises UserMistake for a pattern that matches nothing. With `some`, globs may match nothing as
    long as one pattern matches: an experiment is written for machines with different runtimes.
    """
    chosen: dict[str, Variant] = {}
    idle = ""
    for pattern in patterns:
        wanted = pattern.removeprefix(NOT)
        named = _matching(wanted, among)
        if not named and not (some and "*" in pattern):
            raise UserMistake(_unknown(wanted, among))
        if wanted != pattern:
            for variant in named:
                chosen.pop(variant.name, None)
            continue
        idle = idle or ("" if named else pattern)
        chosen.update((variant.name, variant) for variant in named)
    if idle and not chosen:
        raise UserMistake(_unknown(idle, among))
    return list(chosen.values())


def select_one(pattern: str, among: Sequence[Variant]) -> Variant:
    """The variant that the pattern names or, of several, the default one. Raises UserMistake if the
    pattern names none, or several of which none or more than one is a default."""
    found = select([pattern], among)
    chosen = found if len(found) == 1 else [one for one in found if one.default]
    if len(chosen) == 1:
        return chosen[0]
    more = len(found) - MATCHES_SHOWN
    named = ", ".join(one.name for one in found[:MATCHES_SHOWN])
    named += f" and {more} more" if more > 0 else ""
    raise UserMistake(f"several variants match '{pattern}': {named}; choose one of them")


def _matching(pattern: str, among: Sequence[Variant]) -> list[Variant]:
    if pattern.startswith(NEWEST):
        return _newest(_matching(pattern.removeprefix(NEWEST), among))
    if pattern == DEFAULT:
        return [variant for variant in among if variant.default]
    if pattern == ALL:
        return [variant for variant in among if variant.state == "ready"]
    exact = [variant for variant in among if variant.name == pattern]
    if exact:
        return exact
    grouped = [v for v in among if pattern in (v.language, v.runtime, v.family)]
    # Brackets have a meaning in a glob, but no name contains a bracket. `+` has no special meaning
    # in fnmatch.
    matched = grouped or [v for v in among if fnmatch.fnmatchcase(v.name, pattern)]
    return [v for v in matched if v.state != "unsupported"] or matched


def _newest(among: Sequence[Variant]) -> list[Variant]:
    # The last version of a family is kept. A missing version is the last only if none is installed.
    ordered = sorted(among, key=lambda one: (one.state == "ready", _version(one)))
    newest = {one.family: one.version for one in ordered}
    return [one for one in among if one.version == newest[one.family]]


def _unknown(pattern: str, among: Sequence[Variant]) -> str:
    if pattern in (DEFAULT, ALL):
        return (
            "no runtime on this machine is ready to use; `./runfair list runtimes` shows what "
            "is missing"
        )
    pattern = pattern.removeprefix(NEWEST)
    known = sorted({n for v in among for n in (v.name, v.language, v.runtime, v.family)})
    near = difflib.get_close_matches(pattern, known, n=NEAREST_SHOWN, cutoff=0.4)
    hint = f"; similar names are {', '.join(near)}" if near else ""
    return f"no runtime is named '{pattern}'{hint}; `./runfair list runtimes` lists all runtimes"
