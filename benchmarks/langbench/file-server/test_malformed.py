"""Tests that the programs of all languages give the same answer to any input, and then answer the
next client.

`corpus/` contains inputs that a server has received or may receive. More inputs are made from these
and from the cases by removing, doubling and changing bytes, from a fixed seed. For an input without
a case, the answer of Python's program is taken as right, because the cases test that program too.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conversation import Site, connect, received, told
from .programs import Program, Running, program_of

CORPUS = Path(__file__).with_name("corpus")
ASKED = b"GET /a.log HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
SEED = 20_220_711
# Characters at which parsers often disagree.
PIECES = [
    *(b"\r\n", b"\n", b"\r", b" ", b"\t", b"\0", b":", b",", b"%", b"/", b"..", b"?", b"-", b"="),
    *(b"\x7f", b"\x80", b"\xff", b"HTTP/1.1", b"Host: y\r\n", b"Content-Length: 1\r\n", b"0", b"9"),
    *(b"Range: bytes=", b"Connection: close\r\n", b"Transfer-Encoding: x\r\n", b"%00", b"%2e"),
]


def mutated(inputs: list[bytes], count: int) -> Iterator[bytes]:
    chance = random.Random(SEED)
    for _ in range(count):
        sent = bytearray(chance.choice(inputs))
        for _ in range(chance.randint(1, 4)):
            at = chance.randint(0, len(sent))
            match chance.randrange(4):
                case 0:
                    del sent[at : at + chance.randint(1, 8)]
                case 1:
                    sent[at:at] = chance.choice(PIECES)
                case 2:
                    sent[at:at] = sent[at : at + chance.randint(1, 30)]
                case 3:
                    sent[at : at + 1] = bytes([chance.randrange(256)])
        yield bytes(sent)


def inputs(site: Site) -> list[bytes]:
    kept = [path.read_bytes() for path in sorted(CORPUS.iterdir())]
    assert len(kept) >= 20
    return kept + [case.send for case in site.cases() if len(case.send) < 2000]


def said(port: int, sent: bytes) -> bytes:
    """The answer without its time."""
    return re.sub(rb"\r\nDate: [^\r]*", b"", told(port, sent))


@pytest.fixture(scope="module")
def model(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    path = tmp_path_factory.mktemp("model") / "said"
    with program_of("python").serving(folder, path) as running:
        yield running


def compare(running: Running, model: Running, sent: list[bytes]) -> None:
    right = said(running.port, ASKED)
    assert right.endswith(b"\r\n\r\n0123456789")
    for each in sent:
        assert said(running.port, each) == said(model.port, each), each
    assert said(running.port, ASKED) == right


def test_the_corpus(running: Running, model: Running, site: Site) -> None:
    compare(running, model, inputs(site))


def test_changed_inputs(running: Running, model: Running, site: Site) -> None:
    compare(running, model, list(mutated(inputs(site), 200)))


@pytest.mark.long
def test_many_changed_inputs(running: Running, model: Running, site: Site) -> None:
    compare(running, model, list(mutated(inputs(site), 5000)))


def test_libraries_survive_the_corpus(folder: Path, site: Site, tmp_path: Path) -> None:
    """Servers built on libraries may answer differently, but must then answer the next client."""
    for language in ("go", "java", "javascript", "python"):
        program: Program = program_of(language, "library")
        with program.serving(folder, tmp_path / language) as running:
            for sent in inputs(site):
                with contextlib.suppress(OSError):
                    told(running.port, sent)
            assert b"0123456789" in told_whole(running.port)
            running.end()


def told_whole(port: int) -> bytes:
    """Sends the whole input without closing the sending half: some libraries treat that as the end
    of the connection."""
    with connect(port) as client:
        client.sendall(ASKED)
        return received(client)
