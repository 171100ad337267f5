"""The compilers and tools on this machine, as the catalogue's discovery finds them."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.build_folder import changed_environment
from runfair.building.template import filled_environment
from runfair.catalogue.candidate import PathFolders
from runfair.catalogue.family import Families, Family
from runfair.catalogue.runtime import Discovery, discovered
from runfair.formats.variant import Variant, at_least
from runfair.installing.system import packages
from runfair.paths import private_folder

# the language version of the newest programs and of the tests; most programs build with 1.4 and
# newer
GO = "1.23"
# Halves javac's CPU time, because its optimising compiler does not repay its cost in a few seconds.
QUICK_JAVAC = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")


@dataclass(frozen=True)
class Toolchain:
    """A tool with its environment. If the tool is not installed, `install` is the command that
    installs it.
    """

    name: str
    executable: Path | None
    install: str
    environment: dict[str, str]

    @property
    def path(self) -> Path:
        """The executable. If the tool is not installed, its bare name, for a command that will be
        skipped.
        """
        return self.executable or Path(self.name)

    @property
    def missing(self) -> str:
        return f"{self.name} is missing; to install it: {self.install}"

    def part(self, name: str, install: str) -> Toolchain:
        """A tool that belongs to this tool. The tool is found beside it, on PATH, or in a separate
        package."""
        if self.executable is None:
            return self
        found = shutil.which(self.executable.with_name(name)) or shutil.which(name)
        return Toolchain(name, Path(found) if found else None, install, self.environment)


@functools.cache
def installed() -> tuple[Families, Discovery]:
    """The toolchains of this machine. They are searched only once, because many steps need one."""
    return discovered()


def toolchain(family_name: str, minimum: str = "") -> Toolchain:
    """The toolchain of a family in the catalogue: its default runtime, otherwise any ready runtime.
    If `minimum` is given, the version is at least `minimum`.

    The toolchain is started by its path, with the environment that the catalogue states. A rustup
    toolchain therefore works with an empty HOME, and files that tools make stay in the private
    folder.
    """
    families, discovery = installed()
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
    """The first tool that is not installed. If all tools are installed, the result is `tool`, with
    which the step can run.
    """
    return next((one for one in (tool, *others) if one.executable is None), tool)


def system_package(name: str) -> Toolchain:
    """A system package of `lab/system-packages.toml`, such as a library that sources include."""
    (package,) = (one for one in packages() if one.name == name)
    here = package.is_present(PathFolders())
    present = Path(package.present[0]) if here else None
    return Toolchain(name, present, f"apt-get install {package.package}", dict(os.environ))


def nightly_rust() -> Toolchain:
    """A nightly Rust, which fuzzing and sanitizers need."""
    families, discovery = installed()
    nightly = [
        variant
        for variant in discovery.variants
        if (variant.family, variant.state) == ("rust", "ready") and "nightly" in variant.version
    ]
    install = "rustup toolchain install nightly"
    return _started("nightly rust", install, families.families["rust"], nightly)


def _started(name: str, install: str, family: Family, ready: Sequence[Variant]) -> Toolchain:
    """The default variant, otherwise the last variant that is ready."""
    chosen = next((variant for variant in ready if variant.default), ready[-1] if ready else None)
    executable = Path(chosen.executable) if chosen and chosen.executable else None
    values = {"private": str(private_folder()), "executable": str(executable)}
    environment = changed_environment(filled_environment(family.environment, values))
    if executable is not None:
        # Programs that a tool starts (such as cargo's subcommands) come from the same toolchain.
        environment["PATH"] = f"{executable.parent}:{environment.get('PATH', os.defpath)}"
    return Toolchain(name, executable, install, environment)


def shared_tool(name: str) -> Toolchain:
    """A compiler that several runtimes share (javac)."""
    families, discovery = installed()
    found = discovery.tools.get(name)
    install = families.tools[name].install
    return Toolchain(name, Path(found) if found else None, install, dict(os.environ))


def own_tool(name: str, *words: str | Path) -> list[str | Path]:
    """A tool of the check's own environment, run as a module. The tool's script contains the path
    of the interpreter at the time of installation, which is wrong after the repository is moved.
    """
    return [sys.executable, "-m", name, *words]


def own_script(name: str, *words: str) -> list[str | Path]:
    """A tool of the check's own environment that is a Python script, not a module."""
    return [sys.executable, Path(sys.executable).with_name(name), *words]
