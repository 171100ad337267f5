"""Tests every program of every language and tier against the transcription of contract.md."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from built_program import BuiltProgram, built
from langbench.log import generate
from langbench.log.awkward_logs import awkward_folder, awkward_queries
from langbench.log.python.folder import QUERIES
from langbench.log.transcription import Answer, expected_of, queries_file, written
from runfair.catalogue.benchmark import benchmarks
from runfair.formats.record import Scalar

FORMS = ("indexed", "regex")
# The counted build runs with two threads, the timed build with one and with seven.
COUNTED, TIMED = (2,), (1, 7)
# One of the two forms is enough, because they have the same programs.
PROGRAMS = [(p.language, p.tier) for p in benchmarks()["log-indexed"].programs]


@pytest.fixture(params=PROGRAMS, ids="-".join)
def program(request: pytest.FixtureRequest) -> BuiltProgram:
    return built("log-indexed", *request.param)


def threads_of(program: BuiltProgram, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of threads to test. The plain programs have one thread."""
    return (1,) if program.tier == "plain" else numbers


# ---------------------------------------------------------------- the work itself


def check_answers(
    program: BuiltProgram, logs: Path, expected: dict[str, Answer], **own: Scalar | Path
) -> None:
    """Checks both forms and both builds, with several numbers of threads."""
    for form in FORMS:
        digest = expected[form].digest()
        for threads in threads_of(program, COUNTED):
            outcome = program.say(count=1, input=logs, form=form, threads=threads, **own)
            assert outcome.counters == expected[form].counters, (form, threads)
            assert outcome.digest == digest, (form, threads)
            start = outcome.start
            assert (start["benchmark"], start["threads"]) == ("log", threads)
            assert (start["language"], start["tier"]) == (program.language, program.tier)
        for threads in threads_of(program, TIMED):
            timed = program.say(input=logs, form=form, threads=threads, **own)
            assert timed.digest == digest, (form, threads)


# The code does not depend on the workload, and `verify` runs each program with both.
@pytest.mark.parametrize("workload", ["hadoop", pytest.param("spark", marks=pytest.mark.long)])
def test_generated_logs(program: BuiltProgram, workload: str, tmp_path: Path) -> None:
    made = generate.generate(workload, 11, 5, 9000)
    folder = {name: "".join(lines).encode("ascii") for name, lines in made}
    logs = written(tmp_path / "logs", folder)
    expected = expected_of(folder, QUERIES[workload])
    check_answers(program, logs, expected, workload=workload)


def test_awkward_logs(program: BuiltProgram, tmp_path: Path) -> None:
    folder = awkward_folder(5)
    logs = written(tmp_path / "logs", folder)
    (logs / "folder.log").mkdir()  # passed over
    (logs / "link.log").symlink_to(logs / "c-crlf.log")  # followed
    (logs / "nowhere.log").symlink_to(logs / "missing")  # passed over
    folder["link.log"] = folder["c-crlf.log"]
    queries = awkward_queries(7, folder)
    expected = expected_of(folder, queries)
    # The queries are of all kinds: some match nothing, some match many lines, and some are answered
    # by the index alone.
    hits = [len(found) for found in expected["indexed"].matches]
    assert min(hits) == 0 and len(set(hits)) > 10
    named = queries_file(tmp_path / "queries", queries)
    check_answers(program, logs, expected, queries=named)


def test_one_file_without_a_line(program: BuiltProgram, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"empty.log": b""})
    check_answers(program, logs, expected_of({"empty.log": b""}, QUERIES["hadoop"]))


def test_iterations_are_alike(program: BuiltProgram, tmp_path: Path) -> None:
    made = generate.generate("hadoop", 1, 3, 3000)
    logs = written(
        tmp_path / "logs", {name: "".join(lines).encode("ascii") for name, lines in made}
    )
    for form in FORMS:
        assert program.say(input=logs, form=form, threads=2, iterations=3).digest


# ---------------------------------------------------------------- mistakes


def test_a_folder_that_is_none_is_told(program: BuiltProgram, tmp_path: Path) -> None:
    missing, file, empty = tmp_path / "missing", tmp_path / "file", tmp_path / "empty"
    file.write_bytes(b"a line\n")
    empty.mkdir()
    (empty / "inner").mkdir()
    for path in (missing, file):
        program.run(input=path).check_refused(f'input "{path}" cannot be read: …')
    message = f'input "{empty}" holds no files; give a folder of logs'
    program.run(input=empty).check_refused(message)
    program.run().check_refused("option input=VALUE is missing; …")


def test_a_name_that_is_not_ascii_is_told(program: BuiltProgram, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"", "é.log": b""})
    program.run(input=logs).check_refused(f'input "{logs}" holds "…')


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_told(program: BuiltProgram, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n", "b.log": b"2\n"})
    (logs / "b.log").chmod(0)
    for threads in threads_of(program, (*COUNTED, *TIMED)):
        for form in FORMS:
            outcome = program.run(input=logs, form=form, threads=threads)
            assert outcome.status == 2
            assert outcome.errors.startswith(f'log: input "{logs / "b.log"}" cannot be read: ')


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_gone_is_told(
    program: BuiltProgram, form: str, threads: int, tmp_path: Path
) -> None:
    """Files are read during iterations, after the start line was printed."""
    logs = written(tmp_path / "logs", {"a.log": b"1\n", "b.log": b"2\n"})
    options = program.options(input=logs, form=form, threads=threads, iterations=0)
    with program.start(*options, stdin=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        first = process.stdout.readline()
        (logs / "b.log").unlink()
        errors = process.stderr.read().decode()
    assert b'"event":"start"' in first
    assert process.returncode == 2
    assert errors.startswith(f'log: input "{logs / "b.log"}" cannot be read: ')
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "{} holds no queries; write one a line"),
        (b"\n\n", "{} holds no queries; write one a line"),
        (b"fine\ncaf\xc3\xa9\n", "line 2 of {}: a query is printable ASCII"),
        (b"fine\r\n", "line 1 of {}: a query is printable ASCII"),
    ],
    ids=["empty", "blank", "utf-8", "crlf"],
)
def test_queries_that_are_none_are_told(
    program: BuiltProgram, tmp_path: Path, content: bytes, told: str
) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n"})
    queries = tmp_path / "queries"
    queries.write_bytes(content)
    program.run(input=logs, queries=queries).check_refused(told.format(f'queries "{queries}"'))


def test_queries_that_cannot_be_read_are_told(program: BuiltProgram, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n"})
    missing = tmp_path / "missing"
    message = f'queries "{missing}" cannot be read; name a file of queries, one a line'
    program.run(input=logs, queries=missing).check_refused(message)


def test_only_std_regex_refuses_long_lines(program: BuiltProgram, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"a" * 8192 + b"\n"})
    queries = queries_file(tmp_path / "queries", ["a*z", "a*a"])
    program.say(input=logs, queries=queries, form="regex")
    (logs / "a.log").write_bytes(b"a" * 8193 + b"\n")
    program.say(input=logs, queries=queries, form="indexed")
    outcome = program.run(input=logs, queries=queries, form="regex")
    if program.language == "c++" and program.tier != "boost":
        assert outcome.status == 2
        assert outcome.errors == (
            f'log: input "{logs / "a.log"}" has a line of 8193 bytes, and std::regex takes 8192; '
            "search it by the tier boost\n"
        )
    else:
        assert outcome.status == 0, outcome.errors


# ---------------------------------------------------------------- stress


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_under_stress(program: BuiltProgram, form: str, tmp_path: Path) -> None:
    """Many more threads than processors run repeatedly on small files. Every answer is compared.

    The test is for the languages that have no race detector.
    """
    folder = awkward_folder(9)
    logs = written(tmp_path / "logs", folder)
    queries = awkward_queries(10, folder)
    named = queries_file(tmp_path / "queries", queries)
    # The test ends when one of two limits is reached, because workers that are processes take long
    # to start.
    limits = {"threads": 32, "iterations": 200, "seconds": 5}
    outcome = program.say(input=logs, form=form, queries=named, **limits)
    assert outcome.digest == expected_of(folder, queries)[form].digest()
