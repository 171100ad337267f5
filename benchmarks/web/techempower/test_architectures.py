"""Tests that the libraries of the Java services have the same native parts on x86-64 and Arm64.
Without its native part, Netty uses a slower transport."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.paths import BENCHMARKS

LOCKS = sorted(BENCHMARKS.rglob("dependencies.sha256"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_native_libraries_are_there_for_both_architectures(lock: Path) -> None:
    libraries = {line.split()[1] for line in lock.read_text().splitlines()}
    native = {name for name in libraries if "linux-x86_64" in name}
    assert {name.replace("x86_64", "aarch_64") for name in native} <= libraries
