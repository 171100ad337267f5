"""An installed runtime: the facts that it reports about itself, and its unique name."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from runfair.catalogue.candidate import Candidate
from runfair.catalogue.family import Family
from runfair.formats.variant import version_key
from runfair.paths import private_folder

VERSION_MANAGERS = ("pyenv", "asdf", "nvm", "sdkman", "rustup", "uv")


@dataclass(frozen=True)
class FoundRuntime:
    """A candidate of a family with the facts it reported. `name` is empty until a unique name is
    chosen.
    """

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
        return self.facts.get("origin") or origin_of(self.executable)

    def rank(self) -> tuple[bool, tuple[tuple[int, ...], bool, str]]:
        """The sort key of runtimes. The runtime with the greatest rank represents its family."""
        preferred = re.search(self.family.prefer, self.identity) is not None
        return preferred, version_key(self.version)

    def filled(self, template: str) -> str:
        """A text of the catalogue (a path, a word of a command, an install line), in which the
        placeholders are filled with this runtime's values.
        """
        return self._filled(template, str)

    def has(self, pattern: str) -> bool:
        """Whether a file matches the catalogue's glob. In the glob, a value stands for itself, also
        if it contains `*`, `?` or `[`."""
        return bool(glob.glob(self._filled(pattern, glob.escape)))  # noqa: PTH207 - Path.glob takes no absolute pattern

    def _filled(self, template: str, spelled: Callable[[str], str]) -> str:
        values = {
            "executable": self.executable,
            "bin": str(Path(self.executable).parent),
            "real_bin": str(Path(self.executable).resolve().parent),
            "version": self.facts["version"],
            "major": self.facts["version"].partition(".")[0],
            "private": str(private_folder()),
        }
        texts = {name: spelled(value) for name, value in values.items()}
        return re.sub(r"\{(\w+)\}", lambda m: texts.get(m[1], m[0]), template)


def distinct(runtimes: Iterable[FoundRuntime]) -> list[FoundRuntime]:
    """The runtimes without duplicates. Two runtimes are the same if they have the same identity or
    the same file.
    """
    kept: dict[str, FoundRuntime] = {}
    reals = set()
    for runtime in runtimes:
        real = os.path.realpath(runtime.executable)
        if real not in reals:
            reals.add(real)
            kept.setdefault(runtime.identity, runtime)
    return list(kept.values())


def named(runtimes: Iterable[FoundRuntime]) -> list[FoundRuntime]:
    """The runtimes with unique names. The best runtime gets the plain name. To the names of the
    others the origin is added and, if necessary, the version.
    """
    taken: set[str] = set()
    found = []
    for runtime in sorted(runtimes, key=FoundRuntime.rank, reverse=True):
        plain = f"{runtime.family_name}-{runtime.facts['version']}"
        origin = f"{plain}@{slug(runtime.origin)}"
        options = [plain, origin, f"{origin}-{slug(runtime.version)}"]
        mark = hashlib.sha256(runtime.executable.encode()).hexdigest()[:6]
        name = next((n for n in options if n not in taken), f"{origin}-{mark}")
        taken.add(name)
        found.append(replace(runtime, name=name))
    return found


def origin_of(path: str) -> str:
    """The builder or installer of the program at a path, as far as the path shows it."""
    if path.startswith(str(private_folder())):
        return "runfair"
    for manager in VERSION_MANAGERS:
        if f"/.{manager}/" in path or f"/{manager}/" in path:
            return manager
    packaged = path.startswith(("/usr/", "/bin/")) and not path.startswith("/usr/local/")
    return "system" if packaged else "local"


def slug(text: str) -> str:
    """The text in lower case. All characters except letters, digits and dots are replaced by
    dashes.
    """
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
