"""The load generator's executable: built on this machine when first needed, and again when its
sources or the compiler change."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from pathlib import Path

from runfair.building.content import files_of, sha256_of
from runfair.building.failure import BuildFailed
from runfair.building.lock import locked
from runfair.building.template import filled_environment
from runfair.building.workshop import Bench, failed_log, made
from runfair.catalogue.runtime import discovered
from runfair.catalogue.version import at_least, version_key
from runfair.errors import UserMistake
from runfair.formats.variant import Variant
from runfair.paths import REPOSITORY, private_folder

LOADGEN = REPOSITORY / "loadgen"
NAME = "runfair-load"
# What the executable depends on: tests, benchmarks and fuzzers are not among it.
SOURCES = ("Cargo.toml", "Cargo.lock", "build.rs", "src/**", "schemas/**")


def generator(folder: Path = LOADGEN) -> Path:
    """The executable built from `folder`, `private_folder()/loadgen/KEY/runfair-load`.

    Raises UserMistake where no Rust is here that can build it, BuildFailed (naming the log) where
    the build fails.
    """
    rust = usable_rust(minimum_rust(folder))
    compiler = Path(str(rust.executable))
    family = discovered()[0].families[rust.family]
    values = {"private": str(private_folder()), "executable": str(compiler)}
    environment = filled_environment(family.environment, values)
    home = _folder() / _key(folder, rust, environment)

    def make(staging: Path) -> None:
        bench = Bench(staging, environment)
        # Nobody may build into the target folder between the compiler's end and the copy.
        with locked(_folder() / "target.lock"):
            bench.step(
                [
                    str(compiler.with_name("cargo")),
                    *("build", "--release", "--locked", "--bin", NAME),
                ],
                folder,
                {"CARGO_TARGET_DIR": str(target_folder())},
            )
            shutil.copy2(target_folder() / "release" / NAME, staging / NAME)

    try:
        return made(home, make) / NAME
    except BuildFailed as failure:
        raise BuildFailed(
            f"{NAME} could not be built by {rust.name}: {failure}; see {failed_log(home)}"
        ) from None


def target_folder() -> Path:
    """Where Cargo keeps what it compiled of the generator: one folder for all builds, so that
    after a change only what changed is compiled."""
    return _folder() / "target"


def minimum_rust(folder: Path = LOADGEN) -> str:
    """The oldest Rust that builds the generator, by its own Cargo.toml."""
    manifest = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
    return str(manifest["package"]["rust-version"])


def _folder() -> Path:
    return private_folder() / "loadgen"


def usable_rust(minimum: str) -> Variant:
    """The catalogue's default Rust, or else the newest, that is new enough and has a Cargo.
    Raises UserMistake where there is none."""
    usable = [
        variant
        for variant in discovered()[1].variants
        if (variant.family, variant.state) == ("rust", "ready")
        and at_least(variant.version, minimum)
        and variant.executable
        and Path(variant.executable).with_name("cargo").exists()
    ]
    if not usable:
        raise UserMistake(
            f"{NAME} is built by Rust {minimum} or newer with Cargo, which is not here: install it "
            "with rustup"
        )
    return max(usable, key=lambda variant: (variant.default, version_key(variant.version)))


def _key(folder: Path, rust: Variant, environment: dict[str, str]) -> str:
    """A digest of all that the executable depends on."""
    # A compiler rebuilt in place keeps its version, but not its size and time.
    status = Path(str(rust.executable)).stat()
    depends = {
        "sources": sha256_of(files_of(f"{folder}/{pattern}" for pattern in SOURCES), folder),
        "compiler": [rust.identity, rust.executable, status.st_size, status.st_mtime_ns],
        "environment": environment,
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:16]
