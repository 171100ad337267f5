"""The program of every framework. The program is built and runs with its input and a database."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from built_program import artefact_of, variant_of
from runfair.catalogue.service import service_benchmarks
from runfair.errors import UserMistake
from runfair.formats.service import Protocol
from runfair.formats.variant import Artefact
from runfair.machine import native
from runfair.machine.launching import Launcher
from runfair.serving.database import PrivateDatabase
from runfair.serving.postgresql_server import find_binaries
from runfair.serving.postgresql_template import Table
from services.payments.canonical import write
from services.payments.framework_program import ORDERS, Program, Running

SERVICE = service_benchmarks()["payments"]
# Frameworks that only `--long` tests. Most of their builds compile every dependency, which takes
# about a minute, or download tools. Spring uses six seconds of CPU time at each of its many starts.
# Express runs on Node, as Fastify does, and Vert.x on the JVM, as the JDK's server does.
SLOW = (
    "axum",
    "beast",
    "express",
    "grpc-go",
    "grpc-java",
    "net-http",
    "spring",
    "tonic",
    "vertx",
)


@functools.cache
def built(framework: str) -> Artefact:
    found = SERVICE.framework(framework)
    return artefact_of(variant_of(found), found.source)


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("payments")
    write(folder, seed=7, records=100, requests=50, orders=ORDERS)
    return folder


@pytest.fixture(scope="session")
def database(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateDatabase]:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))
    launcher = Launcher(native.build_native(native.LAUNCHER))
    (text,) = SERVICE.text.tables
    table = Table(text.name, text.columns, text.primary_key, inputs / text.rows)
    with PrivateDatabase.start(
        launcher,
        processors=sorted(os.sched_getaffinity(0)),
        tables=[table],
        folder=tmp_path_factory.mktemp("database"),
    ) as database:
        yield database


def speaking(protocol: Protocol) -> list[ParameterSet]:
    """The frameworks that speak a protocol, as parameters of a fixture."""
    return [
        pytest.param(name, marks=[pytest.mark.long] if name in SLOW else [])
        for name, framework in SERVICE.frameworks.items()
        if protocol in framework.text.protocols
    ]


@pytest.fixture(scope="module", params=speaking("http"))
def program(request: pytest.FixtureRequest) -> Program:
    return program_of(str(request.param))


def program_of(name: str) -> Program:
    language = SERVICE.framework(name).text.language
    return Program.of("payments", language, name, built(name))


@pytest.fixture(scope="module")
def plain(
    program: Program, inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service without a database."""
    said = tmp_path_factory.mktemp("plain") / "said"
    with program.serving(inputs, said, workload="route", seed=7) as running:
        yield running


@pytest.fixture(scope="module")
def full(
    program: Program,
    inputs: Path,
    database: PrivateDatabase,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """A service with a database, on two threads."""
    said = tmp_path_factory.mktemp("full") / "said"
    with program.with_database(database.url).serving(inputs, said, threads=2) as running:
        yield running
