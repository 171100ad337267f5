"""Tests the C++ and the Go program under race detectors and sanitizers, with the same load."""

from __future__ import annotations

from pathlib import Path

import pytest

from sanitized_build import GO_ENVIRONMENT, MEMORY, STILL, THREADS, build_cpp, build_go

from .client import conversation, request
from .conversations import conversations, fuzzed
from .program import NAME, Program
from .stress import cap, stress

FOLDER = Path(__file__).parent
CONNECTIONS = 64


@pytest.mark.long
@pytest.mark.parametrize("kind", ["threads", "memory", "go"])
@pytest.mark.parametrize("folder", [FOLDER, FOLDER / "plain"], ids=["standard", "plain"])
def test_under_sanitizers(folder: Path, kind: str, tmp_path: Path) -> None:
    to = tmp_path / "program"
    if kind == "go":
        build_go(folder / "go", to)
        program = Program(NAME, kind, "", [str(to)], GO_ENVIRONMENT)
    else:
        build_cpp(folder / "cpp", to, THREADS if kind == "threads" else MEMORY)
        program = Program(NAME, "c++", kind, [*STILL, str(to)])
    for extra in ({}, {"capacity_bytes": 5000}, {"count": 1}):
        with program.running(tmp_path / "said", threads=2, rows=7, **extra) as running:
            with running.client() as unread:
                unread.ask(b"SET", b"big", bytes(1000))
                unread.socket.sendall(1000 * request(b"GET", b"big"))
                for sent, _ in [(sent, name) for name, sent, _ in conversations()] + fuzzed():
                    conversation(running.port, sent)
                with running.client() as client:
                    client.ask(b"FLUSHALL")
                if "capacity_bytes" in extra:
                    cap(running, CONNECTIONS, operations=100, capacity_bytes=5000)
                else:
                    stress(running, CONNECTIONS, operations=100)
            running.end()
            assert "WARNING" not in running.errors.read_text()
            assert "ERROR" not in running.errors.read_text()
