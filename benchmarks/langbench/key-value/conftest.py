"""The program of every language. The program is built, and runs for the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from built_program import built
from runfair.catalogue.benchmark import STANDARD, benchmarks

from .program import NAME, Program, Running

PROGRAMS = [
    pytest.param(
        (source.language, source.tier),
        id=source.language if source.tier == STANDARD else f"{source.language}-{source.tier}",
        marks=[] if source.tier == STANDARD else [pytest.mark.long],
    )
    for source in benchmarks()[NAME].programs
]


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Program:
    language, tier = request.param
    return Program.of(NAME, language, tier, built(NAME, language, tier).timed)


@pytest.fixture
def counting(program: Program) -> Program:
    """A server that runs the counted build."""
    counted = built(NAME, program.language, program.tier).counted
    return Program.of(NAME, program.language, program.tier, counted)


@pytest.fixture(scope="module")
def server(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with two threads, and with so few rows that many keys share a row."""
    said = tmp_path_factory.mktemp("server") / "said"
    with program.running(said, threads=2, rows=7) as running:
        yield running
