"""Every program of every language and tier against the transcription of contract.md."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from langbench.log import generate
from langbench.log.awkward_logs import awkward_folder, awkward_queries
from langbench.log.python.folder import QUERIES
from langbench.log.transcription import Answer, expected_of, queries_file, written
from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.workshop import surroundings
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake
from runfair.formats.variant import Artefact

LIMIT_S = 60
FORMS = ("indexed", "regex")
THREADS = (1, 2, 7)
# Whichever comes first: workers that are processes take their time to start.
STRESS = ("--threads", "32", "--iterations", "200", "--max-seconds", "5")
# Of the two forms, for they have the same programs.
PROGRAMS = [(p.language, p.tier) for p in benchmarks()["log-indexed"].programs]


@dataclass(frozen=True)
class Outcome:
    status: int
    output: bytes
    errors: str

    def event(self, name: str) -> dict[str, Any]:
        events = [json.loads(line) for line in self.output.splitlines()]
        return next(event for event in events if event["event"] == name)


@dataclass(frozen=True)
class Program:
    language: str
    tier: str
    artefact: Artefact

    def run(self, *arguments: str | Path) -> Outcome:
        done = subprocess.run(
            [*self.artefact.command, "--workload", "hadoop", *map(str, arguments)],
            env=surroundings(self.artefact.environment),
            cwd=self.artefact.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def say(self, *arguments: str | Path) -> Outcome:
        """Run what should succeed."""
        outcome = self.run(*arguments)
        assert outcome.status == 0, outcome.errors
        return outcome


@functools.cache
def program_of(language: str, tier: str) -> Program:
    source = benchmarks()["log-indexed"].program(language, tier)
    chosen = [v for v in variants() if v.language == language and v.default]
    if source is None or not chosen:
        pytest.skip(f"no default variant of {language} here")
    try:
        return Program(language, tier, build(chosen[0], source))
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=PROGRAMS, ids="-".join)
def program(request: pytest.FixtureRequest) -> Program:
    return program_of(*request.param)


# ---------------------------------------------------------------- the work itself


def check_answers(
    program: Program, logs: Path, expected: dict[str, Answer], *arguments: str | Path
) -> None:
    """Both forms, with several numbers of threads."""
    for form in FORMS:
        digest = expected[form].digest()
        for threads in THREADS:
            told = ["--param", f"form={form}", "--threads", str(threads)]
            outcome = program.say("--count", "--input", logs, *told, *arguments)
            assert outcome.event("operations")["counters"] == expected[form].counters, told
            assert outcome.event("iteration")["digest"] == digest, told
            start = outcome.event("start")
            assert (start["benchmark"], start["threads"]) == ("log", threads)
            assert (start["language"], start["tier"]) == (program.language, program.tier)


@pytest.mark.parametrize("workload", ["hadoop", "spark"])
def test_generated_logs(program: Program, workload: str, tmp_path: Path) -> None:
    made = generate.generate(workload, 11, 5, 9000)
    folder = {name: "".join(lines).encode("ascii") for name, lines in made}
    logs = written(tmp_path / "logs", folder)
    expected = expected_of(folder, QUERIES[workload])
    check_answers(program, logs, expected, "--workload", workload)


def test_awkward_logs(program: Program, tmp_path: Path) -> None:
    folder = awkward_folder(5)
    logs = written(tmp_path / "logs", folder)
    (logs / "folder.log").mkdir()  # passed over
    (logs / "link.log").symlink_to(logs / "c-crlf.log")  # followed
    (logs / "nowhere.log").symlink_to(logs / "missing")  # passed over
    folder["link.log"] = folder["c-crlf.log"]
    queries = awkward_queries(7, folder)
    expected = expected_of(folder, queries)
    # The queries are of all kinds: some hit nothing, some much, some by the index alone.
    hits = [len(found) for found in expected["indexed"].matches]
    assert min(hits) == 0 and len(set(hits)) > 10
    named = queries_file(tmp_path / "queries", queries)
    check_answers(program, logs, expected, "--param", f"queries={named}")


def test_one_file_without_a_line(program: Program, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"empty.log": b""})
    check_answers(program, logs, expected_of({"empty.log": b""}, QUERIES["hadoop"]))


def test_iterations_are_alike(program: Program, tmp_path: Path) -> None:
    made = generate.generate("hadoop", 1, 3, 3000)
    logs = written(
        tmp_path / "logs", {name: "".join(lines).encode("ascii") for name, lines in made}
    )
    for form in FORMS:
        told = ["--param", f"form={form}", "--threads", "2", "--iterations", "3"]
        output = program.say("--input", logs, *told).output
        digests = re.findall(rb'"digest":"(\w+)"', output)
        assert len(digests) == 3 and len(set(digests)) == 1


# ---------------------------------------------------------------- mistakes


def check_refused(outcome: Outcome, message: str) -> None:
    """One line that begins with the benchmark's name and says `message`, up to its "…"."""
    assert outcome.status == 2, outcome.errors
    assert outcome.errors.endswith("\n") and outcome.errors.count("\n") == 1, outcome.errors
    beginning, more, _ = f"log: {message}".partition("…")
    assert outcome.errors.startswith(beginning)
    assert more or outcome.errors == f"{beginning}\n"
    assert outcome.output == b""


def test_a_folder_that_is_none_is_told(program: Program, tmp_path: Path) -> None:
    missing, file, empty = tmp_path / "missing", tmp_path / "file", tmp_path / "empty"
    file.write_bytes(b"a line\n")
    empty.mkdir()
    (empty / "inner").mkdir()
    for path in (missing, file):
        check_refused(program.run("--input", path), f'--input "{path}" cannot be read: …')
    message = f'--input "{empty}" holds no files; give a folder of logs'
    check_refused(program.run("--input", empty), message)
    check_refused(program.run(), "takes 1 --input PATH, not 0")


def test_a_name_that_is_not_ascii_is_told(program: Program, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"", "é.log": b""})
    check_refused(program.run("--input", logs), f'--input "{logs}" holds "…')


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_told(program: Program, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n", "b.log": b"2\n"})
    (logs / "b.log").chmod(0)
    for threads in THREADS:
        for form in FORMS:
            told = ["--threads", str(threads), "--param", f"form={form}"]
            outcome = program.run("--input", logs, *told)
            assert outcome.status == 2
            assert outcome.errors.startswith(f'log: --input "{logs / "b.log"}" cannot be read: ')


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_gone_is_told(
    program: Program, form: str, threads: int, tmp_path: Path
) -> None:
    """Files are read in the iterations, by when the start is said."""
    logs = written(tmp_path / "logs", {"a.log": b"1\n", "b.log": b"2\n"})
    told = ["--param", f"form={form}", "--threads", str(threads), "--iterations", "0"]
    with subprocess.Popen(
        [*program.artefact.command, "--workload", "hadoop", "--input", str(logs), *told],
        env=surroundings(program.artefact.environment),
        cwd=program.artefact.directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        first = process.stdout.readline()
        (logs / "b.log").unlink()
        errors = process.stderr.read().decode()
    assert b'"event":"start"' in first
    assert process.returncode == 2
    assert errors.startswith(f'log: --input "{logs / "b.log"}" cannot be read: ')
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
    program: Program, tmp_path: Path, content: bytes, told: str
) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n"})
    queries = tmp_path / "queries"
    queries.write_bytes(content)
    outcome = program.run("--input", logs, "--param", f"queries={queries}")
    check_refused(outcome, told.format(f'--param queries="{queries}"'))


def test_other_mistakes(program: Program, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"1\n"})
    at = ["--input", str(logs)]
    missing = tmp_path / "missing"
    told = f'--param queries="{missing}" cannot be read; name a file of queries, one a line'
    check_refused(program.run(*at, "--param", f"queries={missing}"), told)
    told = 'unknown form "odd"; it is one of indexed, regex'
    check_refused(program.run(*at, "--param", "form=odd"), told)
    told = 'unknown workload "classic"; it is one of hadoop, spark'
    check_refused(program.run(*at, "--workload", "classic"), told)


def test_only_std_regex_refuses_long_lines(program: Program, tmp_path: Path) -> None:
    logs = written(tmp_path / "logs", {"a.log": b"a" * 8192 + b"\n"})
    queries = queries_file(tmp_path / "queries", ["a*z", "a*a"])
    asked = ["--input", str(logs), "--param", f"queries={queries}", "--param"]
    program.say(*asked, "form=regex")
    (logs / "a.log").write_bytes(b"a" * 8193 + b"\n")
    program.say(*asked, "form=indexed")
    outcome = program.run(*asked, "form=regex")
    if program.language == "c++" and program.tier != "boost":
        assert outcome.status == 2
        assert outcome.errors == (
            f'log: --input "{logs / "a.log"}" has a line of 8193 bytes, and std::regex takes 8192; '
            "search it by the tier boost\n"
        )
    else:
        assert outcome.status == 0, outcome.errors


# ---------------------------------------------------------------- stress


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_under_stress(program: Program, form: str, tmp_path: Path) -> None:
    """Far more threads than processors, over and over on small files: every answer is compared.

    For the languages whose programs no race detector looks at.
    """
    folder = awkward_folder(9)
    logs = written(tmp_path / "logs", folder)
    queries = awkward_queries(10, folder)
    named = queries_file(tmp_path / "queries", queries)
    told = ["--param", f"form={form}", "--param", f"queries={named}"]
    outcome = program.say("--input", logs, *told, *STRESS)
    events = [json.loads(line) for line in outcome.output.splitlines()]
    digests = {event["digest"] for event in events if event["event"] == "iteration"}
    assert digests == {expected_of(folder, queries)[form].digest()}
