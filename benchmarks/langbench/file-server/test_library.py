"""Tests that servers built on the languages' libraries return the same files."""

from __future__ import annotations

import contextlib
import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conversation import Case, Site, connect
from .programs import Program, Running, languages_and_tiers, program_of

# The crates take minutes to compile, and Boost's headers half a minute.
COMPILED = ("c++", "rust")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(language, marks=[pytest.mark.long] if language in COMPILED else [])
        for language, tier in languages_and_tiers()
        if tier == "library"
    ],
)
def library(request: pytest.FixtureRequest) -> Program:
    return program_of(str(request.param), "library")


@pytest.fixture(scope="module")
def running(
    library: Program, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    said = tmp_path_factory.mktemp("library") / "said"
    with library.serving(folder, said, threads=2) as running:
        yield running


def asked(port: int, case: Case) -> tuple[int, bytes, str | None]:
    """The status, body and range of the first answer, read by a strict client."""
    with connect(port) as client:
        client.sendall(case.send)
        method = case.send.partition(b" ")[0].decode()
        with contextlib.closing(http.client.HTTPResponse(client, method=method)) as response:
            response.begin()
            return response.status, response.read(), response.getheader("content-range")


def test_cases_that_a_library_is_held_to(library: Program, running: Running, site: Site) -> None:
    groups = {group for group, held in site.library.items() if library.language in held}
    cases = [case for case in site.cases() if case.group in groups and len(case.answers) == 1]
    assert len(cases) >= 17
    for case in cases:
        (expected,) = case.answers
        status, body, part = asked(running.port, case)
        assert status == expected.status, case.name
        if status < 300:
            assert (body, part) == (expected.body, expected.field("Content-Range")), case.name


def test_nothing_leaks_but_through_links(running: Running, site: Site) -> None:
    for case in site.cases():
        if case.group == "leaks" and "link" not in case.name:
            try:
                _, body, _ = asked(running.port, case)
            except http.client.RemoteDisconnected:
                continue  # closing the connection is also an answer
            assert site.secret.encode() not in body, case.name


def test_a_mistake_is_told_in_one_line(library: Program, folder: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        assert str(port) in library.refusal(input=folder, port=port)
    assert "missing" in library.refusal(input=tmp_path / "missing")
    assert "option input=VALUE is missing" in library.refusal()


def test_its_end(library: Program, folder: Path, site: Site, tmp_path: Path) -> None:
    first = site.cases()[0]
    with (
        library.serving(folder, tmp_path / "said") as running,
        connect(running.port) as idle,
    ):
        idle.sendall(first.send[:20])
        assert asked(running.port, first)[0] == 200
        running.end()
