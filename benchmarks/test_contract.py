"""Tests every program of every language against the rules of contract.md, from outside."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from built_program import BuiltProgram, built, check_order, events_of, finish
from launcher.test_limits import has_writable_group
from runfair.building.checksum import files_of
from runfair.building.ticks import SUFFIXES
from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import variants
from runfair.formats.source_lines import read_told
from runfair.formats.variant import Variant
from runfair.machine.native import LAUNCHER, build_native
from transcription import Solving, Sorting, fnv1a

MASK = 2**64 - 1
LANGUAGES = sorted({p.language for b in benchmarks().values() for p in b.programs})
SORTING = sorted({p.language for p in benchmarks()["sort"].programs})
# A benchmark that represents the others: a short program that reads its workload.
SHORT = dict.fromkeys(LANGUAGES, "pipeline") | dict.fromkeys(SORTING, "sort")
SHORT["newspeak"] = "awfy-bounce"
REPORT_THE_AFFINITY = [
    one
    for one in variants()
    if (one.default and one.language in ("c++", "go", "javascript", "python", "rust"))
    or (one.family == "bun" and one.state == "ready")
]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def short(language: str) -> BuiltProgram:
    return built(SHORT[language], language)


@pytest.fixture(params=SORTING)
def sort(request: pytest.FixtureRequest) -> BuiltProgram:
    return built("sort", str(request.param))


@pytest.fixture(params=SORTING)
def sudoku(request: pytest.FixtureRequest) -> BuiltProgram:
    return built("sudoku", str(request.param))


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    "missing",
    [
        "workload",
        pytest.param("seed", marks=pytest.mark.long),
        "iterations",
        "a parameter",
    ],
)
def test_a_missing_option_is_told_in_one_line(short: BuiltProgram, missing: str) -> None:
    name = short.benchmark.text.name
    if name == "awfy" and missing in ("workload", "seed"):
        pytest.skip("awfy has no input: it reads neither")
    if missing == "a parameter":
        missing = next(iter(short.benchmark.text.parameters))
    options = [one for one in short.options() if not one.startswith(f"{missing}=")]
    short.run_with(*options).check_refused(
        f"option {missing}=VALUE is missing; ./runfair exec {name} --print shows a whole command"
    )


def test_options_have_no_order_and_unknown_ones_no_meaning(short: BuiltProgram) -> None:
    workload = list(short.benchmark.text.workloads)[-1]
    expected = short.say(workload=workload, seed=3)
    options = short.options(workload=workload, seed=3, colour="a=b")
    outcome = short.run_with(*reversed(options))
    assert outcome.digest == expected.digest


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
    sudoku: BuiltProgram, tmp_path: Path, text: str, line: int, what: str
) -> None:
    path = tmp_path / "puzzles.txt"
    path.write_bytes(text.encode())
    # Only the search can find that there is no solution. By then the start line has been printed.
    events = ["start"] if "solution" in what else []
    message = f"line {line} of the input: {what}; make it with generate.py"
    sudoku.run(input=path).check_refused(message, *events)


def test_an_input_that_cannot_be_read_is_told(sudoku: BuiltProgram, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.txt", tmp_path):
        sudoku.run(input=path).check_refused(f'input "{path}" cannot be read: …')
    sudoku.run().check_refused("option input=VALUE is missing; …")


# ---------------------------------------------------------------- iterations


@pytest.mark.parametrize(
    ("limits", "iterations"),
    [
        # The other tests ask for one iteration.
        pytest.param({}, 1, marks=pytest.mark.long),
        ({"iterations": 3}, 3),
        ({"iterations": 5, "seconds": "0"}, 1),
        ({"iterations": 2, "seconds": "900.5"}, 2),
        ({"iterations": 0}, 1),
        pytest.param({"iterations": 0, "seconds": "0"}, 1, marks=pytest.mark.long),
        ({"count": 1, "iterations": 4, "seconds": "900"}, 4),
    ],
    ids=str,
)
def test_iterations_are_as_many_as_told(
    short: BuiltProgram, limits: dict[str, int | str], iterations: int
) -> None:
    outcome = short.say(**limits)
    (end,) = outcome.of_event("end")
    # When standard input has ended, a watching thread may need a few iterations to notice this.
    watched = limits == {"iterations": 0}
    assert end["iterations"] == iterations or (watched and end["iterations"] >= 1)
    assert outcome.digest
    assert len(outcome.of_event("operations")) == ("count" in limits) * iterations


def test_zero_iterations_go_on_until_standard_input_ends(short: BuiltProgram) -> None:
    process = short.start(*short.options(iterations=0), stdin=subprocess.PIPE)
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


def test_closed_standard_input_is_at_its_end(short: BuiltProgram) -> None:
    closing = ["sh", "-c", 'exec "$@" <&-', "sh", *short.timed.command]
    closed = short.timed.model_copy(update={"command": closing})
    outcome = short.run_with(*short.options(iterations=0), artefact=closed)
    assert outcome.status == 0, outcome.errors
    check_order(outcome.events)


def test_lines_are_written_ten_times_a_second_at_most(short: BuiltProgram) -> None:
    began = time.monotonic()
    limits: dict[str, int | str] = {"iterations": 1_000_000, "seconds": "1"}
    if short.language == "newspeak":  # runtimes that need longer than a second to start
        limits = {"iterations": 200, "inner": 1}
    if short.language == "kotlin":  # beside compilers, the JVM's first second has few iterations
        limits["seconds"] = "3"
    if short.language in ("erlang", "python"):  # beside compilers, a second has too few iterations
        limits = {"iterations": 60}
    process = short.start(*short.options(**limits))
    reads, output = 0, b""
    with process:
        assert process.stdout
        while chunk := os.read(process.stdout.fileno(), 1 << 20):
            reads += 1
            output += chunk
    elapsed_s = time.monotonic() - began
    iterations = output.count(b'"event":"iteration"')
    # One write can be read in several parts. If a program wrote each line separately, there would
    # be a read for each line.
    assert reads <= 5 * (10 * elapsed_s + 2)
    assert iterations > 20
    assert short.language in ("erlang", "newspeak", "python") or reads < iterations / 4


# ---------------------------------------------------------------- what is told


def test_the_start_says_what_runs(short: BuiltProgram) -> None:
    start = short.say(seed=MASK, threads=64).start
    assert start["contract"] == 2
    assert (start["benchmark"], start["language"]) == (
        short.benchmark.text.name,
        short.language,
    )
    threads = 64 if short.benchmark.text.threaded else 1
    if short.language == "erlang":  # its schedulers are started before the program
        threads = start["effective"]["schedulers"]
    assert (start["tier"], start["threads"]) == ("standard", threads)
    assert start["runtime"] and start["effective"]
    assert start["processors"] <= (os.cpu_count() or 1)
    assert abs(start["realtime_ns"] - time.time_ns()) < 60 * 10**9
    # CLOCK_MONOTONIC, which Python's clock also reads.
    assert abs(start["monotonic_ns"] - time.monotonic_ns()) < 60 * 10**9


def test_the_real_time_has_parts_of_a_millisecond(short: BuiltProgram) -> None:
    times = [short.say().start["realtime_ns"] for _ in range(3)]
    assert any(time_ns % 1_000_000 for time_ns in times)


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2 or not has_writable_group("cpu"),
    reason="needs two processors and a writable cgroup with the cpu controller",
)
@pytest.mark.parametrize("variant", REPORT_THE_AFFINITY, ids=lambda variant: variant.name)
def test_a_quota_of_cpu_time_changes_no_number_of_processors(
    variant: Variant, tmp_path: Path
) -> None:
    short = built(SHORT[variant.language], variant.language, runtime=variant.name)
    report = str(tmp_path / "report.json")
    launcher = [str(build_native(LAUNCHER)), "--report", report, "--cpu-quota", "1", "--"]
    command = [*launcher, *short.timed.command]
    artefact = short.timed.model_copy(update={"command": command})
    (start,) = short.run_with(*short.options(), artefact=artefact).of_event("start")
    assert start["processors"] == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("debug", "off"), [("", False), ("asyncpreemptoff=1", True)])
def test_go_says_whether_it_preempts_asynchronously(debug: str, off: bool) -> None:
    program = built("sort", "go")
    both = {**program.timed.environment, "GODEBUG": debug}
    artefact = program.timed.model_copy(update={"environment": both})
    outcome = program.run_with(*program.options(), artefact=artefact)
    (start,) = outcome.of_event("start")
    assert start["effective"]["asyncpreemptoff"] is off


# ---------------------------------------------------------------- the work itself


# The ordinary check tries each workload and each limit once.
SORTED = [("classic", 2, 1, 0), ("shuffled", 26, 1, MASK), ("duplicates", 3, 5, 2**63)]
SHAPES = [(2, 1, 0), (26, 1, MASK), (3, 5, 2**63), (5, 4, 7)]


@pytest.mark.parametrize(
    ("workload", "letters", "length", "seed"),
    [
        pytest.param(
            workload, *shape, marks=() if (workload, *shape) in SORTED else pytest.mark.long
        )
        for workload in ("classic", "shuffled", "duplicates")
        for shape in SHAPES
    ],
)
def test_sorting_is_the_contracts(
    sort: BuiltProgram, workload: str, letters: int, length: int, seed: int
) -> None:
    expected = Sorting(workload, letters, length, seed)
    expected.sort(0, len(expected.x))
    assert expected.x == sorted(expected.x)
    digest = fnv1a("".join(f"{word}\n" for word in expected.x).encode())
    counted = sort.say(count=1, workload=workload, seed=seed, letters=letters, length=length)
    assert counted.counters == {"comparisons": expected.comparisons, "swaps": expected.swaps}
    timed = sort.say(workload=workload, seed=seed, letters=letters, length=length)
    assert counted.digest == timed.digest == digest


@pytest.mark.parametrize("last", ["\n", ""], ids=["line feed", "no line feed"])
def test_solving_is_the_contracts(sudoku: BuiltProgram, tmp_path: Path, last: str) -> None:
    easy = Solving(PUZZLE)
    assert easy.solve(0)
    solved = "".join(str(digit) for row in easy.grid for digit in row)
    # Three puzzles: one needs a search, one has a single empty cell at its end, and one is solved.
    puzzles = [PUZZLE, f"{solved[:80]}.", solved]
    path = tmp_path / "puzzles.txt"
    path.write_text("\n".join(puzzles) + last)
    solvings = [Solving(puzzle) for puzzle in puzzles]
    assert all(solving.solve(0) for solving in solvings)
    counted = sudoku.say(count=1, input=path)
    assert counted.counters == {
        name: sum(getattr(solving, name) for solving in solvings)
        for name in ("tries", "placements", "reads")
    }
    timed = sudoku.say(iterations=2, input=path)
    assert counted.digest == timed.digest == fnv1a(f"{solved}\n".encode() * len(puzzles))


# ---------------------------------------------------------------- both builds


def each_folder() -> list[tuple[Benchmark, ProgramSource]]:
    """Every program once, whatever the number of forms of its benchmark."""
    found: dict[Path, tuple[Benchmark, ProgramSource]] = {}
    for benchmark in benchmarks().values():
        for source in benchmark.programs:
            found.setdefault(source.folder, (benchmark, source))
    return [*found.values()]


def name_of(value: Benchmark | ProgramSource) -> str:
    if isinstance(value, ProgramSource):
        return f"{value.language}-{value.tier}"
    return value.text.name


# The libraries of tiers take long to compile.
STANDARD = [pair for pair in each_folder() if pair[1].tier == "standard"]
OTHERS = [pair for pair in each_folder() if pair not in STANDARD]
PROGRAMS = [*STANDARD, *(pytest.param(*pair, marks=pytest.mark.long) for pair in OTHERS)]
# The test of the sources shows for each program that only the ticks differ. A program of each
# language then shows that blanked ticks count nothing.
FIRST = {source.language: (benchmark, source) for benchmark, source in reversed(STANDARD)}
# Its programs start sooner than those of savina.
FIRST["newspeak"] = next(pair for pair in STANDARD if pair[1].package == "awfy/awfy/newspeak")
COUNTING = [
    pytest.param(*pair, marks=() if pair in FIRST.values() else pytest.mark.long)
    for pair in each_folder()
]


@pytest.mark.parametrize(("benchmark", "source"), PROGRAMS, ids=name_of)
def test_the_timed_source_lacks_the_ticks_alone(
    benchmark: Benchmark, source: ProgramSource
) -> None:
    program = built(benchmark.name, source.language, source.tier)
    # The whole staged trees are compared, because shared files may contain a program's ticks.
    depth = len(Path(source.package).parts) - 1
    timed = Path(program.timed.sources).parents[depth]
    counted = Path(program.counted.sources).parents[depth]
    ticks = 0
    root = counted.resolve()
    for path in files_of([f"{root}/**"]):
        other = timed / path.relative_to(root)
        if path.suffix not in SUFFIXES:
            assert other.read_bytes() == path.read_bytes()
            continue
        lines = path.read_text("utf-8").split("\n")
        for line, left in zip(lines, other.read_text("utf-8").split("\n"), strict=True):
            ticked = line.rstrip().endswith(("// tick", "# tick", "% tick", "(* tick *)"))
            assert left == ("" if ticked else line), path
            ticks += ticked
    assert (ticks > 0) == (timed != counted)


@pytest.mark.parametrize(("benchmark", "source"), COUNTING, ids=name_of)
def test_the_timed_build_counts_nothing(
    benchmark: Benchmark, source: ProgramSource, tmp_path: Path
) -> None:
    """The timed build counts nothing, and the counted build counts the same in every iteration."""
    if benchmark.text.drive is not None:
        pytest.skip("a server counts as it is asked: see the tests beside it")
    program = built(benchmark.name, source.language, source.tier)
    given = {"input": small_input(benchmark, tmp_path)} if benchmark.text.input else {}
    if benchmark.text.distributions:
        given["samples"] = tmp_path
    counted = program.say(count=1, **given)
    assert sorted(counted.counters) == sorted(benchmark.text.counters)
    assert sum(counted.counters.values()) > 0
    timed = program.say(**given)
    assert timed.of_event("operations") == []
    if program.timed.sources == program.counted.sources:
        return  # it counts by its own means if this is requested
    asked = program.options(count=1, **given)
    both = program.run_with(*asked, artefact=program.timed)
    assert both.digest == timed.digest == counted.digest
    assert set(both.counters.values()) == {0}


def small_input(benchmark: Benchmark, folder: Path) -> Path:
    """An input with some work for each of the counters."""
    path = folder / "input"
    match benchmark.text.name:
        case "sudoku":
            path.write_text(f"{PUZZLE}\n")
        case "colouring":
            path.write_text("".join(f"{u}\t{v}\n" for u in range(7) for v in range(u)))
        case "log":
            path.mkdir()
            (path / "one.log").write_text("17/06/09 20:10:40 INFO one: two=3 4\n")
        case name:
            pytest.fail(f"no input is known for {name}")
    return path


# ---------------------------------------------------------------- lines of source


def test_lines_ran_as_often_as_the_work_was_done(tmp_path: Path) -> None:
    sudoku = built("sudoku", "python")
    path = tmp_path / "puzzles.txt"
    path.write_text(f"{PUZZLE}\n")
    solving = Solving(PUZZLE)
    assert solving.solve(0)
    side = tmp_path / "lines.jsonl"
    outcome = sudoku.say(lines=side, input=path)
    assert len(outcome.of_event("iteration")) == 1
    [told] = read_told(side)
    assert (told.path, told.name, told.unit) == ("sudoku.py", "executions", "")
    source = Path(sudoku.timed.sources) / "sudoku.py"
    lines = [line.strip() for line in source.read_text().splitlines()]
    ran = told.values
    tried = lines.index("if fits(grid, cell, digit):") + 1
    loop = lines.index("for digit in range(1, 10):") + 1
    placed = lines.index("row[column] = digit") + 1
    assert ran[tried] == solving.tries
    assert ran[placed] == solving.placements
    # The line of the loop itself runs once when the loop is entered, and again after each failed
    # try.
    led_on = lines.index("return True", placed) + 1
    assert ran[loop] == ran[loop - 1] + ran[tried] - ran[led_on]
    beginnings = {lines[line - 1].split()[0] for line in ran}
    assert not beginnings & {"def", "import", "from", "class"}


def test_lines_of_other_processes_are_not_passed_over(tmp_path: Path) -> None:
    log = built("log-indexed", "python", "multiprocessing")
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "one.log").write_text("17/06/09 20:10:40 INFO one: two 3\n")
    (logs / "two.log").write_text("17/06/09 20:10:41 INFO one: two 4\n")
    log.say(workload="spark", threads=2, input=logs)
    refused = log.run(workload="spark", threads=2, input=logs, lines=tmp_path / "lines.jsonl")
    refused.check_refused("lines of other processes cannot be counted; …", "start")
