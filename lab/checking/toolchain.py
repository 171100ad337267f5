"""The compilers and tools the check finds here, by the catalogue's own discovery."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.build_folder import changed_environment
from runfair.building.template import filled_environment
from runfair.catalogue.candidate import PathFolders
from runfair.catalogue.family import Family
from runfair.catalogue.runtime import discovered
from runfair.formats.variant import Variant, at_least
from runfair.installing.system import packages
from runfair.paths import private_folder

GO = "1.23"  # what the newest programs and the tests are written in; most build from 1.4 on


@dataclass(frozen=True)
class Toolchain:
    """A tool, what it is run with, and, where it is not here, the one line that installs it."""

    name: str
    executable: Path | None
    install: str
    environment: dict[str, str]

    @property
    def path(self) -> Path:
        """The executable; the bare name where there is none, for a command that is skipped."""
        return self.executable or Path(self.name)

    @property
    def missing(self) -> str:
        return f"{self.name} is missing; to install it: {self.install}"

    def part(self, name: str, install: str) -> Toolchain:
        """A tool that comes with this one, beside it or on PATH, or as a package of its own."""
        if self.executable is None:
            return self
        found = shutil.which(self.executable.with_name(name)) or shutil.which(name)
        return Toolchain(name, Path(found) if found else None, install, self.environment)


def toolchain(family_name: str, minimum: str = "") -> Toolchain:
    """What the catalogue calls by this name: the family's default runtime, or else a ready one;
    of at least the version `minimum`, where one is given.

    It is started by path, with what the catalogue says to start it with, so that a rustup
    toolchain works under an empty HOME and what tools make stays in the private folder.
    """
    families, discovery = discovered()
    family = families.families[family_name]
    ready = [
        variant
        for variant in discovery.variants
        if (variant.family, variant.state) == (family_name, "ready") and variant.executable
    ]
    if not minimum:
        return _started(family_name, family.install, family, ready)
    new_enough = [variant for variant in ready if at_least(variant.version, minimum)]
    install = f"{family.install}, or {minimum} or newer where that is older"
    return _started(f"{family_name} {minimum}", install, family, new_enough)


def first_missing(tool: Toolchain, *others: Toolchain) -> Toolchain:
    """The tool, or the first of the others that is not here, by which a step that needs all of
    them is skipped."""
    return next((one for one in (tool, *others) if one.executable is None), tool)


def system_package(name: str) -> Toolchain:
    """What `lab/system-packages.toml` has by this name, say a library that sources include."""
    (package,) = (one for one in packages() if one.name == name)
    here = package.is_present(PathFolders())
    present = Path(package.present[0]) if here else None
    return Toolchain(name, present, f"apt-get install {package.package}", dict(os.environ))


def nightly_rust() -> Toolchain:
    """A nightly Rust, which fuzzing and sanitizers need."""
    families, discovery = discovered()
    nightly = [
        variant
        for variant in discovery.variants
        if (variant.family, variant.state) == ("rust", "ready") and "nightly" in variant.version
    ]
    install = "rustup toolchain install nightly"
    return _started("nightly rust", install, families.families["rust"], nightly)


def _started(name: str, install: str, family: Family, ready: Sequence[Variant]) -> Toolchain:
    """The default, or else the last, of the variants that are ready."""
    chosen = next((variant for variant in ready if variant.default), ready[-1] if ready else None)
    executable = Path(chosen.executable) if chosen and chosen.executable else None
    values = {"private": str(private_folder()), "executable": str(executable)}
    environment = changed_environment(filled_environment(family.environment, values))
    if executable is not None:
        # What a tool starts in its turn (cargo its subcommands) is that toolchain's too.
        environment["PATH"] = f"{executable.parent}:{environment.get('PATH', os.defpath)}"
    return Toolchain(name, executable, install, environment)


def shared_tool(name: str) -> Toolchain:
    """A compiler that several runtimes share (javac)."""
    families, discovery = discovered()
    found = discovery.tools.get(name)
    install = families.tools[name].install
    return Toolchain(name, Path(found) if found else None, install, dict(os.environ))


def own_tool(name: str, *words: str) -> list[str | Path]:
    """A tool of the check's own environment, as a module: scripts name their interpreter by the
    path where they were installed, which a moved repository no longer has."""
    return [sys.executable, "-m", name, *words]


def own_script(name: str, *words: str) -> list[str | Path]:
    """The same for a tool that is no module, but a Python script."""
    return [sys.executable, Path(sys.executable).with_name(name), *words]
