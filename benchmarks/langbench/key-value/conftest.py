"""Every language's program, built, and running for the tests of one file."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.catalogue.benchmark import STANDARD, benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake

from .program import NAME, Program, Running

SOURCES = {
    source.language if source.tier == "standard" else f"{source.language}-{source.tier}": source
    for source in benchmarks()[NAME].programs
}


@functools.cache
def built(name: str) -> Program:
    """By the runtime of its language that is measured unless told otherwise."""
    source = SOURCES[name]
    ready = [each for each in variants() if each.language == source.language and each.default]
    for variant in ready:
        if variant.state == "ready":
            try:
                artefact = build(variant, source)
            except (UserMistake, Unsupported) as reason:
                pytest.skip(str(reason))
            return Program.of(NAME, source.language, source.tier, artefact)
    pytest.skip(f"no runtime of {source.language} here")


@pytest.fixture(
    scope="module",
    params=[
        name if source.tier == STANDARD else pytest.param(name, marks=pytest.mark.long)
        for name, source in SOURCES.items()
    ],
)
def program(request: pytest.FixtureRequest) -> Program:
    return built(str(request.param))


@pytest.fixture(scope="module")
def server(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Two threads, and so few rows that many keys share one."""
    said = tmp_path_factory.mktemp("server") / "said"
    with program.running(said, "--threads", "2", "--param", "rows=7") as running:
        yield running
