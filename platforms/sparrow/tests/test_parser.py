"""Tests of the HTTP parser by the corpora of the repository's other servers and clients, and by
mutations of them under the sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Served, until_closed

END = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
GET = b"GET /a?b=1 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n"
PLATFORM = Path(__file__).parents[1]
REPOSITORY = PLATFORM.parents[1]
CORPORA = ("benchmarks/langbench/file-server/corpus", "loadgen/fuzz/corpus/http_answer")
SERVER = """
import { serve } from 'sparrow:http';
const server = serve({ limits: { bodyBytes: 65536 } }, (request) =>
  `${request.headers.length} ${request.query} ${request.text.length} hello`);
console.log(server.port);
"""
# Bytes of several requests, of which none may follow the first.
SMUGGLED = {"smuggling-bare-cr", "smuggling-cl-te", "smuggling-lf-lf", "smuggling-obs-fold"}
FLAGS = ["-std=c++20", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-D_GLIBCXX_ASSERTIONS"]
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
MUTATIONS = 30_000
SEED = 1


def corpus() -> list[Path]:
    files = [file for name in CORPORA for file in sorted((REPOSITORY / name).iterdir())]
    assert len(files) > 60
    return files


def test_corpora_of_others_are_answered_or_refused(serve: Callable[[str], Served]) -> None:
    """Whatever a connection brings, it ends, its answers are answers, and the next is served."""
    served = serve(SERVER)
    refused = set()
    for file in corpus():
        with served.connect() as connection:
            connection.sendall(file.read_bytes())
            connection.shutdown(1)
            received = until_closed(connection)
        assert received.startswith(b"HTTP/1.1 ") or received == b"", (file.name, received)
        if received.startswith(b"HTTP/1.1 400 ") and received.count(b"HTTP/1.1 ") == 1:
            refused.add(file.name)
        assert served.ask(END).endswith(b"hello")
    assert refused >= SMUGGLED


def test_an_empty_line_before_a_request_may_come_in_two_packets(
    serve: Callable[[str], Served],
) -> None:
    served = serve(SERVER)
    with served.connect() as connection:
        connection.sendall(GET + b"\r")
        assert connection.recv(65536).endswith(b"hello")
        connection.sendall(b"\n" + END)
        assert until_closed(connection).endswith(b"hello")


@pytest.mark.parametrize("before", [0, 7, 9])
def test_each_byte_is_allowed_or_refused_wherever_it_stands(
    serve: Callable[[str], Served], before: int
) -> None:
    """The parser reads eight bytes at once, and must not overlook one of them (RFC 9110, 5.5)."""
    served = serve(SERVER)
    in_value: set[int] = set()
    in_target: set[int] = set()
    for code in range(256):
        text = b"v" * before + bytes([code]) + b"v" * 12
        value = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: " + text + b"\r\n\r\n"
        target = b"GET /" + text + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        for request, allowed in ((value, in_value), (target, in_target)):
            if served.ask(request).startswith(b"HTTP/1.1 200 "):
                allowed.add(code)
    visible = set(range(0x21, 0x7F))
    assert in_target == visible
    assert in_value == visible | {0x09, 0x20} | set(range(0x80, 0x100))


@pytest.fixture
def compiler() -> str:
    found = shutil.which("g++")
    if found is None:
        pytest.skip("g++ is missing: apt-get install g++")
    return found


def seeds(folder: Path) -> list[Path]:
    """The corpora, and requests that are read whole."""
    contents = [
        GET * 3,
        b"POST http://b:80/a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + END,
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3;e=1\r\nabc\r\n2\r\nde\r\n0\r\nT: t\r\n\r\n\r\n" + END,
    ]
    made = [folder / f"seed-{index}" for index in range(len(contents))]
    for file, content in zip(made, contents, strict=True):
        file.write_bytes(content)
    return [*corpus(), *made]


@pytest.mark.long
def test_mutations_are_read_alike_in_one_piece_and_in_many(compiler: str, tmp_path: Path) -> None:
    fuzzer = tmp_path / "fuzz_http"
    sources = ["tests/fuzz_http.cpp", "src/http_head.cpp", "src/http_chunks.cpp"]
    command = [compiler, *FLAGS, *SANITIZED, "-Isrc", *sources, "-o", str(fuzzer)]
    subprocess.run(command, cwd=PLATFORM, check=True)
    words = [str(fuzzer), str(MUTATIONS), str(SEED), *map(str, seeds(tmp_path))]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout.split()[0]) > MUTATIONS // 50
