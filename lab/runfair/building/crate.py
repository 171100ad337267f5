"""The Rust executables of this repository. The executables are built on this machine when they are
first needed, and again if the sources or the compiler change."""

from __future__ import annotations

import glob
import hashlib
import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.build_folder import BuildSteps, failed_log, locked, made
from runfair.building.checksum import files_of, sha256_of_files
from runfair.building.failure import BuildFailed, build_failed
from runfair.building.template import filled_environment
from runfair.catalogue.runtime import recently_discovered
from runfair.errors import UserMistake
from runfair.formats.variant import Variant, at_least, version_key
from runfair.paths import private_folder

# The files that an executable depends on. Tests, benchmarks and fuzzers are left out.
SOURCES = ("Cargo.toml", "Cargo.lock", "build.rs", "src/**", "schemas/**")


@dataclass(frozen=True)
class Crate:
    """A package in `folder` with a single executable, `name`. Builds are kept in
    `private_folder()/kept_in`. `beside` has the folders of other crates that the package needs by
    path."""

    folder: Path
    name: str
    kept_in: str
    beside: tuple[Path, ...] = ()

    def executable(self) -> Path:
        """The path of the built executable, `private_folder()/kept_in/SOURCES-COMPILER/name`. A
        host without Rust uses the build of another host with the same private folder.

        Raises UserMistake if no installed Rust can build it, BuildFailed (naming the log) if the
        build fails.
        """
        content = self._content()
        try:
            rust = rust_for(self.name, self.minimum_rust())
        except UserMistake:
            if built := sorted(self._kept().glob(f"{content}-*/{self.name}")):
                return built[0]
            raise
        compiler = Path(str(rust.executable))
        family = recently_discovered()[0].families[rust.family]
        values = {"private": str(private_folder()), "executable": str(compiler)}
        environment = filled_environment(family.environment, values)
        # The executable does not depend on where the private folder lies.
        home = self._kept() / f"{content}-{_identity(rust, family.environment)}"

        def make(staging: Path) -> None:
            steps = BuildSteps(staging, environment)
            # No other process may build into the target folder before the executable is copied.
            with locked(self.target_folder().with_suffix(".lock")):
                steps.run(
                    [
                        str(compiler.with_name("cargo")),
                        *("build", "--release", "--locked", "--bin", self.name),
                    ],
                    self.folder,
                    {"CARGO_TARGET_DIR": str(self.target_folder())},
                )
                shutil.copy2(self.target_folder() / "release" / self.name, staging / self.name)

        try:
            return made(home, make) / self.name
        except BuildFailed as failure:
            told = f"{self.name} could not be built by {rust.name}"
            raise build_failed(told, failed_log(home), failure) from None

    def target_folder(self) -> Path:
        """Cargo's target folder. The target folder is the same for all builds of all crates. After
        a change only the changed parts are compiled, and shared dependencies are compiled once."""
        return private_folder() / "cargo"

    def minimum_rust(self) -> str:
        """The oldest Rust that can build the crate, from its Cargo.toml."""
        manifest = tomllib.loads((self.folder / "Cargo.toml").read_text(encoding="utf-8"))
        return str(manifest["package"]["rust-version"])

    def _kept(self) -> Path:
        return private_folder() / self.kept_in

    def _content(self) -> str:
        """A digest of the sources."""
        return _digest([_sources(folder) for folder in (self.folder, *self.beside)])


def _identity(rust: Variant, environment: Mapping[str, str]) -> str:
    """A digest of the compiler and of its environment."""
    # If a compiler is rebuilt in place, its size and time change, but not its version.
    status = Path(str(rust.executable)).stat()
    compiler = [rust.identity, rust.executable, status.st_size, status.st_mtime_ns]
    return _digest([compiler, dict(environment)])


def _digest(depends: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:16]


def _sources(folder: Path) -> str:
    patterns = [f"{glob.escape(str(folder))}/{pattern}" for pattern in SOURCES]
    return sha256_of_files(files_of(patterns), folder)


def rust_for(name: str, minimum: str) -> Variant:
    """The Rust that builds the executable `name`: the catalogue's default, otherwise the newest.
    The Rust compiler must be new enough and have a Cargo. Raises UserMistake if there is no such
    Rust."""
    usable = [
        variant
        for variant in recently_discovered()[1].variants
        if (variant.family, variant.state) == ("rust", "ready")
        and at_least(variant.version, minimum)
        and variant.executable
        and Path(variant.executable).with_name("cargo").exists()
    ]
    if not usable:
        raise UserMistake(
            f"{name} is built by Rust {minimum} or newer with Cargo, but Cargo is missing; "
            "install Rust with rustup"
        )
    return max(usable, key=lambda variant: (variant.default, version_key(variant.version)))
