"""The programs of the benchmark, started as the lab starts them."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.catalogue.benchmark import STANDARD, Benchmark, benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake
from runfair.formats.variant import Artefact, Variant
from runfair.formats.version import at_least
from runfair.serving.process_files import read_threads
from started_service import ServiceProgram, StartedService

NAME = "file-server"


@functools.cache
def benchmark() -> Benchmark:
    return benchmarks()[NAME]


class Running(StartedService):
    @property
    def peak_bytes(self) -> int:
        """The most memory that the process has held."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines()
        (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
        return int(peak) * 1024

    @property
    def threads(self) -> int:
        return len(read_threads(self.process.pid))

    def check_end(self) -> None:
        super().check_end()
        errors = self.errors.read_text()
        assert errors == "", f"it wrote errors: {errors}"


class Program(ServiceProgram):
    def serving(self, folder: Path, said: Path, *options: str) -> AbstractContextManager[Running]:
        return self.started(Running, said, "--input", str(folder), *options)


def languages_and_tiers() -> list[tuple[str, str]]:
    return [(program.language, program.tier) for program in benchmark().programs]


def standard_languages() -> list[str]:
    return [language for language, tier in languages_and_tiers() if tier == STANDARD]


@functools.cache
def program_of(language: str, tier: str = STANDARD) -> Program:
    """By the language's usual runtime; skips where there is none."""
    variant = usual(language, tier)
    if variant is None:
        pytest.skip(f"no runtime for {language} here")
    return Program.of(NAME, language, tier, artefact_of(variant, tier))


def artefact_of(variant: Variant, tier: str) -> Artefact:
    source = benchmark().program(variant.language, tier)
    assert source is not None
    try:
        return build(variant, source)
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


def usual(language: str, tier: str) -> Variant | None:
    source = benchmark().program(language, tier)
    minimum = source.recipe.minimum if source is not None and source.recipe is not None else ""
    ready = [
        variant
        for variant in variants()
        if variant.language == language
        and variant.state == "ready"
        and at_least(variant.version, minimum or "0")
    ]
    return min(ready, key=lambda variant: not variant.default, default=None)
