"""Every program of every language against the rules of contract.md, from outside."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.workshop import surroundings
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.runtime import variants
from runfair.errors import UserMistake
from runfair.formats.variant import Artefact
from runfair.paths import REPOSITORY
from transcription import Solving, Sorting, fnv1a

LIMIT_S = 20
MASK = 2**64 - 1
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((REPOSITORY / "schemas" / "program.schema.json").read_text())
)
LANGUAGES = sorted({p.language for b in benchmarks().values() for p in b.programs})
OPTIONS = (
    "--workload, --size, --seed, --threads, --input, --param, --iterations, --max-seconds, --count"
)
TELLING_LINES = {"python"}  # the languages whose harness takes --lines

Event = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    status: int
    events: list[Event]
    errors: str

    def of(self, event: str) -> list[Event]:
        return [line for line in self.events if line["event"] == event]


@dataclass(frozen=True)
class Program:
    benchmark: str
    language: str
    artefact: Artefact

    def start(self, *arguments: str, stdin: Any = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.artefact.command, *arguments],
            env=surroundings(self.artefact.environment),
            cwd=self.artefact.directory,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str) -> Outcome:
        with self.start(*arguments) as process:
            output, errors = finish(process)
        return Outcome(process.returncode, events_of(output), errors.decode())

    def say(self, *arguments: str) -> Outcome:
        """Run what should succeed."""
        outcome = self.run(*arguments)
        assert outcome.status == 0, outcome.errors
        check_order(outcome.events)
        return outcome


def finish(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What it said; a program that goes on for too long is ended, and a failure."""
    try:
        return process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def events_of(output: bytes) -> list[Event]:
    """The lines, each of which the schema allows."""
    assert output.endswith(b"\n") or not output
    events = [json.loads(line) for line in output.splitlines()]
    for event in events:
        SCHEMA.validate(event)
    return events


def check_order(events: list[Event]) -> None:
    """start, iterations one after the other, operations or lines if any, end."""
    first, *between, last = events
    assert (first["event"], last["event"]) == ("start", "end")
    iterations = [line for line in between if line["event"] == "iteration"]
    assert [line["index"] for line in iterations] == list(range(last["iterations"]))
    # Nothing but iterations is said between iterations, and operations behind them.
    assert between[: len(iterations)] == iterations
    assert {line["event"] for line in between[len(iterations) :]} <= {"operations", "lines"}
    ended_ns = first["monotonic_ns"]
    for line in iterations:
        assert line["started_monotonic_ns"] >= ended_ns
        ended_ns = line["started_monotonic_ns"] + line["wall_ns"]


@functools.cache
def program_of(benchmark: str, language: str, tier: str = "standard") -> Program:
    source = benchmarks()[benchmark].program(language, tier)
    chosen = [v for v in variants() if v.language == language and v.default]
    if source is None or not chosen:
        pytest.skip(f"no program or no default variant of {language} here")
    try:
        return Program(benchmark, language, build(chosen[0], source))
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sort(language: str) -> Program:
    return program_of("sort", language)


@pytest.fixture
def sudoku(language: str) -> Program:
    return program_of("sudoku", language)


# ---------------------------------------------------------------- mistakes


def check_refused(outcome: Outcome, program: Program, message: str, events: Sequence[str]) -> None:
    """Status 2 and one line; `message` is all of it, or its beginning where it ends with '…'."""
    assert outcome.status == 2
    assert [line["event"] for line in outcome.events] == list(events)
    errors = outcome.errors
    assert errors.endswith("\n") and errors.count("\n") == 1, errors
    expected = f"{program.benchmark}: {message}"
    if expected.endswith("…"):
        assert errors.startswith(expected[:-1])
    else:
        assert errors == f"{expected}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--frob"], f'unknown option "--frob"; the options are {OPTIONS}'),
        (["--seed=5"], f'unknown option "--seed=5"; the options are {OPTIONS}'),
        (["stray\nfeed"], 'unknown option "stray\\…'),
        (["--seed"], "--seed needs a value after it"),
        (["--size", "--count"], "--size needs a value after it"),
        (["--seed", "18446744073709551616"], "--seed takes an integer from 0 to "
         '18446744073709551615, not "18446744073709551616"'),
        (["--seed", "-1"], '--seed takes an integer from 0 to 18446744073709551615, not "-1"'),
        (["--threads", "0"], '--threads takes an integer from 1 to 2147483647, not "0"'),
        (["--threads", "2147483648"],
         '--threads takes an integer from 1 to 2147483647, not "2147483648"'),
        (["--iterations", "1.5"],
         '--iterations takes an integer from 0 to 9223372036854775807, not "1.5"'),
        (["--max-seconds", "1e3"], '--max-seconds takes a decimal number such as 2.5, not "1e3"'),
        (["--max-seconds", "9223372037"],
         '--max-seconds takes a decimal number such as 2.5, not "9223372037"'),
        (["--workload", "odd"],
         'unknown workload "odd"; it is one of classic, shuffled, duplicates'),
        (["--param", "letters"], '--param takes NAME=VALUE, not "letters"'),
        (["--param", "size=4"], 'unknown parameter "size"; it is one of letters, length'),
        (["--param", "letters=1"], '--param letters takes an integer from 2 to 26, not "1"'),
        (["--param", "length=9"], '--param length takes an integer from 1 to 8, not "9"'),
        (["--param", "letters=26", "--param", "length=8"],
         "26 letters and length 8 make 208827064576 words; take fewer than …"),
        (["--input", "words.txt"], "takes 0 --input PATH, not 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistake_is_told_in_one_line(sort: Program, arguments: list[str], message: str) -> None:
    if message.endswith(OPTIONS) and sort.language in TELLING_LINES:
        message += ", --lines"
    check_refused(sort.run(*arguments), sort, message, [])


PUZZLE = "5...7..91...3..5.......8..7.6..9..5.1....4.3..93...2..8.....9...3....82...1.4...."
WITHOUT_SOLUTION = ".23456789" + "1........" + 63 * "."
CONTRADICTION = 81 * "1"
FORM = "a puzzle is 81 characters of 1 to 9 or a full stop"
TWICE = "two givens contradict each other"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, FORM),
        (f"{PUZZLE}.\n", 1, FORM),
        (f"{PUZZLE}\n{PUZZLE[1:]}", 2, FORM),
        (f"{PUZZLE}\n\n{PUZZLE}\n", 2, FORM),
        (f"{PUZZLE}\n\n", 2, FORM),
        (f"{PUZZLE}\r\n", 1, FORM),
        (PUZZLE.replace(".", "0"), 1, FORM),
        (f"{PUZZLE[:-1]}é", 1, FORM),
        (f"{PUZZLE}\n{CONTRADICTION}\n", 2, TWICE),
        (f"{PUZZLE}\n{PUZZLE}\n{WITHOUT_SOLUTION}\n", 3, "the puzzle has no solution"),
    ],
    ids=[
        "empty",
        "long",
        "short",
        "blank",
        "trailing",
        "crlf",
        "zeros",
        "é",
        "twice",
        "unsolvable",
    ],
)
def test_a_broken_input_is_told_with_its_line(
    sudoku: Program, tmp_path: Path, text: str, line: int, what: str
) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_bytes(text.encode())
    # Only the search finds out that there is no solution; by then the start is said.
    events = ["start"] if "solution" in what else []
    message = f"line {line} of the input: {what}; make it with generate.py"
    check_refused(sudoku.run("--input", str(path)), sudoku, message, events)


def test_an_input_that_cannot_be_read_is_told(sudoku: Program, tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    for path in (missing, tmp_path):
        refused = sudoku.run("--input", str(path))
        check_refused(refused, sudoku, f'--input "{path}" cannot be read: …', [])
    check_refused(sudoku.run(), sudoku, "takes 1 --input PATH, not 0", [])
    parameter = sudoku.run("--input", str(missing), "--param", "letters=4")
    check_refused(parameter, sudoku, 'has no parameters; leave "letters" out', [])


# ---------------------------------------------------------------- iterations


@pytest.mark.parametrize(
    ("arguments", "iterations"),
    [
        ([], 1),
        (["--iterations", "3"], 3),
        (["--iterations", "7", "--iterations", "2"], 2),
        (["--iterations", "5", "--max-seconds", "0"], 1),
        (["--iterations", "2", "--max-seconds", "900.5"], 2),
        (["--iterations", "0"], 1),
        (["--iterations", "0", "--max-seconds", "0"], 1),
        (["--count", "--iterations", "4", "--max-seconds", "900"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_iterations_are_as_many_as_told(
    sort: Program, arguments: list[str], iterations: int
) -> None:
    outcome = sort.say("--workload", "shuffled", *arguments)
    done = outcome.of("end")[0]["iterations"]
    # With standard input at its end, a watcher may need a few iterations to see it.
    watched = arguments == ["--iterations", "0"]
    assert done == iterations or (watched and done >= 1)
    assert len({line["digest"] for line in outcome.of("iteration")}) == 1
    assert len(outcome.of("operations")) == arguments.count("--count")


def test_zero_iterations_go_on_until_standard_input_ends(sort: Program) -> None:
    process = sort.start("--iterations", "0", stdin=subprocess.PIPE)
    with process:
        assert process.stdin and process.stdout
        process.stdin.write(b"not the end\n")
        process.stdin.flush()
        output = b""
        while output.count(b'"event":"iteration"') < 3:
            chunk = os.read(process.stdout.fileno(), 1 << 20)
            assert chunk, "the program ended before its standard input"
            output += chunk
        rest, _ = finish(process)
    assert process.returncode == 0
    check_order(events_of(output + rest))


def test_closed_standard_input_is_at_its_end(sort: Program) -> None:
    closing = ["sh", "-c", 'exec "$@" <&-', "sh", *sort.artefact.command, "--iterations", "0"]
    artefact = sort.artefact.model_copy(update={"command": closing})
    Program(sort.benchmark, sort.language, artefact).say()


def test_lines_are_written_ten_times_a_second_at_most(sort: Program) -> None:
    began = time.monotonic()
    process = sort.start("--workload", "shuffled", "--max-seconds", "1")
    reads, output = 0, b""
    with process:
        assert process.stdout
        while chunk := os.read(process.stdout.fileno(), 1 << 20):
            reads += 1
            output += chunk
    elapsed_s = time.monotonic() - began
    iterations = output.count(b'"event":"iteration"')
    # One write can be read in parts; a program that wrote each line would come to one a read.
    assert reads <= 5 * (10 * elapsed_s + 2)
    assert iterations > 20
    assert sort.language == "python" or reads < iterations / 4


# ---------------------------------------------------------------- what is told


def test_what_was_told_is_repeated(sort: Program) -> None:
    seed = ["--seed", "5", "--seed", str(MASK)]
    told = ["--workload", "duplicates", "--size", 'a"\\\n€', "--threads", "64"]
    start = sort.say(*seed, *told).events[0]
    assert start["contract"] == 1
    assert start["seed"] == MASK
    assert (start["benchmark"], start["language"]) == ("sort", sort.language)
    assert (start["tier"], start["threads"]) == ("standard", 1)
    assert (start["workload"], start["size"]) == ("duplicates", 'a"\\\n€')
    assert start["runtime"] and start["effective"]
    assert start["processors"] <= (os.cpu_count() or 1)
    assert abs(start["realtime_ns"] - time.time_ns()) < 60 * 10**9


# ---------------------------------------------------------------- the work itself


@pytest.mark.parametrize("workload", ["classic", "shuffled", "duplicates"])
@pytest.mark.parametrize(
    ("letters", "length", "seed"), [(2, 1, 0), (26, 1, MASK), (3, 5, 2**63), (5, 4, 7)]
)
def test_sorting_is_the_contracts(
    sort: Program, workload: str, letters: int, length: int, seed: int
) -> None:
    expected = Sorting(workload, letters, length, seed)
    expected.sort(0, len(expected.x))
    assert expected.x == sorted(expected.x)
    params = ["--param", f"letters={letters}", "--param", f"length={length}"]
    outcome = sort.say("--count", "--workload", workload, "--seed", str(seed), *params)
    counters = {"comparisons": expected.comparisons, "swaps": expected.swaps}
    assert outcome.of("operations")[0]["counters"] == counters
    digest = fnv1a("".join(f"{word}\n" for word in expected.x).encode())
    assert outcome.of("iteration")[0]["digest"] == digest
    timed = sort.say("--workload", workload, "--seed", str(seed), *params)
    assert timed.of("iteration")[0]["digest"] == digest


@pytest.mark.parametrize("last", ["\n", ""], ids=["line feed", "no line feed"])
def test_solving_is_the_contracts(sudoku: Program, tmp_path: Path, last: str) -> None:
    easy = Solving(PUZZLE)
    assert easy.solve(0)
    solved = "".join(str(digit) for row in easy.grid for digit in row)
    # One that needs a search, one with a single empty cell in the last place, one solved.
    puzzles = [PUZZLE, f"{solved[:80]}.", solved]
    path = tmp_path / "puzzles.txt"
    path.write_text("\n".join(puzzles) + last)
    solvings = [Solving(puzzle) for puzzle in puzzles]
    assert all(solving.solve(0) for solving in solvings)
    counters = {
        name: sum(getattr(solving, name) for solving in solvings)
        for name in ("tries", "placements", "reads")
    }
    digest = fnv1a(f"{solved}\n".encode() * len(puzzles))
    outcome = sudoku.say("--count", "--input", str(path))
    assert outcome.of("operations")[0]["counters"] == counters
    assert outcome.of("iteration")[0]["digest"] == digest
    timed = sudoku.say("--iterations", "2", "--workload", "balanced", "--input", str(path))
    assert [line["digest"] for line in timed.of("iteration")] == [digest, digest]


# ---------------------------------------------------------------- lines of source


def test_lines_ran_as_often_as_the_work_was_done(tmp_path: Path) -> None:
    sudoku = program_of("sudoku", "python")
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{PUZZLE}\n")
    solving = Solving(PUZZLE)
    assert solving.solve(0)
    outcome = sudoku.say("--lines", "--iterations", "7", "--input", str(path))
    assert len(outcome.of("iteration")) == 1
    [told] = outcome.of("lines")
    assert (told["path"], told["name"], told["unit"]) == ("sudoku.py", "executions", "")
    source = REPOSITORY / "benchmarks" / "langbench" / "sudoku" / "python" / "sudoku.py"
    lines = [line.strip() for line in source.read_text().splitlines()]
    ran = {int(line): count for line, count in told["values"].items()}
    tried = lines.index("if fits(grid, cell, digit):") + 1
    loop, placed, led_on = tried - 1, tried + 1, tried + 3
    assert ran[tried] == solving.tries
    assert ran[placed] == solving.placements
    # The loop's own line: once to enter it, and again after each try that did not lead on.
    assert ran[loop] == ran[loop - 1] + ran[tried] - ran[led_on]
    beginnings = {lines[line - 1].split()[0] for line in ran}
    assert not beginnings & {"def", "import", "from", "class"}


def test_lines_of_other_processes_are_not_passed_over(tmp_path: Path) -> None:
    log = replace(program_of("log-indexed", "python", "multiprocessing"), benchmark="log")
    (tmp_path / "one.log").write_text("17/06/09 20:10:40 INFO one: two 3\n")
    (tmp_path / "two.log").write_text("17/06/09 20:10:41 INFO one: two 4\n")
    options = ["--workload", "spark", "--threads", "2", "--input", str(tmp_path)]
    assert log.run(*options).status == 0
    told = "its other processes' lines are not counted; leave --lines out"
    check_refused(log.run("--lines", *options), log, told, ["start"])


def test_lines_and_operations_are_of_different_code() -> None:
    sort = program_of("sort", "python")
    refused = sort.run("--lines", "--count")
    check_refused(refused, sort, "--count counts other code than --lines: drop one", [])
