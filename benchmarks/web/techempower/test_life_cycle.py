"""Tests that the Java programs report a port in use as the user's mistake. Netty's error depends on
its transport, and some servers only log the error."""

from __future__ import annotations

import socket

import pytest

from built_program import artefact_of, variant_of
from runfair.catalogue.service import service_benchmarks
from started_service import ServiceProgram

SERVICE = service_benchmarks()["techempower"]


@pytest.mark.long
@pytest.mark.parametrize(
    "framework", ["helidon", "jdk", "jooby", "netty", "vertx", "wizzardo-http"]
)
def test_a_port_in_use(framework: str) -> None:
    found = SERVICE.framework(framework)
    artefact = artefact_of(variant_of(found), found.source)
    program = ServiceProgram.of("techempower", "java", framework, artefact)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        refused = program.mistake(
            "host=127.0.0.1",
            f"port={port}",
            "workload=json",
            "seed=1",
            "threads=1",
            "connections=4",
        )
    assert f'host "127.0.0.1" port {port} cannot be listened on' in refused
