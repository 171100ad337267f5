"""The load generator's executable."""

from __future__ import annotations

from pathlib import Path

from runfair.building.crate import Crate, rust_for
from runfair.formats.variant import Variant
from runfair.paths import REPOSITORY

LOADGEN = REPOSITORY / "loadgen"
NAME = "runfair-load"


def crate(folder: Path = LOADGEN) -> Crate:
    """The crate that it is built from."""
    return Crate(folder, NAME, kept_in="loadgen")


def generator(folder: Path = LOADGEN) -> Path:
    """The executable built from `folder`, `private_folder()/loadgen/KEY/runfair-load`.

    Raises UserMistake where no Rust is here that can build it, BuildFailed (naming the log) where
    the build fails.
    """
    return crate(folder).executable()


def minimum_rust(folder: Path = LOADGEN) -> str:
    """The oldest Rust that builds the generator."""
    return crate(folder).minimum_rust()


def target_folder() -> Path:
    """Where Cargo keeps what it compiled of the generator."""
    return crate().target_folder()


def usable_rust(minimum: str) -> Variant:
    """The Rust that builds the generator. Raises UserMistake where none is new enough."""
    return rust_for(NAME, minimum)
