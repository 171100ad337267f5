"""Every variant of every runtime here: found once, remembered until something changes."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import ValidationError

from runfair.catalogue.detection import Identification, identify, passes
from runfair.catalogue.family import Families, Family, Identify, Tool, VariantRecipe
from runfair.catalogue.search import Candidate, PathFolders, candidates
from runfair.formats.record import Record
from runfair.formats.variant import State, Variant
from runfair.formats.version import at_least, version_key
from runfair.paths import private_folder

# A candidate that hung on a busy machine, or whose disk was away, is asked again after an hour.
RETRY_AFTER_NS = 3600 * 10**9
VERSION_MANAGERS = ("pyenv", "asdf", "nvm", "sdkman", "rustup", "uv")


class Memory(Record):
    """The cache file. An answer is kept by what was asked and of which file (path, size, time), so
    that it holds for as long as neither changed; `variants` are there to notice what vanished."""

    asked_realtime_ns: int = 0
    variants: list[Variant] = []
    answers: dict[str, dict[str, object]] = {}


@dataclass(frozen=True)
class Runtime:
    """A runtime as found: its candidate and the facts it told."""

    family_name: str
    family: Family
    candidate: Candidate
    facts: dict[str, str]
    name: str = ""

    @property
    def executable(self) -> str:
        return self.facts.get("executable") or self.candidate.path

    @property
    def version(self) -> str:
        return self.facts.get("full") or self.facts["version"]

    @property
    def identity(self) -> str:
        return "; ".join(f"{key}={value}" for key, value in self.facts.items())

    @property
    def origin(self) -> str:
        return self.facts.get("origin") or _origin_of(self.executable)

    def rank(self) -> tuple[bool, tuple[tuple[int, ...], bool, str]]:
        """The greatest is the one that stands for its family."""
        preferred = re.search(self.family.prefer, self.identity) is not None
        return preferred, version_key(self.version)


@dataclass(frozen=True)
class Discovery:
    """The outcome: variants, and the path of each shared tool that is here."""

    variants: list[Variant]
    tools: dict[str, str]


def discover(families: Families, refresh: bool) -> Discovery:
    """All variants. Only what is new or changed since the last call is asked what it is."""
    where = _memory_file()
    memory = _remembered(where)
    path = PathFolders()
    wanted: list[tuple[str, Family | Tool]] = [*families.families.items(), *families.tools.items()]
    found = {name: candidates(entry.search, entry.ignore, path) for name, entry in wanted}
    stale = time.time_ns() - memory.asked_realtime_ns > RETRY_AFTER_NS and any(
        _is_failure(answer) for answer in memory.answers.values()
    )
    kept = memory.answers
    if refresh:
        kept = {}
    elif stale:
        kept = {key: answer for key, answer in kept.items() if not _is_failure(answer)}
    answers = Answers(kept)
    tools = _tools(families, found, answers)
    variants = _variants(families, found, answers)
    variants = _with_vanished(variants, [] if refresh else memory.variants, families)
    if (answers.asked, variants) != (memory.answers, memory.variants) or stale or refresh:
        now = time.time_ns() if answers.anew else memory.asked_realtime_ns
        outcome = Memory(asked_realtime_ns=now, variants=variants, answers=answers.asked)
        _remember(where, outcome)
    return Discovery(variants, tools)


class Answers:
    """What candidates said, asked only where it is not remembered."""

    def __init__(self, remembered: dict[str, dict[str, object]]) -> None:
        self._remembered = remembered
        self.asked: dict[str, dict[str, object]] = {}
        self.anew = False

    def of(self, question: Identify, candidate: Candidate) -> Identification:
        key = _digest("identify", question.model_dump_json(), json.dumps(asdict(candidate)))
        known = self.asked.get(key) or self._remembered.get(key)
        if known is None:
            known = asdict(identify(question, candidate))
            self.anew = True
        self.asked[key] = known
        facts = known.get("facts")
        return Identification(
            facts={str(k): str(v) for k, v in facts.items()} if isinstance(facts, dict) else {},
            reason=str(known.get("reason", "")),
            other=bool(known.get("other")),
        )

    def passes(self, recipe: VariantRecipe, runtime: Runtime) -> bool:
        check = recipe.check
        if check is None:
            return True
        command = [_filled(part, runtime) for part in check.command]
        key = _digest(
            "check",
            check.pattern,
            json.dumps([command, asdict(runtime.candidate), *_libraries(runtime)]),
        )
        known = self.asked.get(key) or self._remembered.get(key)
        if known is None:
            known = {"passes": passes(check, command)}
            self.anew = True
        self.asked[key] = known
        return bool(known.get("passes"))


def _libraries(runtime: Runtime) -> list[str]:
    """The folders beside an executable whose content a check may depend on (a JDK's machines)."""
    library = Path(runtime.candidate.real).parent.parent / "lib"
    try:
        return (
            sorted(entry.name for entry in library.iterdir())
            if library.parent != Path("/usr")
            else []
        )
    except OSError:
        return []


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
    families: Families, found: dict[str, list[Candidate]], answers: Answers
) -> list[Variant]:
    variants: list[Variant] = []
    complained: set[tuple[str, str]] = set()
    runtimes: list[Runtime] = []
    for name, family in families.families.items():
        here = []
        for candidate in found[name]:
            told = answers.of(family.identify, candidate)
            if not told.reason:
                here.append(Runtime(name, family, candidate, told.facts))
            elif not told.other and (family.language, candidate.real) not in complained:
                complained.add((family.language, candidate.real))
                variants.append(_unidentified(name, family, candidate, told.reason))
        named = _named(_distinct(here))
        runtimes += named
        for runtime in named:
            variants += _of_runtime(runtime, answers)
        if not named:
            variants.append(_absent(name, family))
    return _sorted(_with_defaults(variants, runtimes, families))


def _distinct(runtimes: Iterable[Runtime]) -> list[Runtime]:
    """Two candidates that say the same of themselves, or lead to the same file, are one."""
    kept: dict[str, Runtime] = {}
    reals = set()
    for runtime in runtimes:
        real = os.path.realpath(runtime.executable)
        if real not in reals:
            reals.add(real)
            kept.setdefault(runtime.identity, runtime)
    return list(kept.values())


def _named(runtimes: list[Runtime]) -> list[Runtime]:
    """Names that are unique: the best keeps the plain one, others add origin, then version."""
    taken: set[str] = set()
    named = []
    for runtime in sorted(runtimes, key=Runtime.rank, reverse=True):
        plain = f"{runtime.family_name}-{runtime.facts['version']}"
        origin = f"{plain}@{_slug(runtime.origin)}"
        options = [plain, origin, f"{origin}-{_slug(runtime.version)}"]
        mark = _digest(runtime.executable)[:6]
        name = next((n for n in options if n not in taken), f"{origin}-{mark}")
        taken.add(name)
        named.append(
            Runtime(runtime.family_name, runtime.family, runtime.candidate, runtime.facts, name)
        )
    return named


def _of_runtime(runtime: Runtime, answers: Answers) -> list[Variant]:
    family = runtime.family
    variants = []
    for suffix, recipe in family.variants.items():
        state: State = "ready"
        reason = install = ""
        lacking = next((n for n in (_filled(n, runtime) for n in recipe.needs) if not _is(n)), "")
        minimum = max(family.minimum, recipe.minimum or "0", key=version_key)
        if not at_least(runtime.version, minimum):
            state, reason = "unsupported", f"older than {minimum}"
        elif lacking:
            state, reason = "missing", f"{lacking} is not here"
            install = _filled(recipe.install or family.install, runtime)
        elif not answers.passes(recipe, runtime):
            state, reason = "missing", f"{runtime.name} is here without it"
            install = _filled(recipe.install, runtime)
            if not install:
                state, reason = "unsupported", f"{runtime.name} cannot do it"
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
                reason=reason,
                install=install,
            )
        )
    return variants


def _unidentified(name: str, family: Family, candidate: Candidate, reason: str) -> Variant:
    """A candidate that failed, hung or talked nonsense: shown, and hiding nothing else."""
    runtime = f"{name}@{_slug(candidate.path)}"
    return Variant(
        name=runtime,
        runtime=runtime,
        family=name,
        version="",
        language=family.language,
        origin=_origin_of(candidate.path),
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
        reason="not found here",
        install=family.install,
    )


def _with_defaults(
    variants: list[Variant], runtimes: list[Runtime], families: Families
) -> list[Variant]:
    """Marks one variant a language: of its preferred family that is ready, the best runtime's.

    Where nothing is ready, the preferred family's missing entry stands for the language, so that
    what a default experiment goes without is seen.
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
    """Adds what was ready before and whose program is gone, until the next full search."""
    names = {variant.name for variant in variants}
    gone = [
        old.model_copy(
            update={
                "state": "missing",
                "default": False,
                "reason": f"{old.executable} is gone",
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


def _sorted(variants: list[Variant]) -> list[Variant]:
    return sorted(variants, key=lambda v: (v.language, v.family, version_key(v.version), v.name))


def _is(place: str) -> bool:
    return bool(glob.glob(place))  # noqa: PTH207 - Path.glob takes no absolute pattern


def _filled(template: str, runtime: Runtime) -> str:
    values = {
        "executable": runtime.executable,
        "bin": str(Path(runtime.executable).parent),
        "real_bin": str(Path(runtime.executable).resolve().parent),
        "version": runtime.facts["version"],
        "major": runtime.facts["version"].partition(".")[0],
    }
    return re.sub(r"\{(\w+)\}", lambda m: values.get(m.group(1), m.group()), template)


def _origin_of(path: str) -> str:
    if path.startswith(str(private_folder())):
        return "runfair"
    for manager in VERSION_MANAGERS:
        if f"/.{manager}/" in path or f"/{manager}/" in path:
            return manager
    packaged = path.startswith(("/usr/", "/bin/")) and not path.startswith("/usr/local/")
    return "system" if packaged else "local"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _is_failure(answer: dict[str, object]) -> bool:
    return bool(answer.get("reason")) and not answer.get("other")


def _memory_file() -> Path:
    return private_folder() / "cache" / "runtimes.json"


def _remembered(file: Path) -> Memory:
    """The memory, or an empty one where it is absent, torn or of another release."""
    try:
        return Memory.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return Memory()


def _remember(file: Path, memory: Memory) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.write_text(memory.model_dump_json(), encoding="utf-8")
    part.replace(file)
