"""`./runfair traffic` from its command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from runfair.cli.app import app
from runfair.errors import UserMistake
from runfair.formats.traffic import Conversion, Replay
from traffic.captures import FIXTURES


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["traffic", *words])


def test_a_capture_becomes_a_file_and_a_table(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = run(str(FIXTURES / "loopback.pcap"), "--to", str(out))
    assert result.exit_code == 0, result.output
    assert len(out.read_text().splitlines()) == 16
    for said in ("format    pcap", "16 read, 16 written", "GET /pipelined/*", "TLS", "'cookie' 2"):
        assert said in result.stdout
    assert "Bearer" not in out.read_text()


def test_json(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ("--to", str(out), "--json", "--keep-secrets", "--limit", "5", "--timing", "constant")
    result = run(str(FIXTURES / "loopback.pcap"), *words)
    found = Conversion.model_validate_json(result.stdout)
    assert (found.written, found.timing, found.format) == (5, "constant", "pcap")
    assert "Bearer 0123456789" in out.read_text()


def test_a_replay_is_compared() -> None:
    recorded, other = str(FIXTURES / "loopback.pcap"), str(FIXTURES / "nginx.jsonl")
    same = run(recorded, "--against", str(FIXTURES / "cooked.pcap"))
    assert same.exit_code == 0
    assert "differs" not in same.stdout and "key popularity" in same.stdout
    differing = Replay.model_validate_json(run(recorded, "--against", other, "--json").stdout)
    assert {one.quantity: one.distance for one in differing.distances}["route"] > 0.5
    assert any("TLS encrypts their requests" in note for note in differing.notes)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("FILE",), "--to"),
        (("FILE", "--to", "OUT", "--against", "FILE"), "--to"),
        (("FILE", "--to", "FILE"), "is one of the input files"),
        (("missing", "--to", "OUT"), "No such file"),
        (("VEGETA", "--to", "OUT", "--timing", "recorded"), "--timing constant"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    copy = tmp_path / "capture"
    copy.write_bytes((FIXTURES / "nginx.jsonl").read_bytes())
    places = {"FILE": copy, "OUT": tmp_path / "out", "VEGETA": FIXTURES / "vegeta.http"}
    result = run(*(str(places.get(word, word)) for word in words))
    assert isinstance(result.exception, UserMistake)
    assert said in str(result.exception) and "\n" not in str(result.exception)
    assert copy.read_bytes() == (FIXTURES / "nginx.jsonl").read_bytes()


def test_a_capture_cannot_steer_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(
        b'1.1.1.1 - - [21/Nov/2026:18:30:12 +0000] "GET /\x1b[31m[bold] HTTP/1.1" 200 1\n'
    )
    result = run(str(log), "--to", str(tmp_path / "out"))
    assert "\x1b" not in result.stdout and "[bold]" in result.stdout
