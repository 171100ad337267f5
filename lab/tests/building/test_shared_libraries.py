"""The services in Rust share a target folder, so a library is compiled once for all that use it
with the same features."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from checking.cpp import SERVICES
from runfair.catalogue.benchmark import RECIPE
from runfair.catalogue.service import FrameworkText
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS

RECIPES = sorted(
    path for suite in SERVICES for path in BENCHMARKS.glob(f"{suite}/*/rust/*/{RECIPE}")
)
LOCKS = sorted(path for suite in SERVICES for path in BENCHMARKS.glob(f"{suite}/*/rust/Cargo.lock"))


def packages(lock: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(lock.read_text(encoding="utf-8"))["package"]
    return found


def own_crates(name: str, lock: Path) -> set[str]:
    """The crate and the crates of this repository that it needs."""
    own = {one["name"]: one for one in packages(lock) if "source" not in one}
    needed = own[name].get("dependencies", [])
    return {name}.union(*(own_crates(one, lock) for one in needed if one in own))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.parent.name)
def test_a_service_builds_into_the_shared_folder(path: Path) -> None:
    build = read_toml(path, FrameworkText).build
    clean, compile_, _ = build.steps
    # One build at a time, because all write into the folder.
    assert build.alone == "cargo-services"
    folder = {"CARGO_TARGET_DIR": "{private}/cargo-services"}
    assert clean.environment == compile_.environment == folder
    # The crates of this repository are always compiled again: cargo sees a change by its time only.
    name = tomllib.loads(path.with_name("Cargo.toml").read_text(encoding="utf-8"))["package"][
        "name"
    ]
    cleaned = {crate for word, crate in zip(clean.run, clean.run[1:], strict=False) if word == "-p"}
    assert cleaned == own_crates(name, path.parents[1] / "Cargo.lock")


def test_services_use_the_same_version_of_a_library() -> None:
    """Two versions are possible only if they are incompatible."""
    used: dict[tuple[str, str], set[str]] = {}
    for lock in LOCKS:
        for one in packages(lock):
            if "source" in one:
                compatible = re.match(r"0\.0\.\d+|0\.\d+|[1-9]\d*", one["version"])
                assert compatible is not None
                used.setdefault((one["name"], compatible[0]), set()).add(one["version"])
    assert len(LOCKS) > 1
    assert {name: versions for name, versions in used.items() if len(versions) > 1} == {}
