"""The C++ and the Go program under race detectors and sanitizers, at the same load."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from runfair.building.workshop import surroundings
from runfair.paths import BENCHMARKS

from .client import conversation, request
from .conversations import conversations, fuzzed
from .program import Program
from .stress import cap, stress

FOLDER = Path(__file__).parent
BUILD_LIMIT_S = 300
CONNECTIONS = 64
CPP = ("g++", "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS")
# Where the kernel randomises more bits of an address than the thread sanitizer of gcc 12 knows, it
# cannot start.
STILL = ("setarch", "-R")


def cpp(to: Path, *flags: str) -> list[str]:
    sources = [str(path) for path in sorted((FOLDER / "cpp").glob("*.cpp"))]
    include = str(BENCHMARKS / "harness" / "cpp")
    return [*CPP, *flags, "-I", include, *sources, "-pthread", "-o", str(to)]


def go(to: Path) -> list[str]:
    return ["go", "build", "-race", "-o", str(to), f"./{(FOLDER / 'go').relative_to(BENCHMARKS)}"]


def built(build: list[str], to: Path, *before: str) -> Program:
    if shutil.which(build[0]) is None:
        pytest.skip(f"no {build[0]} here")
    environment = {"CGO_ENABLED": "1"}
    subprocess.run(
        build, cwd=BENCHMARKS, env=surroundings(environment), timeout=BUILD_LIMIT_S, check=True
    )
    # What they find ends the program with another status, and is on standard error.
    return Program("", "", [*before, str(to)], {"GORACE": "halt_on_error=1 exitcode=66"})


@pytest.mark.long
@pytest.mark.parametrize("kind", ["threads", "memory", "go"])
def test_under_sanitizers(kind: str, tmp_path: Path) -> None:
    to = tmp_path / "program"
    if kind == "threads":
        program = built(cpp(to, "-fsanitize=thread"), to, *STILL)
    elif kind == "memory":
        flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
        program = built(cpp(to, *flags), to)
    else:
        program = built(go(to), to)
    options = ("--threads", "2", "--param", "rows=7")
    for extra in ((), ("--param", "capacity_bytes=5000"), ("--param", "count=1")):
        with program.running(tmp_path / "said", *options, *extra) as running:
            with running.client() as unread:
                unread.ask(b"SET", b"big", bytes(1000))
                unread.socket.sendall(1000 * request(b"GET", b"big"))
                for sent, _ in [(sent, name) for name, sent, _ in conversations()] + fuzzed():
                    conversation(running.port, sent)
                with running.client() as client:
                    client.ask(b"FLUSHALL")
                if "capacity_bytes=5000" in extra:
                    cap(running, CONNECTIONS, operations=100, capacity_bytes=5000)
                else:
                    stress(running, CONNECTIONS, operations=100)
            running.end()
            assert "WARNING" not in running.errors.read_text()
            assert "ERROR" not in running.errors.read_text()
