"""Tests that the program of every language gives the answers of contract.md, byte for byte, however
requests are sent."""

from __future__ import annotations

import hashlib
import http.client
import socket
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from runfair.catalogue.benchmark import STANDARD
from runfair.formats.record import Scalar

from .conversation import Answer, Case, Site, answers, told
from .programs import Program, Running, counting, languages_and_tiers, program_of

PLAIN = "plain"
LONGEST_DRIPPED = 400  # bytes that are sent one by one
HUGE_BYTES = 2**30 + 1


def failures(port: int, cases: list[Case], *, one_by_one: bool = False) -> list[str]:
    """The cases that are not answered as the contract requires."""
    found = []
    for case in cases:
        parts = [bytes([byte]) for byte in case.send] if one_by_one else [case.send]
        said = answers(told(port, *parts), iter(case.heads))
        if tuple(answer.said for answer in said) != case.answers:
            found.append(f"{case.group}, {case.name}: {said[:3]} and not {case.answers[:3]}")
    return found


def test_the_start_says_what_was_asked(program: Program, running: Running) -> None:
    start, ready = running.events
    said = {"contract", "benchmark", "language", "tier", "threads"}
    assert {name: start[name] for name in said} == {
        "contract": 2,
        "benchmark": "file-server",
        "language": program.language,
        "tier": "standard",
        "threads": 1,
    }
    assert (ready["event"], ready["host"]) == ("ready", "127.0.0.1")


def test_every_case(running: Running, site: Site) -> None:
    assert failures(running.port, site.cases()) == []


def test_every_case_byte_by_byte(running: Running, site: Site) -> None:
    cases = [case for case in site.cases() if len(case.send) <= LONGEST_DRIPPED]
    assert len(cases) > 150
    assert failures(running.port, cases, one_by_one=True) == []


def test_all_cases_leave_the_next_one_right(running: Running, site: Site) -> None:
    """All cases that keep the connection open are sent on one connection, one after another."""
    going_on = [
        case
        for case in site.cases()
        if case.answers
        and not any(case.send.endswith(part) for part in (b"1234", b"GET /b", b"Host: x\r\n"))
        and all(answer.field("Connection") is None for answer in case.answers)
    ]
    said = answers(
        told(running.port, b"".join(case.send for case in going_on)),
        iter([head for case in going_on for head in case.heads]),
    )
    expected = [answer for case in going_on for answer in case.answers]
    assert len(expected) > 300
    assert [answer.said for answer in said] == expected


def test_nothing_leaks(running: Running, site: Site) -> None:
    for case in site.cases():
        if case.group == "leaks":
            assert site.secret.encode() not in told(running.port, case.send), case.name


def test_a_library_reads_the_answers(running: Running, site: Site) -> None:
    """The client of a library, which keeps its connection open, reads the answers."""
    client = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    for name in ("a.log", "b.log", "sub/inner.log", "empty.log"):
        client.request("GET", f"/{name}")
        response = client.getresponse()
        assert (response.status, response.read().decode()) == (200, site.files[name])
    client.close()


def test_a_file_of_many_megabytes_comes_whole(running: Running, folder: Path) -> None:
    content = hashlib.shake_256(b"many").digest(9_000_001)
    (folder / "files" / "many.bin").write_bytes(content)
    asked = b"GET /many.bin HTTP/1.1\r\nHost: x\r\n%s\r\n"
    whole, part = answers(
        told(running.port, asked % b"" + asked % b"Range: bytes=5000000-5999999\r\n"), iter(())
    )
    assert (whole.status, whole.body == content) == (200, True)
    assert (part.status, part.body == content[5_000_000:6_000_000]) == (206, True)


def test_a_file_that_is_too_large_is_not_read(running: Running, folder: Path) -> None:
    path = folder / "files" / "huge.log"
    with path.open("wb") as file:
        file.truncate(HUGE_BYTES)  # a sparse file, of which the disk contains no bytes
    try:
        for extra in (b"", b"Range: bytes=0-3\r\n"):
            said = told(running.port, b"GET /huge.log HTTP/1.1\r\nHost: x\r\n%s\r\n" % extra)
            (answer,) = answers(said, iter(()))
            assert (answer.status, answer.field("Content-Length")) == (500, "0")
    finally:
        path.unlink()


def marked(pairs: Iterable[tuple[str, str]]) -> list[ParameterSet]:
    """Parameters of tests, of which an ordinary check leaves out the tier `plain`."""
    return [
        pytest.param(*pair, marks=[pytest.mark.long] if pair[1] == PLAIN else []) for pair in pairs
    ]


FURTHER = marked(pair for pair in languages_and_tiers() if pair[1] not in (STANDARD, "library"))


@pytest.mark.parametrize(("language", "tier"), FURTHER)
def test_further_tiers_answer_as_standard_does(
    language: str, tier: str, site: Site, folder: Path, tmp_path: Path
) -> None:
    with program_of(language, tier).serving(folder, tmp_path / "said", threads=2) as running:
        start, _ = running.events
        # JavaScript's plain server has one event loop.
        threads = 1 if (language, tier) == ("javascript", PLAIN) else 2
        assert (start["tier"], start["threads"]) == (tier, threads)
        assert failures(running.port, site.cases()) == []
        running.end()


@pytest.mark.parametrize(("language", "tier"), FURTHER)
def test_further_tiers_tell_mistakes_as_standard_does(
    language: str, tier: str, folder: Path, tmp_path: Path
) -> None:
    further, standard = program_of(language, tier), program_of(language)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken: dict[str, Scalar | Path] = {"input": folder, "port": other.getsockname()[1]}
        for own in (taken, {"input": tmp_path / "missing"}):
            assert further.refusal(threads=2, **own) == standard.refusal(threads=2, **own)


@pytest.mark.parametrize(
    ("language", "tier"), marked(pair for pair in languages_and_tiers() if pair[1] != "library")
)
def test_what_is_served_is_counted(
    language: str, tier: str, site: Site, folder: Path, tmp_path: Path
) -> None:
    """The server counts the answers 200 and 206 to GET, and the bytes of files in them, over all
    connections."""
    head = b"HTTP/1.1\r\nHost: x\r\n"
    asked = b"GET /a.log %b\r\n" % head + b"GET /a.log %bRange: bytes=2-4\r\n\r\n" % head
    others = b"HEAD /a.log %b\r\n" % head + b"GET /none.log %b\r\n" % head
    program = counting(language, tier)
    with program.serving(folder, tmp_path / "said", threads=2, count=1) as running:
        for _ in range(5):
            told(running.port, asked + others)
        running.end()
        (operations,) = [one for one in running.events if one["event"] == "operations"]
    served = len(site.files["a.log"]) + 3
    assert operations["counters"] == {"requests": 5 * 2, "body_bytes": 5 * served}


def test_an_answer_that_differs_is_seen(site: Site) -> None:
    """The comparison of answers fails if an answer differs."""
    expected = site.expected({"status": 200, "file": "a.log"})
    said = b"".join(line.encode() + b"\r\n" for line in expected.lines) + b"\r\n"
    said = said.replace(b"(the time)", b"Sun, 06 Nov 1994 08:49:37 GMT")
    (right,) = answers(said + b"0123456789", iter(()))
    assert right.said == expected
    (wrong,) = answers(said + b"0123456780", iter(()))
    assert wrong.said != expected
    assert Answer(right.lines[:-1], right.body).said != expected
