"""`./runfair audit`: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from formats.foreign.sample import SAMPLES, text
from runfair.cli import audit as verb
from runfair.cli.app import VERBS
from runfair.errors import UserMistake
from runfair.formats.foreign import IMPORTERS
from runfair.formats.foreign.result import Audit
from runfair.report.audit import STYLES

WRK = str(SAMPLES / "wrk.txt")


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    """In one line each: the table wraps where it will."""
    return " ".join(capsys.readouterr().out.split())


def test_it_is_a_verb() -> None:
    assert VERBS["audit"] == ("audit", "audit")


def test_what_is_established_and_what_can_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    verb.audit([WRK])
    said = printed(capsys)
    title = "wrk · http://127.0.0.1:18080/ · 8 connections · duration 2.10 s · 72,500 requests/s · "
    assert title in said
    assert "closed loop established" in said
    assert "unequal builds cannot be established" in said
    assert "too few values for a percentile excluded" in said
    assert (
        "What this result shows: the throughput at 8 connections on the machine that was "
        "measured. What this result does not show: any percentile;"
    ) in said
    order = [said.index(f" {status} ") for status in STYLES]
    assert said.index("What this result shows") < order[0]
    assert order == sorted(order)


def test_the_record_has_a_schema_and_holds_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    verb.audit([WRK, str(SAMPLES / "wrk-errors.txt"), str(SAMPLES / "jmeter.csv")], json=True)
    said = capsys.readouterr().out
    jsonschema.validate(json.loads(said), Audit.model_json_schema(mode="serialization"))
    read = Audit.model_validate_json(said)
    assert [each.result.tool for each in read.results] == ["wrk", "wrk", "JMeter"]
    assert [each.tool for each in read.comparisons] == ["wrk"]


def test_a_command_line_establishes_more(capsys: pytest.CaptureFixture[str]) -> None:
    vegeta = str(SAMPLES / "vegeta.json")
    verb.audit([vegeta])
    assert "closed loop cannot be established" in printed(capsys)
    verb.audit([vegeta], command="vegeta attack -rate=500 -duration=2s")
    said = printed(capsys)
    assert "closed loop excluded" in said
    assert "pauses left out excluded" in said
    assert "percentiles up to p99 at 501/s" in said


def test_so_does_a_file_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "result.txt"
    result.write_text(text("hey.txt"), encoding="utf-8")
    result.with_name("result.txt.command").write_text("hey -n 2000 -c 8 http://h\n")
    verb.audit([str(result)])
    said = printed(capsys)
    assert "hey · 8 connections" in said
    assert (
        "each connection had 0.98 requests under way on average (2,813 requests/s × 2.8 ms mean "
        "latency / 8 connections)"
    ) in said


def test_and_a_line_pasted_above_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paste = tmp_path / "post.md"
    paste.write_text(f"Look:\n\n    $ hey -c 8 http://h\n{text('hey.txt')}", encoding="utf-8")
    verb.audit([str(paste)])
    assert "hey · 8 connections" in printed(capsys)


def test_a_format_never_seen_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    verb.audit([str(SAMPLES / "documented-wrk2.txt")])
    assert "importer was written from the tool's documentation" in printed(capsys)


def test_results_of_one_document_that_are_alike_are_shown_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    verb.audit([str(SAMPLES / "jmh.json")])
    said = printed(capsys)
    assert said.count("wrong unit of repetition") == 1
    assert "The same findings apply to other results of this file: “x.B.hash”." in said


def test_the_title_says_what_a_name_and_a_time_are(capsys: pytest.CaptureFixture[str]) -> None:
    verb.audit([str(SAMPLES / "hyperfine.json"), str(SAMPLES / "jmh.json")])
    said = printed(capsys)
    assert "hyperfine · command “true” · mean time 2.38 ms" in said
    assert "benchmark “x.B.concat” · mean time 122 ns" in said


def test_nothing_in_a_file_moves_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "post.txt"
    hostile = "\x1b]0;x\x07\u202e"
    titled = text("wrk.txt").replace("18080/", f"18080/{hostile}")
    quoted = text("k6-starved.txt").replace("(maxVUs: 1,", f"(maxVUs: 1,{hostile}")
    file.write_text(titled + quoted, "utf-8")
    verb.audit([str(file)])
    said = capsys.readouterr().out
    assert "18080/" in said
    assert "(maxVUs: 1," in " ".join(said.split())
    assert not {"\x1b", "\x07", "\u202e"} & set(said)


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text("ab.txt").encode())))
    verb.audit(["-"])
    assert "ab · 8 connections" in printed(capsys)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_a_shell_writes_with_a_byte_order_mark(
    tmp_path: Path, encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "result.json"
    file.write_text(text("vegeta.json"), encoding=encoding)
    verb.audit([str(file)])
    assert "vegeta · " in printed(capsys)


def test_an_unknown_format_names_what_was_looked_for(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all, it is fast.\n")
    told = "no result of a known tool; give a result of one of these tools: wrk, wrk2"
    with pytest.raises(UserMistake, match=told) as no:
        verb.audit([str(file)])
    assert "\n" not in str(no.value)
    assert all(each.TOOL in str(no.value) for each in IMPORTERS)


def test_refusals_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserMistake, match=r"Gatling 3\.12 or newer, give the summary"):
        verb.audit([str(SAMPLES / "gatling-3.13.log")])
    cut = tmp_path / "cut.json"
    cut.write_text(text("vegeta.json")[:200])
    with pytest.raises(UserMistake, match="begins like JSON, but the JSON is not complete"):
        verb.audit([str(cut)])
    with pytest.raises(UserMistake, match="cannot be read: No such file"):
        verb.audit([str(tmp_path / "missing")])
    with pytest.raises(UserMistake, match="cannot be read: Is a directory"):
        verb.audit([str(tmp_path)])
    with pytest.raises(UserMistake, match=r"\.command beside it"):
        verb.audit([WRK, WRK], command="wrk -c8 http://h")
    with pytest.raises(UserMistake, match="does not start a tool that runfair knows"):
        verb.audit([WRK], command="curl http://h")
    with pytest.raises(UserMistake, match="has 8 connections, but the command line asks for 64"):
        verb.audit([WRK], command="wrk -c64 http://h")
    monkeypatch.setattr(verb, "LARGEST_BYTES", 100)
    with pytest.raises(UserMistake, match="larger than"):
        verb.audit([WRK])


def test_exit_statuses(tmp_path: Path) -> None:
    def status(*arguments: str) -> int:
        command = [sys.executable, "-m", "runfair", "audit", *arguments]
        return subprocess.run(command, capture_output=True, check=False).returncode

    letter = tmp_path / "letter.txt"
    letter.write_text("Dear all\n")
    assert status(WRK, "--json") == 0
    assert status(str(letter)) == 2
